"""Properties of Blender's Soft Body on edges without faces, and their counterparts of a rope."""

from __future__ import annotations

from .row import Row, Values
from .soft_body_rope_source import SoftBodyRopeSource
from .soft_body_rows import SOFT_BODY_ROWS

QUADS = "of quads, and a rope has no faces"
NO_BALLS = "not needed: a rope collides at its radius"
RADIUS = "the ball is the radius, at most half of a mean edge, of all vertices; its size does not change pull and mass"
SPRINGS = "the stiffness of a spring on an edge is that of the rope along itself"


def _density(b: SoftBodyRopeSource) -> Values:
    return {"density_volume": b.density}


def _radius(b: SoftBodyRopeSource) -> Values:
    return {"rope_radius": b.radius}


def _stretch(b: SoftBodyRopeSource) -> Values:
    return {"rope_stretch_model": "rod_stretch", "rod_stretch.young": b.young}


def _bend(b: SoftBodyRopeSource) -> Values:
    if not b.bending:
        return {"rope_bend_model": "NONE"}
    return {
        "rope_bend_model": "elastic_rod", "elastic_rod.bending": b.bending, "elastic_rod.twist": b.twist,
        "rope_is_straight": False,
    }  # fmt: skip


_OF_ROPES = (
    Row("mass", "of all vertices, over the volume of the edges with their radius", _density),
    Row("vertex_group_mass", "the sum of the weights counts; how it is spread is even", _density),
    Row("use_edges", SPRINGS, _stretch),
    Row("pull", SPRINGS, _stretch),
    Row("push", "a rope is pushed as it is pulled, by Pull, until it bends"),
    Row("bend", "as stiff as Blender's springs over two edges at a bend of a radius of one edge, with the twist of a solid "
        "rod, and the shape of the mesh at rest; 0: a chain. Not where more than two edges meet", _bend),
    Row("shear", QUADS),
    Row("use_stiff_quads", QUADS),
    Row("spring_length", "a rope has no Shrink: scale the mesh"),
    Row("plastic", "a rope's stretch does not yield; Bend: Bend, Twist and Yield keeps bends"),
    Row("aero", "not needed: the air of the scene acts on every edge"),
    Row("aerodynamics_type", "not needed: the air of the scene acts on every edge"),
    Row("collision_type", RADIUS, _radius),
    Row("ball_size", RADIUS, _radius),
    Row("ball_stiff", NO_BALLS),
    Row("ball_damp", NO_BALLS),
)  # fmt: skip

SOFT_BODY_ROPE_ROWS = tuple({row.name: row for row in (*SOFT_BODY_ROWS, *_OF_ROPES)}.values())
