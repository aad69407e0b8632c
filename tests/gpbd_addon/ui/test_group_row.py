"""Fields of weights suggest vertex groups and attributes, and are red where there are no such weights."""

from types import SimpleNamespace

import pytest


class Row:
    alert = False

    def column(self, align=False):
        return self

    def prop(self, settings, name, icon="NONE"):
        assert name in settings.bl_rna.properties


@pytest.fixture
def rope(blender):
    """A rope whose pinned ends are an attribute that Geometry Nodes make."""
    blender.ops.curve.primitive_bezier_curve_add()
    blender.ops.gpbd.rope_from_curve()
    blender.context.view_layer.update()
    return blender.context.object


@pytest.mark.parametrize(("group", "is_red"), [("", False), ("pinned_ends", False), ("painted", False), ("gone", True)])
def test_only_a_name_without_weights_is_red(blender, rope, group, is_red):
    from gpbd.gpbd_addon.ui.group_row import draw_group

    rope.vertex_groups.new(name="painted")
    rope.gpbd.pin_group = group
    row = Row()
    draw_group(row, SimpleNamespace(view_layer=blender.context.view_layer), rope.gpbd, "pin_group")
    assert row.alert == is_red


def test_groups_and_float_attributes_of_the_points_are_suggested(blender, rope):
    from gpbd.gpbd_addon.properties.group_names import suggested

    rope.vertex_groups.new(name="painted")
    rope.data.attributes.new("of_edges", "FLOAT", "EDGE")
    rope.data.attributes.new("number", "INT", "POINT")
    blender.context.view_layer.update()
    assert suggested(rope.gpbd, blender.context, "") == ["painted", "rope_radius", "pinned_ends"]
    assert suggested(rope.gpbd.maps, blender.context, "")[0] == "painted"
