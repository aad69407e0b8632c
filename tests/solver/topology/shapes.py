"""Meshes with known volumes, for the tests of topology."""

import numpy as np


def cube(size=1.0, origin=(0.0, 0.0, 0.0)):
    """Eight vertices and twelve outward triangles."""
    x = np.array(list(np.ndindex(2, 2, 2)), float) * size + origin
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return x, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], np.int32)


def grid(nx, ny, size=1.0):
    """A flat sheet of nx x ny vertices in the plane z = 0, wound upwards."""
    x = np.stack([*np.meshgrid(np.linspace(0, size, nx), np.linspace(0, size, ny), indexing="ij"), np.zeros((nx, ny))], -1)
    i = np.arange(nx * ny).reshape(nx, ny)
    a, b, c, d = (q.ravel() for q in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    return x.reshape(-1, 3), np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).astype(np.int32)


def torus(major=1.0, minor=0.35, n=48, m=24):
    """A closed ring, wound outwards."""
    u, v = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    r = major + minor * np.cos(v)
    x = np.stack([r * np.cos(u), r * np.sin(u), minor * np.sin(v)], -1).reshape(-1, 3)
    i = np.arange(n * m).reshape(n, m)
    a, b = i, np.roll(i, -1, 0)
    c, d = np.roll(b, -1, 1), np.roll(a, -1, 1)
    a, b, c, d = (q.ravel() for q in (a, b, c, d))
    return x, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).astype(np.int32)


def sphere(radius=1.0, n=24, cut=0.0):
    """A ball of latitude rings, wound outwards; `cut` leaves off that share of the rings at the top."""
    last = n if not cut else int(n * (1 - cut))
    theta = np.arange(1, min(last, n - 1) + 1) * np.pi / n  # from the bottom up
    phi = np.arange(2 * n) * np.pi / n
    rings = np.stack(
        [
            np.outer(np.sin(theta), np.cos(phi)),
            np.outer(np.sin(theta), np.sin(phi)),
            -np.cos(theta)[:, None] * np.ones_like(phi),
        ],
        -1,
    )
    x = np.concatenate([[(0, 0, -1)], rings.reshape(-1, 3), [(0, 0, 1)]]) * radius
    i = 1 + np.arange(len(theta) * 2 * n).reshape(len(theta), 2 * n)
    a, b = i[:-1], np.roll(i[:-1], -1, 1)
    d, c = i[1:], np.roll(i[1:], -1, 1)
    a, b, c, d = (q.ravel() for q in (a, b, c, d))
    bottom = np.stack([np.zeros(2 * n, int), np.roll(i[0], -1), i[0]], 1)
    top = np.stack([np.full(2 * n, len(x) - 1), i[-1], np.roll(i[-1], -1)], 1)
    parts = [bottom, np.stack([a, b, c], 1), np.stack([a, c, d], 1)] + ([] if cut else [top])
    t = np.concatenate(parts).astype(np.int32)
    return (x[:-1] if cut else x), t


def volume(x, triangles):
    """Volume that a closed mesh encloses, by the divergence theorem."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->i", np.cross(a, b), c).sum() / 6
