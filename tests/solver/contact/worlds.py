"""Small worlds for contact tests: meshes, and a step loop with no energies of its own."""

from __future__ import annotations

import numpy as np

from solver.contact.contact import BodySurface, ColliderShape, Contact, PlaneShape


def grid(nx: int, ny: int, size: float, z: float = 0.0):
    """A square sheet of nx by ny vertices in the plane z, centred: vertices (n, 3), triangles (t, 3)."""
    a, b = np.linspace(-size / 2, size / 2, nx), np.linspace(-size / 2, size / 2, ny)
    x = np.stack(np.meshgrid(a, b, indexing="ij"), -1).reshape(-1, 2)
    x = np.c_[x, np.full(len(x), z)]
    i = np.arange(nx * ny).reshape(nx, ny)
    p, q, r, s = i[:-1, :-1].ravel(), i[1:, :-1].ravel(), i[1:, 1:].ravel(), i[:-1, 1:].ravel()
    return x, np.concatenate([np.c_[p, q, r], np.c_[p, r, s]]).astype(np.int32)


def box(size=(1.0, 1.0, 1.0), centre=(0.0, 0.0, 0.0)):
    """A closed box, wound outwards: vertices (8, 3), triangles (12, 3)."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return corners * size + centre, np.array(triangles, np.int32)


def sphere(rings: int, radius: float = 1.0, centre=(0.0, 0.0, 0.0)):
    """A closed sphere of latitude rings, wound outwards: about 4 rings^2 triangles."""
    segments = 2 * rings
    points, triangles = [[0, 0, 1]], []
    for r in range(1, rings):
        a = np.pi * r / rings
        points += [
            [np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)] for b in 2 * np.pi * np.arange(segments) / segments
        ]
    points.append([0, 0, -1])
    last = len(points) - 1
    for s in range(segments):
        n = (s + 1) % segments
        triangles.append((0, 1 + s, 1 + n))
        for r in range(rings - 2):
            p, q = 1 + r * segments, 1 + (r + 1) * segments
            triangles += [(p + s, q + s, q + n), (p + s, q + n, p + n)]
        p = 1 + (rings - 2) * segments
        triangles.append((last, p + n, p + s))
    return np.array(points) * radius + centre, np.array(triangles, np.int32)


def cone(segments: int, radius: float, height: float, centre=(0.0, 0.0, 0.0)):
    """A closed cone with its tip up at centre + (0, 0, height)."""
    b = 2 * np.pi * np.arange(segments) / segments
    points = np.r_[np.c_[radius * np.cos(b), radius * np.sin(b), 0 * b], [[0, 0, height], [0, 0, 0]]]
    s = np.arange(segments)
    n = (s + 1) % segments
    triangles = np.r_[np.c_[s, n, 0 * s + segments], np.c_[n, s, 0 * s + segments + 1]]
    return points + centre, triangles.astype(np.int32)


class World:
    """Free vertices, optionally tied by edges (projected as stiff springs), that meet colliders.

    move: function of time [s] giving all collider vertices (m, 3); default: they stay.
    """

    def __init__(
        self, x, triangles=(), colliders=(), planes=(), *, r=0.005, mu=0.5, dtype=np.float32, h=1 / 480, iterations=10,
        gravity=(0, 0, -9.81), velocity=(0, 0, 0), move=None, springs=False, pinned=(), mass=1e-3, speed=0.5,
        itself=False, thickness=None, rules=None, depth=0.0,
        side="automatic",
    ):  # fmt: skip
        n = len(x)
        self.h, self.iterations, self.gravity = h, iterations, np.array(gravity, float)
        self.x = np.zeros((n, 4), dtype)
        self.x[:, :3] = x
        self.x[:, 3] = h * h / mass
        self.x[list(pinned), 3] = 0
        self.v = np.zeros((n, 3), dtype) + np.array(velocity, dtype)
        triangles = np.array(triangles, np.int32).reshape(-1, 3)
        shapes, poses, start = [], [], 0
        for k, (vertices, faces, *rest) in enumerate(colliders):
            friction, thickness = (*rest, mu, 0.0)[:2] if rest else (mu, 0.0)
            shapes.append(ColliderShape(f"collider {k}", faces, friction, thickness, start, depth, side))
            poses.append(np.asarray(vertices, float))
            start += len(vertices)
        self.pose = np.concatenate([*poses, np.empty((0, 3))])
        self.move = move or (lambda time: self.pose)
        planes = [PlaneShape(f"plane {k}", p, m, mu, 0.0) for k, (p, m) in enumerate(planes)]
        x = np.asarray(x, float)
        body = BodySurface("body", triangles, 0, n, r, thickness or r, mu, itself, loose=np.arange(n))
        self.contact = Contact(dtype, [body], x, x, shapes, self.pose, planes, speed, rules)
        self.edges = np.empty((0, 2), int)
        if springs:
            e = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), 1)
            self.edges = np.unique(e, axis=0)
            self.length = np.linalg.norm(np.asarray(x)[self.edges[:, 0]] - np.asarray(x)[self.edges[:, 1]], axis=1)
        self.time, self.dtype, self.returned = 0.0, dtype, 0

    def step(self, count: int = 1):
        """Advances by substeps; returns the positions (n, 3)."""
        for _ in range(count):
            free = self.x[:, 3] > 0
            x0 = self.x.copy()
            self.v[free] += (self.gravity * self.h).astype(self.dtype)
            x = x0.copy()
            x[free, :3] += self.v[free] * self.dtype(self.h)
            a, b = self.move(self.time), self.move(self.time + self.h)
            a, b = a.astype(self.dtype), b.astype(self.dtype)
            self.contact.begin_substep(x0, x.copy(), a, b, self.h, self.gravity, 8)
            for _ in range(self.iterations):
                self._springs(x)
                self.contact.sweep(x)
            self.returned += self.contact.end_substep(x)
            self.v = (x[:, :3] - x0[:, :3]) / self.dtype(self.h)
            self.x = x
            self.time += self.h
        return self.x[:, :3]

    def _springs(self, x):
        """One Jacobi sweep, under-relaxed: enough to tie a sheet together."""
        if len(self.edges):
            i, j = self.edges.T
            d = x[i, :3] - x[j, :3]
            now = np.linalg.norm(d, axis=1)
            push = (0.15 * (1 - self.length / np.maximum(now, 1e-12)))[:, None] * d
            total = np.zeros((len(x), 3))
            np.add.at(total, i, -push)
            np.add.at(total, j, push)
            x[:, :3] += (total * (x[:, 3:] > 0)).astype(self.dtype)
