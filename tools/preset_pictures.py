"""Draws the picture of every preset: `python tools/preset_pictures.py [NAME ...]`, or `dev.py docs presets`.

A fabric is draped as Cusick's drapemeter drapes it, 30 cm over a support of 18 cm; a solid is a bar of 24 x 4 x 4 cm, held
at one end; a rope of 60 cm hangs between two clamps 22 cm apart. All are simulated with the numbers of the preset, and
Workbench draws them, always from the same place. Cloth is drawn four times as thick as it is, which is seen at its rim, a
rope twice. The drape coefficients go into `presets/pictures/drape.toml`.
"""

from __future__ import annotations

import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import bpy  # noqa: E402
import numpy as np  # noqa: E402

import solver  # noqa: E402
from demo import stage  # noqa: E402
from solver.scene.presets import Preset, list_presets, read_preset  # noqa: E402
from tests.scenes import textile  # noqa: E402

OUT = ROOT / "presets" / "pictures"
DRAPES = OUT / "drape.toml"
#: Of a side [pixels]; the largest file [bytes], which the quality of the JPEG is lowered to.
SIZE, LARGEST, QUALITIES = 192, 12_000, (90, 80, 70, 55)
#: Edge of the meshes of the specimens [m], and frames until they hang.
EDGE, FRAMES = 0.012, 72
#: Sides of the bar [m] and its cells; frames until it hangs.
BAR, CELLS, BAR_FRAMES = (0.24, 0.04, 0.04), (12, 2, 2), 60
#: Distance of the clamps of a rope [m], and its segments.
ROPE_SPAN, ROPE_SEGMENTS = 0.22, 60
THICKER = 4.0
#: Of a preset or its category: linear RGB.
COLOURS: dict[str, stage.Colour] = {
    "Cotton": (0.62, 0.66, 0.74), "denim": (0.06, 0.11, 0.25), "canvas": (0.42, 0.36, 0.24), "chino": (0.45, 0.33, 0.18),
    "cotton_poplin": (0.75, 0.8, 0.88), "chiffon": (0.75, 0.45, 0.52), "silk": (0.55, 0.08, 0.16),
    "linen": (0.6, 0.52, 0.38),
    "satin_lining": (0.2, 0.1, 0.35), "velvet": (0.16, 0.02, 0.06), "wool_melton": (0.1, 0.1, 0.12),
    "wool_suiting": (0.14, 0.15, 0.18), "leather": (0.22, 0.09, 0.04), "felt": (0.1, 0.3, 0.12), "paper": (0.85, 0.83, 0.76),
    "Metal": (0.6, 0.61, 0.63), "clay": (0.45, 0.2, 0.12), "plastic_film": (0.8, 0.82, 0.85),
    "jiggle": (0.85, 0.35, 0.5), "firm_jiggle": (0.3, 0.35, 0.8),
    "tarp": (0.05, 0.22, 0.5), "tulle": (0.8, 0.7, 0.78), "flag_nylon": (0.7, 0.05, 0.05), "spandex": (0.03, 0.03, 0.04),
    "jersey": (0.35, 0.38, 0.42), "ponte": (0.1, 0.07, 0.16), "rib_knit": (0.5, 0.25, 0.15),
    "rubber_sheet": (0.04, 0.04, 0.04),
    "polyester_faille": (0.25, 0.4, 0.35), "Yarn-level wovens": (0.62, 0.55, 0.42), "Yarn-level knits": (0.3, 0.42, 0.5),
    "jelly": (0.6, 0.05, 0.08), "flesh": (0.62, 0.32, 0.25), "foam": (0.8, 0.7, 0.3), "rubber": (0.05, 0.05, 0.05),
    "hemp_rope": (0.55, 0.38, 0.18), "climbing_rope": (0.75, 0.12, 0.05), "steel_cable": (0.55, 0.57, 0.6),
    "electric_cable": (0.75, 0.3, 0.02), "shoe_lace": (0.8, 0.8, 0.78), "yarn": (0.45, 0.1, 0.2),
    "rubber_band": (0.65, 0.45, 0.2), "chain": (0.4, 0.42, 0.45),
    "silicone": (0.5, 0.6, 0.65), "sponge": (0.75, 0.6, 0.15), "ballistic_gel": (0.7, 0.55, 0.3),
}  # fmt: skip
PLAIN: stage.Colour = (0.5, 0.5, 0.5)
GROUND: stage.Colour = (0.09, 0.09, 0.1)
Array = np.ndarray


