"""Geometry nodes that show the edges of a rope with their radius: of Blender's own parts alone."""

from __future__ import annotations

from typing import Any

import bpy

from ..identifiers import ROPE_SURFACE
from ..read.line import RADIUS
from ..read.modifier import check_editable
from .attribute_nodes import Group, used

SIDES = 12


def show(ob: bpy.types.Object) -> None:
    """Add the modifier to a rope, after all others; it keeps to the radius of the panel, or of the mesh's attribute.

    Raises: SceneError if the object cannot be changed.
    """
    check_editable(ob)
    if ob.modifiers.get(ROPE_SURFACE) is not None:
        return
    made = ob.modifiers.new(ROPE_SURFACE, "NODES")
    made.node_group = _nodes()
    _follow(ob, made)


def _follow(ob: bpy.types.Object, made: Any) -> None:
    """Drive the input of the radius by the property of the body."""
    socket = next(item for item in made.node_group.interface.items_tree if item.name == "Radius" and item.in_out == "INPUT")
    if hasattr(made, "properties"):  # from Blender 5.2 on
        driver = getattr(made.properties.inputs, socket.identifier).driver_add("value").driver
    else:
        driver = made.driver_add(f'["{socket.identifier}"]').driver
    driver.type, driver.expression = "SCRIPTED", "radius / scale"
    for name, kind, owner, of_owner in (
        ("radius", "OBJECT", ob, "gpbd.rope_radius"),
        ("scale", "SCENE", bpy.context.scene, "unit_settings.scale_length"),
    ):
        variable = driver.variables.new()
        variable.name, variable.type = name, "SINGLE_PROP"
        target = variable.targets[0]
        target.id_type, target.id, target.data_path = kind, owner, of_owner


def _nodes() -> bpy.types.NodeTree:
    """A tube along each path of edges."""
    nodes = bpy.data.node_groups.get(ROPE_SURFACE)
    if nodes is not None:
        return nodes
    made = Group(ROPE_SURFACE, {"Radius": ("Float", True), "Sides": ("Int", True), "Material": ("Material", True)})
    made.start_with("Sides", SIDES)
    made.show_as_length("Radius")
    radius = made.add("InputNamedAttribute", data_type="FLOAT")
    radius.inputs["Name"].default_value = RADIUS
    choice = made.add("Switch", input_type="FLOAT")
    made.link(radius.outputs["Exists"], choice.inputs["Switch"])
    made.link(made.input("Radius"), used(choice.inputs, "False"))
    made.link(used(radius.outputs), used(choice.inputs, "True"))
    line = made.add("MeshToCurve")
    made.link(made.store("FLOAT", made.input("Geometry"), RADIUS, used(choice.outputs)), line.inputs[0])
    profile = made.add("CurvePrimitiveCircle")
    made.link(made.input("Sides"), profile.inputs["Resolution"])
    profile.inputs["Radius"].default_value = 1.0
    tube = made.add("CurveToMesh")
    made.link(line.outputs[0], tube.inputs["Curve"])
    made.link(profile.outputs[0], tube.inputs["Profile Curve"])
    tube.inputs["Fill Caps"].default_value = True
    if "Scale" in tube.inputs:  # from Blender 5 on the radius of a curve scales nothing by itself
        made.link(made.add("InputRadius").outputs[0], tube.inputs["Scale"])
    smooth = made.add("SetShadeSmooth")
    made.link(tube.outputs[0], smooth.inputs[0])
    coloured = made.add("SetMaterial")
    made.link(smooth.outputs[0], coloured.inputs["Geometry"])
    made.link(made.input("Material"), coloured.inputs["Material"])
    return made.finished(coloured.outputs[0])
