"""Small meshes for tests against theory."""

import numpy as np


def grid(nx, ny, length, width, alternate=False):
    """A sheet in the xy plane: (nx + 1)(ny + 1) vertices, row by row along x; diagonals alike or alternating."""
    x, y = np.meshgrid(np.linspace(0, length, nx + 1), np.linspace(0, width, ny + 1), indexing="ij")
    vertices = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], 1)
    triangles = []
    for i in range(nx):
        for j in range(ny):
            a = i * (ny + 1) + j
            b, c, d = a + ny + 1, a + ny + 2, a + 1
            if alternate and (i + j) % 2:
                triangles += [[a, b, d], [b, c, d]]
            else:
                triangles += [[a, b, c], [a, c, d]]
    return vertices, np.array(triangles)


def scattered(n, seed=0):
    """A unit square with n random points inside, triangulated by Delaunay."""
    from scipy.spatial import Delaunay

    points = np.random.default_rng(seed).uniform(0.02, 0.98, (n, 2))
    side = np.linspace(0, 1, 8)
    border = np.concatenate([np.stack([s, e], 1) for s, e in [(side, 0 * side), (side, 0 * side + 1)]])
    points = np.concatenate([points, border, border[:, ::-1][np.abs(border[:, 0] - 0.5) < 0.49]])
    vertices = np.column_stack([points, np.zeros(len(points))])
    return vertices, Delaunay(points).simplices


def cube(n, size=1.0):
    """A cube of n^3 cells, six tetrahedra each, all positively oriented."""
    import itertools

    axis = np.linspace(0.0, size, n + 1)
    vertices = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    cell = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3)
    tetrahedra = []
    for order in itertools.permutations(range(3)):
        steps = np.cumsum(np.vstack([np.zeros(3, int), np.eye(3, dtype=int)[list(order)]]), 0)
        corners = cell[:, None] + steps[None]
        tet = (corners[..., 0] * (n + 1) + corners[..., 1]) * (n + 1) + corners[..., 2]
        if np.linalg.det(np.eye(3)[list(order)]) < 0:
            tet[:, [2, 3]] = tet[:, [3, 2]]
        tetrahedra.append(tet)
    return vertices, np.concatenate(tetrahedra)
