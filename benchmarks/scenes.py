"""Lists the scenes without contact, which most benchmarks measure: `python -m benchmarks.scenes`."""

from __future__ import annotations

from benchmarks import machine
from tests.scenes.without_contact import SCENES


def main() -> None:
    rows = []
    for name, make in SCENES.items():
        scene = make()
        noun = "triangles" if scene.elements.shape[1] == 3 else "tetrahedra"
        rows.append([name, str(len(scene.start)), f"{len(scene.elements)} {noun}", str(len(scene.pins)), str(scene.frames)])
    print(machine.table(["scene", "vertices", "elements", "pins", "frames"], rows))


if __name__ == "__main__":
    main()
