"""Panel Simulation and the solver: its settings, and energies that its method may lack."""

from dataclasses import fields

import pytest

from solver.scene import Settings
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake
from tests.gpbd_addon.ui.test_panels import draw

#: Field of Settings -> method, property of the scene that sets it and a value that is not the default.
SHOWN = {
    "substeps": ("gpbd", "substeps", 7),
    "iterations": ("gpbd", "iterations", 3),
    "local_iterations": ("gpbd", "local_iterations", 2),
    "method": ("pbng", "method", "PBNG"),
    "threads": ("gpbd", "threads", 2),
    "device": ("gpbd", "device", "CUDA"),
    "error_tolerance": ("gpbd", "error_tolerance", 0.1),
    "global_iterations": ("gpbd", "global_iterations", 9),
    "integrator": ("gpbd", "integrator", "BDF1"),
    "quasi_static": ("newton", "quasi_static", True),
    "sleep": ("gpbd", "sleep", False),
    "relaxation": ("pbng", "relaxation", 1.7),
    "chebyshev": ("pbng", "chebyshev", 0.9),
    "samples": ("gpbd", "samples", 4),
}
#: Shown in millimetres.
LENGTHS = ("error_tolerance",)
#: Why the others have no property.
NOT_SHOWN = {
    "fps": "the scene's own frame rate",
    "dtype": "single precision is what caches keep",
    "reprojection": "the default is the best in all scenes measured; a share for research",
    "warm_start": "sheets blow up with it",
    "tolerance": "a share of a force, which says nothing of where vertices are; `error_tolerance` does",
    "damping": "drag of the air and damping of materials do it in real units",
}


@pytest.fixture
def world(blender):
    return blender.context.scene.gpbd


def settings_of(blender):
    from gpbd.gpbd_addon.read import scene_input

    return scene_input.settings_of(blender.context.scene)


def test_every_setting_of_the_solver_is_shown_or_left_out_for_a_reason():
    assert {field.name for field in fields(Settings)} == SHOWN.keys() | NOT_SHOWN.keys()
    assert not SHOWN.keys() & NOT_SHOWN.keys()


@pytest.mark.parametrize("name", SHOWN)
def test_a_setting_of_the_panel_reaches_the_solver(blender, world, name):
    method, prop, value = SHOWN[name]
    world.method = method.upper()
    assert getattr(settings_of(blender), name) != value or name == "method"
    setattr(world, prop, value)
    wanted = value.lower() if isinstance(value, str) else 1e-3 * value if name in LENGTHS else value
    assert getattr(settings_of(blender), name) == wanted
    drawn = [
        what for kind, what in draw(blender, scenes.cloth(blender), "PHYSICS_PT_gpbd_simulation").drawn if kind == "prop"
    ]
    assert drawn.count(prop) == 1


@pytest.mark.parametrize("method", ["gpbd", "gpbd_jacobi", "xpbd", "pbd", "pbng", "newton"])
def test_a_setting_of_another_method_is_neither_shown_nor_passed_on(blender, world, method):
    """Keep Length of GPBD would be refused by XPBD, by the name of a setting that is not in the panel."""
    from gpbd.gpbd_addon.properties.method_settings import USED_BY

    world.method = method.upper()
    for name in USED_BY:
        setattr(world, name, SHOWN[name][2] if name != "chebyshev" else 0.0)  # refused beside a relaxation
    settings = settings_of(blender)
    drawn = {what for _, what in draw(blender, scenes.cloth(blender), "PHYSICS_PT_gpbd_simulation").drawn}
    for name, methods in USED_BY.items():
        assert (name in drawn) == (method in methods), name
        assert method in methods or getattr(settings, name) == getattr(Settings(method=method), name), name


PAIRS = [
    ("XPBD", "CLOTH", "stiffening_membrane"),
    ("PBD", "CLOTH", "stiffening_membrane"),
    ("XPBD", "SOFT_BODY", "neo_hookean"),
]


@pytest.mark.parametrize(("method", "body_type", "energy"), PAIRS)
def test_an_energy_that_the_method_lacks_is_named_by_the_check_and_by_the_bake(
    blender, world, tmp_path, method, body_type, energy
):
    from gpbd.solver.errors import SceneError

    ob = scenes.cloth(blender) if body_type == "CLOTH" else scenes.soft(blender)
    setattr(ob.gpbd, "stretch_model" if body_type == "CLOTH" else "solid_model", energy)
    world.method = method
    problems = [text for text in scenes.check(blender) if energy in text]
    assert len(problems) == 1
    for wanted in (ob.name, f"'{energy}'", f"method '{method.lower()}'", "gpbd"):
        assert wanted in problems[0]
    with pytest.raises(SceneError) as caught:
        bake(blender, out=str(tmp_path))
    assert str(caught.value) == problems[0]
    assert not list(tmp_path.glob("*.pc2"))
    blender.context.view_layer.objects.active = ob
    with pytest.raises(RuntimeError, match=f"'{energy}', which does not exist for method '{method.lower()}'"):
        blender.ops.gpbd.bake()
    world.method = "GPBD"
    assert not [text for text in scenes.check(blender) if energy in text]


def test_settings_that_exclude_one_another_are_named_once_by_the_check(blender, world):
    for name in ("A", "B"):
        scenes.cloth(blender, name)
    world.method, world.relaxation, world.chebyshev = "PBNG", 1.5, 0.5
    problems = scenes.check(blender)
    assert len([text for text in problems if "chebyshev" in text]) == 1
