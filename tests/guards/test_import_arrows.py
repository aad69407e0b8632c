"""Imports point one way; docs/reference/architecture.md says why."""

from __future__ import annotations

import pytest

from tests.guards import sources

#: Rooms of a package, top first: a file imports from its own room and from those in lines below; rooms of a line know
#: nothing of one another. Only `__init__` of the package stands above all.
LAYERS = {
    "solver": (
        ("session", "yarn"),
        ("settle",),
        ("simulation",),
        ("stepping",),
        ("report",),
        ("global_step",),
        ("methods", "contact"),
        ("linalg", "model"),
        ("energies",),
        ("elements", "topology"),
        ("mathlib", "scene", "cache"),
        ("paths", "steering"),
        ("device",),
        ("errors", "counted", "json_value"),
    ),
    "gpbd_addon": (
        ("__main__",),
        ("command_line", "handlers"),
        ("ui",),
        ("operators",),
        ("maps", "convert", "live"),
        ("bake",),
        ("simulation_mesh",),
        ("read",),
        ("properties",),
        ("user_folder",),
        ("body_kinds", "messages", "picture_file"),
        ("translations",),
        ("identifiers",),
    ),
    "solver/contact": (
        ("setup", "gpu"),
        ("contact",),
        ("device_exchange",),
        ("results", "forces"),
        ("intersections", "statistics"),
        ("constraints",),
        ("ccd",),
        ("broad_phase",),
        ("narrow_phase", "surfaces"),
    ),
}
SOLVER = sources.files("solver")
ADDON = sources.files("gpbd_addon")
TESTS = [path for path in sources.files("tests") if path.name not in ("test_benchmarks.py", "test_gpu_check.py")]


def room(module: str, package: str) -> str | None:
    """'energies' for 'solver.energies.discrete_shell' in 'solver'; None outside the package, and for the package itself."""
    own, names = package.split("/"), module.split(".")
    return names[len(own)] if names[: len(own)] == own and len(names) > len(own) else None


def module_of(path) -> str:
    return ".".join(path.relative_to(sources.ROOT).with_suffix("").parts)


def test_the_solver_imports_neither_blender_nor_the_add_on():
    assert not [
        f"{sources.name(path)}, line {line}: {module}"
        for path in SOLVER
        for line, module in sources.imports(path)
        if module.split(".")[0] in ("bpy", "bmesh", "mathutils", "gpbd_addon", "gpbd")
    ]


def test_the_add_on_imports_by_relative_names_only():
    """Inside Blender the root package is bl_ext.<repository>.gpbd, so absolute names of our own do not exist there."""
    own = {"gpbd", "gpbd_addon", "solver"}
    assert not [
        f"{sources.name(path)}, line {n}: {line}"
        for path in ADDON
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.strip().startswith(("import ", "from ")) and line.split()[1].split(".")[0] in own
    ]


def test_tests_import_no_benchmark():
    """What tests and benchmarks share stands in tests/scenes; text counts too, for code that a test gives to a process."""
    assert not [
        f"{sources.name(path)}, line {n}"
        for path in TESTS
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.strip().startswith(("from benchmarks", "import benchmarks"))
    ]


@pytest.mark.parametrize("package", LAYERS)
def test_every_room_has_its_layer_and_imports_point_down(package):
    level = {name: number for number, names in enumerate(LAYERS[package]) for name in names}
    wrong = []
    for path in sources.files(package):
        own = room(module_of(path), package)
        if own == "__init__":
            continue
        if own not in level:
            wrong.append(f"{sources.name(path)}: say in LAYERS where '{own}' belongs")
            continue
        for line, module in sources.imports(path):
            target = room(module, package)
            if target not in (None, own) and level.get(target, -1) <= level[own]:
                wrong.append(f"{sources.name(path)}, line {line}: {module}")
    assert not wrong


@pytest.mark.parametrize("package", ["solver", "gpbd_addon"])
def test_no_files_import_each_other_in_a_circle(package):
    arrows = {}
    for path in sources.files(package):
        module = module_of(path).removesuffix(".__init__")
        arrows[module] = {target for _, target in sources.imports(path) if target != module}
    done: set[str] = set()

    def follow(module: str, way: tuple[str, ...]) -> tuple[str, ...]:
        if module in way:
            return (*way[way.index(module) :], module)
        if module in done or module not in arrows:
            return ()
        for target in sorted(arrows[module]):
            if circle := follow(target, (*way, module)):
                return circle
        done.add(module)
        return ()

    for module in arrows:
        assert not (circle := follow(module, ())), " -> ".join(circle)


@pytest.mark.parametrize("package", ["solver", "gpbd_addon"])
def test_nothing_is_tied_to_nothing(package):
    """Every file is imported by another, found by its folder (energies), by its name, or is where a user begins."""
    begins = {"solver", "solver.settle", "gpbd_addon", "gpbd_addon.__main__", "solver.yarn.__main__"}
    found = {f"solver.methods.{name}" for name in ("gpbd", "gpbd_jacobi", "xpbd", "pbd", "pbng", "newton")}
    found |= {f"solver.model.bodies.{kind}" for kind in ("cloth", "soft_body", "rigid", "rope", "shape_matched")}
    paths = sources.files("solver", "gpbd_addon")
    imported = {module for path in paths for _, module in sources.imports(path)}
    modules = [module_of(p) for p in sources.files(package) if p.name != "__init__.py" and p.parent.name != "energies"]
    assert not [m for m in modules if m not in imported | begins | found]


def test_energies_do_not_import_one_another():
    paths = sources.files("solver/energies")
    siblings = {f"solver.energies.{path.stem}" for path in paths if not path.stem.startswith("_")}
    assert not [(sources.name(path), name) for path in paths for _, name in sources.imports(path) if name in siblings]
