"""Surfaces of intersecting starts: ribbons along curves, bent tubes, capes; start shapes and shapes at rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.meshes import ball, grid, tube

Array = np.ndarray


def strip(n: int, m: int) -> tuple[Array, Array]:
    """A unit square of n x m quads: vertices (u, v, 0), row u after row u, and triangles."""
    x, t = grid(max(n, m))
    size = max(n, m)
    i, j = np.divmod(np.arange(len(x)), size + 1)
    keep = (i <= n) & (j <= m)
    number = np.cumsum(keep) - 1
    t = t[keep[t].all(1)]
    return np.c_[i[keep] / n, j[keep] / m, np.zeros(keep.sum())], number[t].astype(np.int32)


def ribbon(curve: Array, width: float, across: int, upright: Any) -> tuple[Array, Array, Array]:
    """A ribbon about a curve (k, 3), its width along `upright`: (3,), or (k, 3). Start, triangles, rest (flat)."""
    n = len(curve) - 1
    uv, t = strip(n, across)
    arc_length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    row = np.rint(uv[:, 0] * n).astype(int)
    up = np.broadcast_to(np.asarray(upright, float), curve.shape)
    side = (uv[:, 1] - 0.5)[:, None] * width
    rest = np.c_[arc_length[row], side, np.zeros(len(row))]
    return curve[row] + side * up[row], t, rest


def smooth(points: Any, n: int) -> Array:
    """n + 1 points, evenly spaced, of the smooth curve through some points (k, 3)."""
    p = np.asarray(points, float)
    chord = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
    slope = np.gradient(p, chord, axis=0)
    s = np.linspace(0, chord[-1], 40 * n + 1)
    k = np.clip(np.searchsorted(chord, s, side="right") - 1, 0, len(p) - 2)
    long = np.diff(chord)[k][:, None]
    u = (s - chord[k])[:, None] / long
    fine = (
        (2 * u**3 - 3 * u**2 + 1) * p[k]
        + (u**3 - 2 * u**2 + u) * long * slope[k]
        + (3 * u**2 - 2 * u**3) * p[k + 1]
        + (u**3 - u**2) * long * slope[k + 1]
    )
    arc_length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    return np.stack([np.interp(np.linspace(0, arc_length[-1], n + 1), arc_length, fine[:, c]) for c in range(3)], 1)


def bent_tube(around: int, along: int, radius: float, length: float, angle: float) -> tuple[Array, Array]:
    """A tube bent by an angle [rad] about an axis that lies 1.3 radii off its middle line; the bend opens to +x."""
    x, t = tube(around, along, radius, length)
    turn_length = 1.3 * radius * angle
    along_bend = x[:, 2] - 0.5 * (length - turn_length)
    a = np.clip(along_bend / (1.3 * radius), 0, angle)
    before, after = np.minimum(along_bend, 0), np.maximum(along_bend - turn_length, 0)
    out = 1.3 * radius - x[:, 0]
    return np.c_[-out * np.cos(a) + after * np.sin(a), x[:, 1], out * np.sin(a) + before + after * np.cos(a)], t


def flat_tube(around: int, along: int, radius: float, length: float, gap: float) -> tuple[Array, Array, Array]:
    """A tube pressed flat, its front and back a gap apart [m]. Start, triangles, rest."""
    rest, t = tube(around, along, radius, length)
    a = np.arctan2(rest[:, 1], rest[:, 0]) / np.pi  # -1 to 1, 0 and 1 at the sides
    across = np.pi * radius * (0.5 - np.abs(a))
    thick = np.clip((0.5 * np.pi * radius - np.abs(across)) / (0.1 * radius), 0, 1) * np.sign(a)
    return np.c_[across, 0.5 * gap * thick, rest[:, 2]], t, rest


def cone(around: int, along: int, top: float, bottom: float, height: float) -> tuple[Array, Array]:
    """An open cone about z, from z = 0 down to -height."""
    x, t = tube(around, along, 1.0, 1.0)
    radius = bottom + (top - bottom) * x[:, 2]
    return np.c_[x[:, :2] * radius[:, None], height * (x[:, 2] - 1)], t


def egg(levels: int, size: Any, centre: Any = (0, 0, 0)) -> tuple[Array, Array]:
    """A closed ellipsoid with half axes `size` (3,)."""
    x, t = ball(levels, 1.0)
    return x * np.asarray(size, float) + centre, t


def top_of(x: Array) -> Array:
    """The vertices of a garment's upper border."""
    return np.flatnonzero(x[:, 2] > x[:, 2].max() - 1e-9)
