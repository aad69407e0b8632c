"""Properties of Blender's Soft Body, and their counterparts."""

from __future__ import annotations

import math

from .row import Row, Values
from .soft_body_source import POISSON, SoftBodySource

DRAG = 1.0
#: Vertex groups that goals become: of those that hold, and of all others.
PINS, GOALS = "GPBD Pins", "GPBD Goal"
SOLVER = "of Blender's solver; ours has the scene's Quality"
BALLS = "not needed: faces collide, at a distance that follows from the mesh"
OUTPUT = "what Blender writes about the motion"
AERO = "not of edges: a closed body in the air of the scene"


def _density(b: SoftBodySource) -> Values:
    return {"density_volume" if b.solid else "density_area": b.density}


def _springs(b: SoftBodySource) -> Values:
    model = b.model
    if b.solid:
        stays = {f"{model}.yield_stress": YIELD * b.young, f"{model}.hardening": 0.0} if b.settings.plastic else {}
        return {"solid_model": model, f"{model}.young": b.young, f"{model}.poisson": POISSON, **stays}
    c = b.moduli
    poisson = min(float(c[2] / max(math.sqrt(c[0] * c[1]), 1e-30)), 0.95)
    free = 1 - poisson**2
    young = float(c[0] * free), float(c[1] * free)
    stays = {f"{model}.yield_stress": YIELD * 0.5 * sum(young), f"{model}.hardening": 0.0} if b.settings.plastic else {}
    return {
        "stretch_model": model, f"{model}.young_warp": young[0], f"{model}.young_weft": young[1],
        f"{model}.poisson": poisson, f"{model}.shear": float(c[3]), **stays,
    }  # fmt: skip


def _bend(b: SoftBodySource) -> Values:
    return _springs(b) if b.solid else {"bend_model": "isometric_bending", "isometric_bending.bending": b.bending}


def _air(b: SoftBodySource) -> Values:
    if math.isinf(b.terminal_speed) or not b.terminal_speed:
        return {"own_air": True, "air_density": 0.0}
    density = 2 * b.mass * b.gravity / (DRAG * b.exposed * b.terminal_speed**2)
    return {"own_air": True, "air_density": density, "drag": DRAG, "lift": 0.0}


def _goal(b: SoftBodySource) -> Values:
    weights = b.goal_weights
    pins: Values = {} if b.pinned is None else {"pin_group": (PINS, b.pinned)}
    if weights is None:
        return pins
    return {**pins, "use_goal": True, "goal_group": (GOALS, weights), "goal_frequency": b.goal_frequency}


def _goal_friction(b: SoftBodySource) -> Values:
    return {} if b.goal_weights is None else {"goal_damping_ratio": b.goal_damping_ratio}


def _shrink(b: SoftBodySource) -> Values:
    percent = b.settings.spring_length
    shorter = 1 - percent / 100 if percent else 0.0
    return {} if b.solid else {"shrink_min": shorter, "shrink_max": shorter}


#: Stretch beyond which Blender's springs change their length.
YIELD = 0.05
SPRINGS = "springs as the solid, or the sheet if the mesh is open, that holds their energy under an even strain"
GOAL = f"the same spring, as a frequency and a group '{GOALS}'; a goal of 1 is a pin, in '{PINS}'"

SOFT_BODY_ROWS = (
    Row("friction", "air in which it falls as fast at last; Blender's drag grows with speed, ours with its square", _air),
    Row("mass", "of all vertices, over the volume, or over the area if the mesh is open", _density),
    Row("vertex_group_mass", "the sum of the weights counts; how it is spread is even", _density),
    Row("gravity", "Blender takes the scene's and the weight of fields"),
    Row("speed", "of the whole scene", lambda b: {"scene.speed": b.settings.speed}),
    Row("use_goal", GOAL, _goal),
    Row("vertex_group_goal", GOAL, _goal),
    Row("goal_min", GOAL, _goal),
    Row("goal_max", GOAL, _goal),
    Row("goal_default", GOAL, _goal),
    Row("goal_spring", GOAL, _goal),
    Row("goal_friction", "over critical damping, of the stiffest goal", _goal_friction),
    Row("use_edges", SPRINGS, _springs),
    Row("pull", SPRINGS + ", the mean of pull and push", _springs),
    Row("push", SPRINGS + ", the mean of pull and push", _springs),
    Row("bend", SPRINGS, _bend),
    Row("shear", SPRINGS, _springs),
    Row("use_stiff_quads", SPRINGS, _springs),
    Row("vertex_group_spring", "Blender's goes from 0 to 1; Stretch under Vertex Groups goes from 1 to Maximum Factor"),
    Row("damping", "Blender's grows with the square of speed: set Damping in Material"),
    Row("spring_length", "of an open mesh: Shrink; a solid has the size of its mesh", _shrink),
    Row("plastic", f"a yield at a stretch of {YIELD:.0%}, beyond which Blender's springs change their length by it a frame, "
        "ours at once", _springs),
    Row("aero", AERO),
    Row("aerodynamics_type", AERO),
    Row("use_self_collision", "the same", lambda b: {"self_contact": b.settings.use_self_collision}),
    Row("collision_collection", "the same; it then collides with no other body that is not in it",
        lambda b: {"contact_collection": b.settings.collision_collection}),
    Row("collision_type", BALLS),
    Row("ball_size", BALLS),
    Row("ball_stiff", BALLS),
    Row("ball_damp", BALLS),
    Row("use_edge_collision", "not needed: edges always collide"),
    Row("use_face_collision", "not needed: faces always collide"),
    Row("choke", "not needed: vertices inside a collider are moved out"),
    Row("fuzzy", SOLVER),
    Row("error_threshold", SOLVER),
    Row("step_min", SOLVER),
    Row("step_max", SOLVER),
    Row("use_auto_step", SOLVER),
    Row("use_diagnose", OUTPUT),
    Row("use_estimate_matrix", OUTPUT),
    Row("location_mass_center", OUTPUT),
    Row("rotation_estimate", OUTPUT),
    Row("scale_estimate", OUTPUT),
    Row("effector_weights", "its properties are below"),
)  # fmt: skip
