"""Every fabric preset in a textile laboratory, beside published measurements: `python -m benchmarks.fabrics denim silk`.

Cantilever (ASTM D1388), Cusick's drapemeter (30 cm over 18 cm), stretch and shear between jaws (`tests/scenes/textile.py`),
with the panel's air. The drape coefficient is the mean of some starts on the finest mesh, in *Production* with enough
iterations of *Keep Length* for convergence: it is the fabric's. Beside it are those of coarser meshes, and that of
*Production* with its own iterations after the same time. A value outside its range has an x.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks import machine
from solver.scene import presets
from solver.scene.targets import Target
from tests.scenes import textile

FABRICS = machine.ROOT / "presets" / "fabrics"
FIELDS = (
    "fabric",
    "grade",
    "g/m^2",
    "bending length [mm]",
    "drape coefficient [%]",
    "coarser",
    "nodes",
    "Production",
    "stretch [N/m]",
    "shear [N/m]",
    "targets met",
)


def cell(value: float, target: Target | None, unit: float = 1.0) -> str:
    """A measured value with the range that was published, in a unit of which so many are one of the target's."""
    text = f"{unit * value:.3g}"
    if target is None:
        return text
    sign = "" if target.holds(value) else " x"
    return f"{text}{sign} ({unit * target.low:.3g} to {unit * target.high:.3g})"


def row(path: Path, edges: list[float], starts: int, mesh: str) -> list[str]:
    material, targets = presets.read_preset(path), presets.read_targets(path)
    moduli = textile.moduli(material)
    lengths = [textile.bending_length(material, weft) for weft in (False, True)]
    enough = {"global_iterations": textile.CONVERGED}
    drapes = [[textile.drape(material, edge, start, mesh, **enough) for start in range(starts)] for edge in sorted(edges)]
    usual = textile.drape(material, min(edges), 0, mesh, drapes[0][0].frames)
    coefficients = [float(np.mean([drape.coefficient for drape in of_edge])) for of_edge in drapes]
    values = {
        "density": material.density,
        "bending_length": float(np.sqrt(np.prod(lengths))),
        "drape_coefficient": coefficients[0],
        "stretch": moduli.stretch,
        "shear": moduli.shear,
    }
    units = {"density": 1e3, "bending_length": 1e3, "drape_coefficient": 1e2}
    cells = {name: cell(value, targets.get(name), units.get(name, 1.0)) for name, value in values.items()}
    met = sum(target.holds(values[name]) for name, target in targets.items())
    return [
        path.stem,
        material.grade,
        cells["density"],
        cells["bending_length"],
        cells["drape_coefficient"],
        " ".join(f"{100 * value:.0f}" for value in coefficients[1:]),
        "/".join(str(drape.nodes) for drape in drapes[0]),
        f"{100 * usual.coefficient:.3g}",
        cells["stretch"],
        cells["shear"],
        f"{met} of {len(targets)}",
    ]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="fabrics", description=__doc__.splitlines()[0])
    parser.add_argument("fabrics", nargs="*", help="file names of presets; all if none is given")
    parser.add_argument("--edges", type=float, nargs="+", default=[8.0], help="of the drape's meshes [mm]")
    parser.add_argument("--starts", type=int, default=1, help="specimens of each fabric in the drapemeter")
    parser.add_argument("--mesh", choices=sorted(textile.MESHES), default="rings", help="of the specimens in the drapemeter")
    options = parser.parse_args(argv)
    names = options.fabrics or sorted(path.stem for path in FABRICS.glob("*.toml"))
    with machine.measuring():
        edges = [1e-3 * edge for edge in options.edges]
        rows = []
        for name in names:
            rows.append(row(FABRICS / f"{name}.toml", edges, options.starts, options.mesh))
            print(" | ".join(rows[-1]), flush=True)
        print("\n" + machine.table(FIELDS, rows))


if __name__ == "__main__":
    main()
