"""A rope along a curve: geometry nodes that make its edges, so that edits and hooks of the curve stay."""

from __future__ import annotations

import math

import bpy

from ...solver.errors import SceneError
from ..identifiers import ROPE_CURVE, ROPE_PINS
from ..read.line import RADIUS
from .attribute_nodes import Group, set_inputs

#: Segments in the thickness of a rope, and vertices of a rope at most, where its segments are chosen by themselves.
FINE, MOST = 1.0, 2000


def make(curve: bpy.types.Object, segment: float, pin_start: bool, pin_end: bool) -> bpy.types.Object:
    """Make an object whose edges follow each spline of a curve, which is a line without a thickness from then on.

    segment: length of an edge [Blender units], 0 for the thickness of the rope. Ends that are pinned hold two vertices, so
    that they keep their direction. Its radius is that of the curve: the depth of its bevel times the radius of each point.
    Raises: SceneError for an object that is no curve, a curve without length, or one that cannot be edited.
    """
    if curve.type != "CURVE":
        raise SceneError(f"{curve.name}: is no curve. Select the curve of the rope.")
    data = curve.data
    if not (curve.is_editable and data.is_editable):
        raise SceneError(f"{curve.name}: is linked from a library and cannot be edited. Make it local first.")
    lengths = [spline.calc_length() for spline in data.splines]
    longest = max(lengths, default=0.0)
    if not longest > 0:
        raise SceneError(f"{curve.name}: has no spline with a length; wanted one. Add points in edit mode.")
    radius = data.bevel_depth or 0.005 * longest
    count = math.ceil(longest / segment) if segment > 0 else min(math.ceil(longest / (2 * FINE * radius)), MOST)
    made = bpy.data.objects.new(f"{curve.name} Rope", bpy.data.meshes.new(f"{curve.name} Rope"))
    for collection in curve.users_collection:
        collection.objects.link(made)
    nodes = made.modifiers.new(ROPE_CURVE, "NODES")
    nodes.node_group = _nodes()
    set_inputs(nodes, {
        "Curve": curve, "Points": max(count, 2) + 1, "Radius": radius, "Pin Start": pin_start, "Pin End": pin_end,
    })  # fmt: skip
    data.bevel_depth = data.extrude = 0.0  # a curve with a thickness is a mesh to geometry nodes
    data.bevel_object = None
    return made


def _nodes() -> bpy.types.NodeTree:
    """Edges along each spline of a curve, all of as many points; attributes of their radius and of pinned ends."""
    tree = bpy.data.node_groups.get(ROPE_CURVE)
    if tree is not None:
        return tree
    inputs = {
        "Curve": ("Object", True), "Points": ("Int", True), "Radius": ("Float", True), "Pin Start": ("Bool", True),
        "Pin End": ("Bool", True),
    }  # fmt: skip
    made = Group(ROPE_CURVE, inputs)
    made.show_as_length("Radius")
    info = made.add("ObjectInfo", transform_space="RELATIVE")
    made.link(made.input("Curve"), info.inputs["Object"])
    even = made.add("ResampleCurve")
    made.link(info.outputs["Geometry"], even.inputs["Curve"])
    made.link(made.input("Points"), even.inputs["Count"])
    thick = made.number("MULTIPLY", made.add("InputRadius").outputs[0], made.input("Radius"))
    line = made.store("FLOAT", even.outputs[0], KEPT_RADIUS, thick)
    ends = made.add("CurveEndpointSelection")
    for side in ("Start", "End"):
        made.link(made.number("MULTIPLY", made.input(f"Pin {side}"), 2.0), ends.inputs[f"{side} Size"])
    line = made.store("FLOAT", line, ROPE_PINS, ends.outputs[0])
    edges = made.add("CurveToMesh")
    made.link(line, edges.inputs["Curve"])
    named = made.named_number(KEPT_RADIUS)
    return made.finished(made.store("FLOAT", edges.outputs[0], RADIUS, named))


#: Attribute of a curve's points; "radius" is what scales the curve itself.
KEPT_RADIUS = "rope_radius"
