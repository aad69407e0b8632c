"""Imports point one way; docs/architecture.md says why."""

from __future__ import annotations

import pytest

from tests.guards import sources

#: Layers of the solver, top first. A file imports from its own layer and from those below.
LAYERS = (
    ("settle",),
    ("simulation",),
    ("pace",),
    ("step", "build", "diagnostics", "frames", "checkpoint"),
    ("residual",),
    ("methods", "air", "ties"),
    ("energies", "element_loops", "contact", "integrate"),
    ("elements",),
    ("carried",),
    ("model", "state", "rigid_motion", "topology", "materials"),
    ("scene", "collider", "checks", "settings", "motion", "method_choices"),
    ("mathlib", "device", "catalog", "textile_units", "errors"),
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
SOLVER = sources.files("solver")
ADDON = sources.files("gpbd_addon")


def part_of(module: str) -> str | None:
    """'energies' for 'solver.energies.discrete_shell'; None for what is not in the solver, and for the package itself."""
    names = module.split(".")
    return names[1] if names[0] == "solver" and len(names) > 1 else None


def module_of(path) -> str:
    return ".".join(path.relative_to(sources.ROOT).with_suffix("").parts)


@pytest.mark.parametrize("path", SOLVER, ids=sources.name)
def test_the_solver_imports_neither_blender_nor_the_add_on(path):
    wrong = [
        f"line {line}: {module}"
        for line, module in sources.imports(path)
        if module.split(".")[0] in ("bpy", "bmesh", "mathutils", "gpbd_addon", "gpbd")
    ]
    assert not wrong


@pytest.mark.parametrize("path", ADDON, ids=sources.name)
def test_the_add_on_imports_by_relative_names_only(path):
    """Inside Blender the root package is bl_ext.<repository>.gpbd, so absolute names of our own do not exist there."""
    own = {"gpbd", "gpbd_addon", "solver"}
    text = path.read_text(encoding="utf-8")
    wrong = [
        line
        for n, line in enumerate(text.splitlines(), 1)
        if line.strip().startswith(("import ", "from ")) and line.split()[1].split(".")[0] in own
    ]
    assert not wrong


@pytest.mark.parametrize("path", [p for p in SOLVER if p.name != "__init__.py"], ids=sources.name)
def test_every_solver_file_has_a_layer(path):
    assert part_of(module_of(path)) in LEVEL, f"say in LAYERS where {sources.name(path)} belongs"


@pytest.mark.parametrize(
    "path", [p for p in SOLVER if p.parent != sources.ROOT / "solver" or p.name != "__init__.py"], ids=sources.name
)
def test_solver_imports_point_down(path):
    own = part_of(module_of(path))
    wrong = [
        f"line {line}: {module}"
        for line, module in sources.imports(path)
        if (target := part_of(module)) is not None and target != own and LEVEL.get(target, -1) < LEVEL.get(own, 99)
    ]
    assert not wrong


@pytest.mark.parametrize("path", sources.files("solver/energies"), ids=sources.name)
def test_energies_do_not_import_one_another(path):
    siblings = {f"solver.energies.{p.stem}" for p in sources.files("solver/energies") if not p.stem.startswith("_")}
    assert not [module for _, module in sources.imports(path) if module in siblings]