def draped(material: solver.Material) -> tuple[Array, Array, float]:
    """The fabric on the drapemeter: vertices [m], triangles, and its drape coefficient."""
    drape = textile.drape(material, EDGE, 0, "rings", FRAMES)
    return drape.positions, drape.triangles, drape.coefficient


def bar(material: solver.Material) -> tuple[Array, Array]:
    """The bar that hangs: vertices [m] and the triangles of its skin."""
    counts = np.array(CELLS) + 1
    index = np.arange(counts.prod()).reshape(counts)
    x = np.stack(np.meshgrid(*(np.linspace(0, side, n) for side, n in zip(BAR, counts, strict=True)), indexing="ij"), -1)
    corner = [index[i : i + CELLS[0], j : j + CELLS[1], k : k + CELLS[2]].ravel() for i, j, k in np.ndindex(2, 2, 2)]
    paths = [(0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 5, 4, 7)]  # Kuhn
    tetrahedra = np.concatenate([np.stack([corner[c] for c in path], 1) for path in paths])
    vertices = x.reshape(-1, 3) - [0.0, BAR[1] / 2, BAR[2]]
    pins = solver.Pins(np.flatnonzero(vertices[:, 0] < 1e-6))
    faces = np.concatenate([tetrahedra[:, list(c)] for c in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))])
    _, first, count = np.unique(np.sort(faces, 1), axis=0, return_index=True, return_counts=True)
    skin = faces[first[count == 1]]
    body: solver.SoftBody | solver.ShapeMatched
    if material.kind == "shape":
        body = solver.ShapeMatched("bar", vertices, skin, material, pins=pins)
    else:
        body = solver.SoftBody("bar", vertices, tetrahedra, material, pins, self_contact=False)
    settings = solver.Settings.quality("production", damping=4.0, threads=1)
    simulation = solver.Simulation(solver.Scene([body], air_density=textile.AIR), settings)
    for _ in range(BAR_FRAMES):
        hung = simulation.advance_frame().positions["bar"]
    return np.asarray(hung, float), skin


