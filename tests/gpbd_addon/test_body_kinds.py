"""Table of body kinds: every kind has all that the rest of the add-on requires."""

import re

import pytest

from solver.scene.material import KINDS
from solver.scene.presets import load_material
from tests.gpbd_addon import scenes
from tests.guards import sources

#: Files that may name a kind: the table, and how its mesh becomes the solver's body.
#: The last two name Blender's own modifiers.
FILES = {
    "gpbd_addon/body_kinds.py", "gpbd_addon/read/body_input.py", "gpbd_addon/bake/scene_findings.py",
    "gpbd_addon/simulation_mesh/source.py",
}  # fmt: skip


def test_every_kind_has_all_that_the_add_on_asks_of_it(blender):
    from gpbd.gpbd_addon.body_kinds import BODY_KINDS
    from gpbd.gpbd_addon.properties import energy_choices

    ob = scenes.grid(blender)
    properties = ob.gpbd.bl_rna.properties
    icons = blender.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items
    assert ["NONE", *BODY_KINDS] == [item.identifier for item in properties["body_type"].enum_items]
    assert len({kind.label for kind in BODY_KINDS.values()}) == len(BODY_KINDS)
    for name, kind in BODY_KINDS.items():
        assert kind.icon in icons
        assert set(kind.rows) | set(kind.collision_rows) <= set(properties.keys())
        assert (kind.material is None) == (kind.preset is None)
        if kind.preset is not None:
            assert kind.material in KINDS and kind.material in energy_choices.PLACES
            assert load_material(kind.preset).kind == kind.material
            assert energy_choices.possible(name)


@pytest.mark.parametrize("body_type", ["CLOTH", "SOFT_BODY", "RIGID", "ROPE", "SHAPE"])
def test_every_kind_can_be_added_and_read(body_type, blender):
    from gpbd.gpbd_addon.body_kinds import BODY_KINDS
    from gpbd.gpbd_addon.read import body_reading

    ob = scenes.edges(blender) if BODY_KINDS[body_type].line else scenes.cube(blender)
    ob.gpbd.tet_method = "LATTICE"
    ob.gpbd.tet_resolution = 0.3
    blender.context.view_layer.objects.active = ob
    blender.ops.gpbd.add_body(body_type=body_type)
    found = body_reading.read(ob, blender.context.evaluated_depsgraph_get(), 1.0)
    assert found.kind == body_type and found.identity()
    assert found.build().name == ob.name
    assert ob.modifiers[0].name == BODY_KINDS[body_type].label


def test_no_other_file_names_a_kind():
    names = re.compile(r"[\"'](CLOTH|SOFT_BODY|RIGID|ROPE|SHAPE)[\"']")
    naming = {sources.name(path) for path in sources.files("gpbd_addon") if names.search(path.read_text(encoding="utf-8"))}
    assert naming == FILES
