"""Pictures of cubes, rendered by Workbench (needs Blender as a module)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.paper.cubes import Cube, volume_ratios

#: J of a tetrahedron that is shown in full red (below 1) or blue (above 1); inverted ones are black.
SHOWN = 0.2


def render(x: np.ndarray, cube: Cube, path: Path) -> None:
    """The surface at positions x [m], (n, 3), coloured by the change of volume, as a PNG file."""
    import bpy

    from demo import pictures, stage
    from solver.topology.faces import boundary_faces

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    stage.look(scene)
    scene.render.resolution_x = scene.render.resolution_y = 360
    faces, owners = boundary_faces(cube.tetrahedra)
    mesh = stage.mesh(cube.name, x, faces, smooth=False)
    colours = _colours(volume_ratios(x, cube)[owners])
    layer = mesh.color_attributes.new("J", "FLOAT_COLOR", "CORNER")
    layer.data.foreach_set("color", np.repeat(colours, 3, axis=0).ravel().astype(np.float32))
    stage.add(scene, cube.name, mesh)
    scene.display.shading.color_type = "VERTEX"
    middle = 0.5 * (x.min(0) + x.max(0))
    reach = float(np.linalg.norm(x.max(0) - x.min(0)))
    stage.camera(scene, middle + reach * np.array([0.9, -1.3, 0.7]), middle)
    pictures.frame(scene, 1, path)
    bpy.ops.wm.read_factory_settings(use_empty=True)


def sheet(paths: Sequence[Path], path: Path) -> None:
    """Pictures by `render` in one file, half as large, row by row."""
    from demo import pictures
    from gpbd_addon import picture_file

    tiles = [pictures.shrunk(picture_file.read(part)) for part in paths]
    picture_file.write(path, picture_file.joined(tiles, pictures.COLUMNS))


def _colours(ratios: np.ndarray) -> np.ndarray:
    """(faces,) -> (faces, 4) linear RGBA."""
    change = np.clip((ratios - 1) / SHOWN, -1, 1)[:, None]
    plain, red, blue = np.array([0.75, 0.75, 0.72]), np.array([0.8, 0.1, 0.05]), np.array([0.1, 0.25, 0.8])
    colours = plain + np.maximum(-change, 0) * (red - plain) + np.maximum(change, 0) * (blue - plain)
    colours[ratios <= 0] = 0.0
    return np.column_stack([colours, np.ones(len(ratios))])