def loop(material: solver.Material) -> tuple[Array, Array]:
    """The rope that hangs: vertices [m] and triangles of its surface, twice as thick, and at least 16 mm."""
    along = np.linspace(0, 1, ROPE_SEGMENTS + 1)[:, None]
    slack = 4 * along * (1 - along) * [0.0, 0.0, -0.26]
    x = along * [ROPE_SPAN, 0, 0] - [ROPE_SPAN / 2, 0, 0] + slack
    edges = np.stack([np.arange(ROPE_SEGMENTS), np.arange(1, ROPE_SEGMENTS + 1)], 1)
    pins = solver.Pins([0, ROPE_SEGMENTS])
    body = solver.Rope("rope", x, edges, material.thickness / 2, material, pins, self_contact=False)
    simulation = solver.Simulation(solver.Scene([body]), solver.Settings.quality("production", damping=6.0, threads=1))
    for _ in range(FRAMES):
        hung = np.asarray(simulation.advance_frame().positions["rope"], float)
    radius, sides = max(material.thickness, 0.008), 16
    tangent = np.gradient(hung, axis=0)
    across = np.cross(tangent, [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across, axis=1)[:, None]
    turn = 2 * np.pi * np.arange(sides) / sides
    rings = np.cos(turn)[:, None] * across[:, None] + np.sin(turn)[:, None] * np.array([0.0, 1.0, 0.0])
    first = (np.arange(ROPE_SEGMENTS)[:, None] * sides + np.arange(sides)).ravel()
    beside = (np.arange(ROPE_SEGMENTS)[:, None] * sides + (np.arange(sides) + 1) % sides).ravel()
    triangles = [np.stack([first, beside, first + sides], 1), np.stack([beside, beside + sides, first + sides], 1)]
    return (hung[:, None] + radius * rings).reshape(-1, 3), np.concatenate(triangles)


def picture(preset: Preset) -> float | None:
    """Write the picture; the drape coefficient of a fabric."""
    material = read_preset(preset.path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene: Any = bpy.context.scene
    stage.look(scene)
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.world.color = GROUND
    scene.display.render_aa = "16"
    coefficient, colour = None, COLOURS.get(preset.path.stem) or COLOURS.get(preset.category) or PLAIN
    cloth = stage.material(preset.name, colour, 0.5)
    if preset.kind == "fabric":
        x, triangles, coefficient = draped(material)
        _cylinder(scene, textile.SUPPORT + 0.006, 0.003, 0.0015, cloth)
        _cylinder(scene, 0.012, 0.2, -0.01, stage.material("Support", stage.FLOOR))
        stage.camera(scene, (0.0, -0.66, 0.26), (0.0, 0.0, -0.032), lens=80)
    elif preset.kind == "rope":
        x, triangles = loop(material)
        stage.camera(scene, (0.0, -1.2, -0.05), (0.0, 0.0, -0.13), lens=125)
    else:
        x, triangles = bar(material)
        stage.camera(scene, (0.28, -0.7, 0.16), (0.095, 0.0, -0.08), lens=72)
        _block(scene)
    ob = _object(scene, preset, x, triangles, cloth)
    if preset.kind == "fabric":
        ob.modifiers.new("Subdivision", "SUBSURF").render_levels = 2
        solid = ob.modifiers.new("Solidify", "SOLIDIFY")
        solid.thickness = THICKER * material.thickness
    _render(scene, OUT / f"{preset.path.stem}.jpg")
    return coefficient


def _object(scene: Any, preset: Preset, x: Array, triangles: Array, material: Any) -> Any:
    mesh = bpy.data.meshes.new(preset.name)
    mesh.from_pydata(x.tolist(), [], triangles.tolist())
    mesh.shade_flat() if preset.kind == "solid" else mesh.shade_smooth()
    mesh.materials.append(material)
    return stage.add(scene, preset.name, mesh)


def _cylinder(scene: Any, radius: float, height: float, top: float, material: Any) -> None:
    bpy.ops.mesh.primitive_cylinder_add(vertices=64, radius=radius, depth=height, location=(0, 0, top - height / 2))
    bpy.context.object.data.materials.append(material)
    bpy.ops.object.shade_smooth_by_angle() if radius > height else None


def _block(scene: Any) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(-0.02, 0, -0.02), scale=(0.04, 0.07, 0.07))
    bpy.context.object.data.materials.append(stage.material("Support", stage.FLOOR))


def _render(scene: Any, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    scene.render.image_settings.file_format = "JPEG"
    for quality in QUALITIES:
        scene.render.image_settings.quality = quality
        with tempfile.TemporaryDirectory() as folder:
            scene.render.filepath = str(Path(folder) / "picture.jpg")
            bpy.ops.render.render(write_still=True)
            image = Path(scene.render.filepath).read_bytes()
        if len(image) <= LARGEST:
            path.write_bytes(image)
            return
    raise ValueError(f"{path}: {len(image)} bytes; wanted {LARGEST} at most.")


def main(names: list[str]) -> None:
    drapes = tomllib.loads(DRAPES.read_text(encoding="utf-8")) if DRAPES.exists() else {}
    for preset in list_presets():
        if names and preset.path.stem not in names:
            continue
        coefficient = picture(preset)
        if coefficient is not None:
            drapes[preset.path.stem] = round(coefficient, 3)
        print(f"{preset.path.stem}: {coefficient}", flush=True)
        lines = [f"{name} = {value}\n" for name, value in sorted(drapes.items())]
        how = f"{1e3 * EDGE:g} mm, Production, {FRAMES} frames"
        about = f"# Drape coefficients [1] as tools/preset_pictures.py measures them: {how}.\n"
        DRAPES.write_text(about + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
