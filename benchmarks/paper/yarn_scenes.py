"""The paper's scenes of fabrics made of yarns, with the fabrics of this project; `yarn_table.py` runs them.

Squares of 0.3 m. Drape: two corners pinned, a sphere of 3 cm under the middle; along X or Y is the side that hangs free.
Stretch: two bars are drawn apart along X or Y. Trampoline: four corners pinned, a ball of 10 g falls on it. Flag: a side
pinned, wind of 6 m/s. Small: the drape at a tenth of its size. Vest: two panels of stockinette, sewn at shoulders and sides,
on a chest that breathes, leans and turns.
Sizes, pins and sphere: Sperl, Narain, Wojtan 2020, where the paper takes its scenes from; bars, ball and wind: ours.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from solver import Cloth, Collider, Material, Pins, Rigid, Scene, Sewing, load_material
from solver.scene.published_fabric import read_published
from tests.scenes.meshes import ball, capped_tube, rectangle

Array = np.ndarray

SIDE = 0.3
FABRICS = ("satin_5", "basket_2x2", "rib_1x1", "slip_stitch_honeycomb", "stockinette")
#: Seconds until the bars of Stretch reach their place, and their displacement as a share of the length between them: within
#: a fabric's data; of published ones as in their papers.
DRAWN_IN = 0.25
PULL = {
    "satin_5": 0.015, "basket_2x2": 0.03, "rib_1x1": 0.3, "slip_stitch_honeycomb": 0.25, "stockinette": 0.2,
    "satin1": 0.2, "basket1": 0.2, "rib1": 0.39, "honey1": 0.59, "stock1": 0.34,
}  # fmt: skip
WIND = (6.0, 0.0, 0.0)


def flat(n: int, side: float = SIDE) -> tuple[Array, Array]:
    """A square around the origin, diagonals parallel: vertices (m, 3) and triangles."""
    x, t = rectangle((n, n), (side, side))
    middle = x[:, :2].mean(0)
    return np.column_stack([x[:, :2] - middle, np.zeros(len(x))]), t


def material_of(fabric: str) -> Material:
    """Return a preset, or the material of a published FILE.json, which is no part of the project."""
    return read_published(fabric) if fabric.endswith(".json") else load_material(fabric)


def sheet(material: Material, n: int, pins: Pins | None, x: Array, t: Array, uv: Array, **more: object) -> Cloth:
    return Cloth("sheet", x, t, material, pins, uv=uv, **more)


def drape(fabric: str, n: int, way: str, scale: float = 1.0) -> Scene:
    x, t = flat(n, SIDE * scale)
    a = "XY".index(way)
    reach = 0.1 * scale
    corners = np.array([[-reach, -reach], [-reach, reach]] if a == 0 else [[-reach, reach], [reach, reach]])
    near = np.linalg.norm(x[:, None, :2] - corners, axis=2).min(1)
    held = np.flatnonzero(near < max(0.01 * scale, 0.75 * SIDE * scale / n))
    sphere, faces = ball(3, 0.03 * scale, (0, 0, -0.04 * scale))
    cloth = sheet(material_of(fabric), n, Pins(held, 1.0), x, t, x[:, :2])
    return Scene([cloth], [Collider("sphere", sphere, faces)], air_density=1.2)


def stretch(fabric: str, n: int, way: str, drawn_in: float = DRAWN_IN) -> Scene:
    x, t = flat(n)
    a = "XY".index(way)
    inset, half, wide = 0.34 * SIDE, 0.335 * SIDE, 0.035 * SIDE
    bars = (np.abs(np.abs(x[:, a]) - inset) < max(wide, 0.51 * SIDE / n)) & (np.abs(x[:, 1 - a]) < half)
    held = np.flatnonzero(bars)

    def targets(time: float) -> Array:
        moved = x[held].copy()
        moved[:, a] += np.sign(moved[:, a]) * PULL[Path(fabric).stem] * inset * np.clip(time / drawn_in, 0, 1)
        return moved

    cloth = sheet(material_of(fabric), n, Pins(held, 1.0, targets), x, t, x[:, :2], self_contact=False)
    return Scene([cloth], gravity=(0, 0, 0), air_density=1.2)


def trampoline(fabric: str, n: int) -> Scene:
    x, t = flat(n)
    held = np.flatnonzero(np.abs(x[:, :2]).min(1) > SIDE / 2 - max(0.01, 0.51 * SIDE / n))
    shape, faces = ball(2, 0.03, (0, 0, 0.06))
    thrown = Rigid("ball", shape, faces, mass=0.01, velocity=(0, 0, -1.0))
    return Scene([sheet(material_of(fabric), n, Pins(held, 1.0), x, t, x[:, :2]), thrown], air_density=1.2)


def flag(fabric: str, n: int) -> Scene:
    x, t = flat(n)
    held = np.flatnonzero(x[:, 0] < -SIDE / 2 + 1e-6)
    upright = np.stack([x[:, 0], 1e-4 * np.sin(40 * x[:, 0]), x[:, 1]], 1)
    held = held[np.abs(upright[held, 2]) > SIDE / 2 - 0.02]
    return Scene([sheet(material_of(fabric), n, Pins(held, 1.0), upright, t, x[:, :2])], wind=WIND)


def small(fabric: str, n: int) -> Scene:
    return drape(fabric, n, "X", 0.1)


#: Of the chest: half its width and depth, height of the shoulders and of the hem [m].
CHEST, TOP, HEM = (0.17, 0.115), 0.5, 0.05


def chest(time: float) -> Array:
    """Vertices of the chest: it breathes, leans to the side and turns."""
    x, _ = capped_tube(40, 20, 1.0, TOP)
    share = x[:, 2:] / TOP
    width = 1.0 - 0.75 * np.clip((share - 0.85) / 0.15, 0, 1) ** 2  # the shoulders
    breath = 1.0 + 0.04 * np.sin(2 * np.pi * time) * share
    placed = np.column_stack([x[:, :2] * CHEST * width * breath, x[:, 2]])
    lean, turn = (0.25 * np.sin(np.pi * time) * share[:, 0], 0.6 * np.sin(1.5 * np.pi * time) * share[:, 0])
    c, s = np.cos(turn), np.sin(turn)
    placed[:, :2] = np.stack([c * placed[:, 0] - s * placed[:, 1], s * placed[:, 0] + c * placed[:, 1]], 1)
    placed[:, 0] += TOP * lean * share[:, 0]
    return placed


def vest(fabric: str, n: int) -> Scene:
    """n: quads across a panel."""
    width, height = 2 * CHEST[0] + 0.1, TOP - HEM + 0.06
    rows = round(n * height / width)
    plan, t = rectangle((n, rows), (width, height))
    u, v = plan[:, 0] - width / 2, plan[:, 1]
    away = CHEST[1] + 0.03
    panel = np.stack([u, np.full(len(u), -away), v + HEM], 1)
    x = np.concatenate([panel, panel * [1, -1, 1]])
    side = (np.abs(u) > width / 2 - 1e-6) & (v < 0.68 * height)
    shoulder = (v > height - 1e-6) & (np.abs(u) > 0.26 * width)
    sewn = np.flatnonzero(side | shoulder)
    uv = np.tile(np.column_stack([u, v]), (2, 1))
    cloth = Cloth(
        "vest", x, np.concatenate([t, t[:, ::-1] + len(u)]), material_of(fabric), uv=uv,
        sewing=Sewing(np.stack([sewn, sewn + len(u)], 1)),
    )  # fmt: skip
    _, faces = capped_tube(40, 20, 1.0, TOP)
    return Scene([cloth], [Collider("chest", lambda time: chest(max(time - 0.5, 0.0)), faces, side="outside")])


#: By name, with the number of quads along a side.
SCENES: dict[str, Callable[[str, int], Scene]] = {
    "drape X": lambda fabric, n: drape(fabric, n, "X"),
    "drape Y": lambda fabric, n: drape(fabric, n, "Y"),
    "stretch X": lambda fabric, n: stretch(fabric, n, "X"),
    "stretch Y": lambda fabric, n: stretch(fabric, n, "Y"),
    "trampoline": trampoline,
    "flag": flag,
    "small": small,
    "vest": vest,
}
