"""Settings by path hold for one bake, within their ranges, and leave the scene as it was."""

import pytest

from tests.gpbd_addon import scenes


@pytest.fixture
def overrides(blender):
    from gpbd.gpbd_addon.command_line import overrides

    scenes.cloth(blender)
    scenes.soft(blender, "Jelly.001", location=(3, 0, 1))
    return overrides


def applied(overrides, blender, *texts):
    from gpbd.gpbd_addon.command_line import arguments

    return overrides.applied(blender.context.scene, [arguments.override(text) for text in texts])


def settings(blender):
    from gpbd.gpbd_addon.command_line import overrides

    scene = blender.context.scene
    groups = [scene.gpbd, *(ob.gpbd for ob in scene.objects)]
    return [(name, overrides._value(group, name)) for own in groups for group, name in overrides._settings(own)]


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("scene.substeps", "11", 11),
        ("scene.quality", "draft", "DRAFT"),
        ("scene.sleep", "off", False),
        ("scene.wind", "1,-2,0.5", (1.0, -2.0, 0.5)),
        ("scene.integrator", "bdf1", "BDF1"),
        ("Flag.friction", "0.25", 0.25),
        ("Flag.discrete_shell.bending_warp", "0.5", 0.5),
        ("Jelly.001.tet_resolution", "0.25", 0.25),
        ("*.self_contact", "true", True),
        ("Flag.preset", "denim", "Denim"),
    ],
)
def test_a_setting_holds_inside_and_is_as_before_afterwards(overrides, blender, path, text, value):
    """Values are exact in single precision."""
    before = settings(blender)
    owner, _, name = path.rpartition(".")
    with applied(overrides, blender, f"{path}={text}"):
        bodies = {ob.name: ob.gpbd for ob in blender.context.scene.objects}
        group = {"scene": blender.context.scene.gpbd, "*": bodies["Flag"], **bodies}.get(owner)
        group = group if group is not None else bodies["Flag"].discrete_shell
        found = getattr(group, name)
        assert (tuple(found) if isinstance(value, tuple) else found) == value or str(found).startswith(str(value))
        assert settings(blender) != before
    assert settings(blender) == before


def test_a_later_setting_wins_and_a_wrong_one_undoes_those_before(overrides, blender):
    from gpbd.solver.errors import SceneError

    before = settings(blender)
    with applied(overrides, blender, "scene.quality=REFERENCE", "scene.iterations=9"):
        own = blender.context.scene.gpbd
        assert (own.substeps, own.iterations, own.quality) == (80, 9, "CUSTOM")
    with (
        pytest.raises(SceneError, match="no whole number"),
        applied(overrides, blender, "scene.substeps=9", "scene.iterations=x"),
    ):
        pass
    assert settings(blender) == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scene.substeps=0", "outside its range; wanted 1 to 1000"),
        ("scene.substeps=1e3", "no whole number"),
        ("scene.drag=nan", "no finite number"),
        ("scene.drag=1e9", "outside its range"),
        ("scene.wind=1,2", "2 numbers; wanted 3"),
        ("scene.quality=best", "no choice; wanted one of interactive, draft"),
        ("scene.device=GPU", "no choice; wanted one of cpu, cuda, auto"),
        ("scene.sleep=maybe", "neither true nor false"),
        ("scene.subteps=3", "there is no 'subteps'; wanted one of substeps"),
        ("scene.cache_folder=/tmp", "there is no 'cache_folder'"),
        ("Flag.uuid=0", "there is no 'uuid'"),
        ("Flag.discrete_shell=1", "there is no 'discrete_shell'"),
        ("Flag.friction.x=1", "there is no 'friction.x'"),
        ("Flag=1", "begins with nothing that has settings"),
        ("Nobody.friction=1", r"wanted one of scene\., \*\., Flag\., Jelly\.001\."),
        ("Flag.preset=moonsilk", "no preset has this name"),
        ("Flag.preset=/no/such.toml", "cannot be read"),
        ("Jelly.001.preset=denim", "wanted a solid"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_is_wanted(overrides, blender, text, message):
    from gpbd.solver.errors import GpbdError

    before = settings(blender)
    with pytest.raises(GpbdError, match=message), applied(overrides, blender, text):
        pass
    assert settings(blender) == before
