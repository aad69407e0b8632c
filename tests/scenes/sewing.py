"""Panels that are to be sewn."""

from __future__ import annotations

from typing import Any

import numpy as np

import solver
from tests.scenes.meshes import rectangle

Array = np.ndarray

FABRIC = solver.Material.fabric(0.2, 1000, 400, poisson=0.3, bending=1e-5, damping=0.005)


def two_panels(n: int, m: int, gap: float) -> tuple[Array, Array, Array]:
    """Front and back of a tube, upright, 0.4 m wide and 0.6 m high, n x m quads each: vertices, triangles that look
    outwards, stitches of both sides."""
    flat, t = rectangle((n, m), (0.4, 0.6))
    front = np.stack([flat[:, 0], np.full(len(flat), -gap / 2), flat[:, 1]], 1)
    x = np.concatenate([front, front + [0, gap, 0]])
    side = np.flatnonzero((flat[:, 0] == 0) | (flat[:, 0] == flat[:, 0].max()))
    return x, np.concatenate([t, t[:, ::-1] + len(flat)]), np.stack([side, side + len(flat)], 1)


def tube(settings: dict[str, Any], sewing: dict[str, Any] | None = None, n: int = 5, gap: float = 0.2, **cloth: Any) -> Any:
    """A simulation of two panels in space without gravity."""
    x, t, stitches = two_panels(n, n + 2, gap)
    stitched = solver.Sewing(stitches, **(sewing or {}))
    scene = solver.Scene([solver.Cloth("shirt", x, t, FABRIC, sewing=stitched, **cloth)], gravity=(0, 0, 0))
    return solver.Simulation(scene, solver.Settings(threads=1, **settings))


def gaps(simulation: Any, frame: Any) -> Array:
    """Return the gaps of the stitches of the first body [m], (k,)."""
    body = simulation.scene.bodies[0]
    x = frame.positions[body.name].astype(float)[body.sewing.edges]
    return np.linalg.norm(x[:, 1] - x[:, 0], axis=1)


def t_shirt(edge: float = 0.03) -> tuple[Array, Array, Array]:
    """Return four flat panels of a T-shirt round `mannequin`: vertices, triangles with outward normals, stitches. edge: [m],
    about.

    Front and back are 17 cm before and behind, 0.54 m wide; sleeves are above the arms. Shoulders, sides and armholes are
    sewn, and each sleeve to itself below the arm. Armholes are 33 cm deep: the shoulders draw front and back up by 13.
    """
    arm, low, high, half, neck, off = 0.33, 0.8, 1.46, 0.27, 0.09, 0.17
    rows = max(round(arm / edge), 2)  # of an armhole, front or back
    n, m = 2 * round(half / edge), rows + round((high - low - arm) / edge)
    z = np.concatenate([np.linspace(low, high - arm, m - rows + 1), np.linspace(high - arm, high, rows + 1)[1:]])
    flat, t = rectangle((n, m), (2 * half, 1.0))
    x = np.stack([flat[:, 0] - half, np.full(len(flat), -off), np.tile(z, n + 1)], 1)
    parts, faces, count = [x, x * [1, -1, 1]], [t, t[:, ::-1] + len(x)], 2 * len(x)
    number = np.arange(len(x)).reshape(n + 1, m + 1)
    top = number[np.abs(x[number[:, -1], 0]) > neck - 1e-9, -1]
    sides = number[[0, -1], : m - rows + 1].ravel()
    pairs = [np.stack([some, some + len(x)], 1) for some in (top, sides)]
    along = max(round(0.22 / edge), 2)
    for side in (0, -1):
        flat, t = rectangle((along, 2 * rows), (0.22, 2 * arm))
        sleeve = np.stack([0.29 + flat[:, 0], flat[:, 1] - arm, np.full(len(flat), high + 0.03)], 1)
        if side == 0:
            sleeve, t = sleeve * [-1, 1, 1], t[:, ::-1]
        sleeve_vertices = count + np.arange(len(flat)).reshape(along + 1, 2 * rows + 1)
        hole = number[side, m - rows :]  # from below the arm up to the shoulder
        pairs += [
            np.stack([sleeve_vertices[0, : rows + 1], hole], 1),
            np.stack([sleeve_vertices[0, rows:], hole[::-1] + len(x)], 1),
            np.stack([sleeve_vertices[:, 0], sleeve_vertices[:, -1]], 1),
        ]
        parts.append(sleeve)
        faces.append(t + count)
        count += len(flat)
    return np.concatenate(parts), np.concatenate(faces), np.concatenate(pairs)


def mannequin() -> list[Any]:
    """Colliders: a torso, a neck and arms held out, each closed."""
    return [
        solver.Collider("torso", *_capsule((0, 0, 0.75), (0, 0, 1.36), (0.17, 0.11)), thickness=0.002),
        solver.Collider("neck", *_capsule((0, 0, 1.3), (0, 0, 1.62), (0.05, 0.05)), thickness=0.002),
        *(
            solver.Collider(name, *_capsule((side * 0.08, 0, 1.37), (side * 0.66, 0, 1.37), (0.05, 0.05)), thickness=0.002)
            for name, side in (("left arm", 1), ("right arm", -1))
        ),
    ]


def _capsule(first: Any, last: Any, radii: Any, around: int = 24, cap: int = 5) -> tuple[Array, Array]:
    """A rod with round ends: vertices, triangles that look outwards. radii: across, (2,) [m]."""
    first, last = np.array(first, float), np.array(last, float)
    axis = (last - first) / np.linalg.norm(last - first)
    across = np.array([1.0, 0, 0]) if abs(axis[2]) > 0.9 else np.array([0, 1.0, 0])
    other = np.cross(axis, across)
    length, angles = min(radii), np.linspace(0, np.pi / 2, cap + 1)[1:]
    rings = [(first - axis * length * np.cos(a), np.sin(a)) for a in angles]
    rings += [(first + (last - first) * s, 1.0) for s in np.linspace(0, 1, 12)[1:-1]]
    rings += [(last + axis * length * np.cos(a), np.sin(a)) for a in angles[::-1]]
    turn = 2 * np.pi * np.arange(around) / around
    circle = radii[0] * np.cos(turn)[:, None] * across + radii[1] * np.sin(turn)[:, None] * other
    x = np.concatenate([(first - axis * length)[None], *(c + s * circle for c, s in rings), (last + axis * length)[None]])
    next_one = np.roll(np.arange(around), -1)
    faces = [np.stack([np.zeros(around, int), 1 + next_one, 1 + np.arange(around)], 1)]
    for k in range(len(rings) - 1):
        a, b = 1 + k * around + np.arange(around), 1 + k * around + next_one
        faces += [np.stack([a, b, b + around], 1), np.stack([a, b + around, a + around], 1)]
    end = 1 + (len(rings) - 1) * around
    faces.append(np.stack([np.full(around, len(x) - 1), end + np.arange(around), end + next_one], 1))
    t = np.concatenate(faces)
    inwards = np.linalg.det(x[t] - x.mean(0)).sum() < 0
    return x, t[:, ::-1] if inwards else t
