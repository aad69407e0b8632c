"""Cost of collider contact for a sheet of 16,641 vertices: `python -m benchmarks.contact_colliders`.

The sheet falls on a ball of about 2,000 triangles; beside it the same sheet far from any collider. Everything is printed
as milliseconds a substep (begin, 10 sweeps, end) and as a ratio to the far sheet and to 10 sweeps of a plain edge
constraint over the same sheet, timed in the same run. Nothing is asserted: machines differ, and this one may be busy.
"""

from __future__ import annotations

import time

import numpy as np

from solver.contact.collider_contact import ColliderContact, ColliderShape, PlaneShape
from solver.device.cpu import kernel, set_threads

SUBSTEP = 1 / 480
SWEEPS = 10


@kernel
def edge_sweep(edges, rest, x):
    """One Gauss-Seidel sweep of inextensible edges: the yardstick."""
    half = x.dtype.type(0.5)
    for e in range(len(edges)):
        i, j = edges[e, 0], edges[e, 1]
        a, b, c = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
        s = half * (x.dtype.type(1) - rest[e] / np.sqrt(a * a + b * b + c * c))
        x[i, 0] -= s * a
        x[i, 1] -= s * b
        x[i, 2] -= s * c
        x[j, 0] += s * a
        x[j, 1] += s * b
        x[j, 2] += s * c


def sheet(n: int, size: float):
    """Vertices (n^2, 3), triangles and edges of a flat square."""
    a = np.linspace(-size / 2, size / 2, n)
    x = np.stack([*(k.ravel() for k in np.meshgrid(a, a, indexing="ij")), np.zeros(n * n)], 1)
    i = np.arange(n * n).reshape(n, n)
    p, q, r, s = i[:-1, :-1].ravel(), i[1:, :-1].ravel(), i[1:, 1:].ravel(), i[:-1, 1:].ravel()
    triangles = np.r_[np.c_[p, q, r], np.c_[p, r, s]].astype(np.int32)
    edges = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), 1), axis=0).astype(np.int32)
    return x, triangles, edges


def ball(rings: int, radius: float):
    """Vertices and about 4 rings^2 triangles of a sphere."""
    m = 2 * rings
    a, b = np.meshgrid(np.pi * np.arange(1, rings) / rings, 2 * np.pi * np.arange(m) / m, indexing="ij")
    x = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)], -1).reshape(-1, 3)
    x = radius * np.r_[x, [[0, 0, 1], [0, 0, -1]]]
    i = np.arange((rings - 1) * m).reshape(rings - 1, m)
    p, q = i[:-1].ravel(), i[1:].ravel()
    u, v = np.roll(i, -1, 1)[:-1].ravel(), np.roll(i, -1, 1)[1:].ravel()
    top = np.c_[i[0] * 0 + len(x) - 2, i[0], np.roll(i[0], -1)]
    bottom = np.c_[i[-1] * 0 + len(x) - 1, np.roll(i[-1], -1), i[-1]]
    return x, np.r_[np.c_[p, q, v], np.c_[p, v, u], top, bottom].astype(np.int32)


def measure(height: float, planes=(), substeps: int = 240):
    """Milliseconds a substep, and what was found: the medians over the second half of the run."""
    x, triangles, edges = sheet(129, 1.0)
    v, t = ball(22, 0.3)
    rest = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1).astype(np.float32)
    n, h = len(x), np.float32(SUBSTEP)
    state = np.c_[x + [0, 0, height], np.full(n, SUBSTEP**2 / 1e-5)].astype(np.float32)
    shape = ColliderShape("ball", t, 0.4, 0.0)
    contact = ColliderContact(np.float32, np.full(n, 0.002), np.full(n, 0.4), np.ones(n, bool), triangles, [shape], planes)
    pose = v.astype(np.float32)
    velocity = np.zeros((n, 3), np.float32)
    times = np.zeros((substeps, 4))
    for k in range(substeps):
        velocity[:, 2] -= np.float32(9.81) * h
        velocity *= np.float32(0.999)
        x0, state = state, state.copy()
        state[:, :3] += velocity * h
        clock = [time.perf_counter()]
        contact.begin_substep(x0, state, pose, pose, SUBSTEP)
        times[k, 0] = time.perf_counter() - clock[0]
        for _ in range(SWEEPS):
            start = time.perf_counter()
            edge_sweep(edges, rest, state)
            middle = time.perf_counter()
            contact.sweep(state)
            times[k, 3] += middle - start
            times[k, 1] += time.perf_counter() - middle
        start = time.perf_counter()
        contact.end_substep(x0, state)
        times[k, 2] = time.perf_counter() - start
        velocity = (state - x0)[:, :3] / h
    tail = 1e3 * times[substeps // 2 :]
    lists = contact.lists
    print(
        f"    {contact.count} contacts, {len(lists.vertex_pairs.ids)} + {len(lists.triangle_pairs.ids)} candidates, "
        f"{lists.rebuilds} searches (and {lists.renewed} vertices alone) in {substeps} substeps, "
        f"slack {1e3 * lists.slack:.2f} mm"
    )
    return tail.mean(0)


def main() -> None:
    measure(0.302, substeps=10)
    for threads in (1, 2):
        print(f"{set_threads(threads)} thread(s), 16,641 vertices, ms a substep (mean): begin, 10 sweeps, end; edges")
        far, near, ground = (
            measure(5.0), measure(0.302), measure(0.302, [PlaneShape("ground", (0, 0, -0.3), (0, 0, 1), 0.4, 0.0)])
        )  # fmt: skip
        for name, row in (("far from all", far), ("on the ball", near), ("on the ball, over a plane", ground)):
            total = row[:3].sum()
            print(
                f"  {name}: {row[0]:.2f} + {row[1]:.2f} + {row[2]:.2f} = {total:.2f} ms; edges {row[3]:.2f} ms; "
                f"contact / edges = {total / row[3]:.2f}; {total / far[:3].sum():.0f} times the far sheet"
            )


if __name__ == "__main__":
    main()
