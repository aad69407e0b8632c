"""A coat for simulation meshes: two layers and their rims in one mesh, four openings, buttons, a seam, UVs and pins."""

from __future__ import annotations

import numpy as np

from tests.gpbd_addon import scenes

#: Of the body and the sleeves [m].
RADIUS, HEIGHT, THICKNESS = 0.2, 0.6, 0.006


def tube(n: int, rows: int, radius: float, height: float) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """An open tube of n x rows quads that looks outwards."""
    angle = 2 * np.pi * np.arange(n) / n
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    x = np.concatenate([np.c_[ring, np.full(n, z)] for z in np.linspace(0, height, rows + 1)])
    faces = [
        (r * n + k, r * n + (k + 1) % n, (r + 1) * n + (k + 1) % n, (r + 1) * n + k) for r in range(rows) for k in range(n)
    ]
    return x, faces


def thick(x: np.ndarray, faces: list, rims: bool = True) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """The tube with an inner layer, and joined by a rim at both ends."""
    n = len(x)
    inner = x.copy()
    inner[:, :2] *= 1 - THICKNESS / np.linalg.norm(x[:, :2], axis=1)[:, None]
    both = [*faces, *(tuple(n + k for k in face[::-1]) for face in faces)]
    if rims:
        used: dict[tuple[int, int], tuple[int, int]] = {}
        for face in faces:
            for a, b in zip(face, (*face[1:], face[0]), strict=True):
                used[(a, b)] = (a, b)
        both += [(b, a, a + n, b + n) for a, b in used if (b, a) not in used]
    return np.concatenate([x, inner]), both


def coat(bpy, n: int = 96, rows: int = 60, rims: bool = True, buttons: int = 3):
    """A thick tube along z with cubes of 1 cm for buttons on it; pinned at the top, cut and unwrapped at y = 0, x > 0."""
    x, faces = thick(*tube(n, rows, RADIUS, HEIGHT), rims)
    corner = np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)], float) - 0.5
    of_cube = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    for k in range(buttons):
        faces = [*faces, *(tuple(len(x) + i for i in face) for face in of_cube)]
        x = np.concatenate([x, 0.01 * corner + [0, -RADIUS - 0.006, 0.1 + 0.15 * k]])
    ob = scenes.mesh_object(bpy, "Coat", x, faces, location=(0, 0, 0))
    mesh = ob.data
    top = [vertex.index for vertex in mesh.vertices if vertex.co.z > HEIGHT - 0.05]
    ob.vertex_groups.new(name="pins").add(top, 1.0, "REPLACE")
    layer = mesh.uv_layers.new(name="UVMap")
    loops = np.array([loop.vertex_index for loop in mesh.loops])
    angle = np.arctan2(x[loops, 1], x[loops, 0]) % (2 * np.pi)
    face = np.repeat(np.arange(len(faces)), [len(f) for f in faces])
    widest = np.full(len(faces), 0.0)
    np.maximum.at(widest, face, angle)
    angle = np.where((widest[face] > 5) & (angle < 1), angle + 2 * np.pi, angle)
    layer.data.foreach_set("uv", np.stack([RADIUS * angle, x[loops, 2]], 1).astype(np.float32).ravel())
    for edge in mesh.edges:
        a, b = (mesh.vertices[k].co for k in edge.vertices)
        edge.use_seam = max(abs(a.y), abs(b.y)) < 1e-6 and min(a.x, b.x) > 0.1
    bpy.context.view_layer.objects.active = ob
    ob.select_set(True)
    bpy.context.view_layer.update()
    return ob


def positions(ob, evaluated: bool = False) -> np.ndarray:
    """Vertices of its mesh, (n, 3), object space; evaluated: as it is shown."""
    import bpy

    bpy.context.view_layer.update()
    mesh = ob.evaluated_get(bpy.context.view_layer.depsgraph).data if evaluated else ob.data
    x = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", x)
    return x.reshape(-1, 3).astype(float)


def move(twin, x: np.ndarray) -> None:
    twin.data.vertices.foreach_set("co", x.astype(np.float32).ravel())
    twin.data.update()
