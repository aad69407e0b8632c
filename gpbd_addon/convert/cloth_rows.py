"""Properties of Blender's Cloth, and their counterparts."""

from __future__ import annotations

import math

from .cloth_source import LINEAR, ClothSource
from .row import Row, Values, same, taken
from .spring_network import FORCE

#: Blender's air damping has no lift; ours then has none.
DRAG = 1.0
HAIR = "of hair; a cloth does not use it"
UNUSED = "Blender's cloth does not use it"


def _stretch(b: ClothSource) -> Values:
    warp, weft = b.young
    limit = {} if b.membrane == "stvk_membrane" else {f"{b.membrane}.doubling_{yarn}": LINEAR for yarn in ("warp", "weft")}
    return {
        "stretch_model": b.membrane,
        f"{b.membrane}.young_warp": warp,
        f"{b.membrane}.young_weft": weft,
        f"{b.membrane}.poisson": min(b.poisson, 0.95),
        **limit,
    }


def _compression(b: ClothSource) -> Values:
    if b.membrane == "stvk_membrane":
        return {"stretch_model": b.membrane}
    return {"stretch_model": b.membrane, f"{b.membrane}.compression": b.compression}


def _shear(b: ClothSource) -> Values:
    return {f"{b.membrane}.shear": b.shear, f"{b.membrane}.poisson": min(b.poisson, 0.95)}


def _stretch_damping(b: ClothSource) -> Values:
    return {f"{b.membrane}.damping": b.stretch_damping}


def _bending(b: ClothSource) -> Values:
    warp, weft = b.bending
    if b.angular:
        return {"bend_model": "discrete_shell", "discrete_shell.bending_warp": warp, "discrete_shell.bending_weft": weft}
    return {"bend_model": "isometric_bending", "isometric_bending.bending": warp}


def _bending_damping(b: ClothSource) -> Values:
    return {"discrete_shell.damping": b.bending_damping} if b.angular else _bending(b)


def _air(b: ClothSource) -> Values:
    if math.isinf(b.terminal_speed):
        return {"own_air": True, "air_density": 0.0}
    density = 2 * b.mass_per_area * b.gravity / (DRAG * b.terminal_speed**2) if b.terminal_speed else 0.0
    return {"own_air": True, "air_density": density, "drag": DRAG, "lift": 0.0}


def _painted(group: str, map_: str, lowest: str, highest: str):
    """A map of factors: 1 where the group has no weight, maximum over minimum where it is 1."""

    def values(b: ClothSource) -> Values:
        at = b.settings
        name, low, high = getattr(at, group), getattr(at, lowest), getattr(at, highest)
        if not name:
            return {}
        return {
            f"maps.{map_}_group": name, f"maps.{map_}_low": 1.0,
            f"maps.{map_}_high": (low + abs(high - low)) / max(low, 1e-9),
        }  # fmt: skip

    return values


_PAINTED_STRETCH = _painted("vertex_group_structural_stiffness", "stretch", "tension_stiffness", "tension_stiffness_max")
_PAINTED_SHEAR = _painted("vertex_group_shear_stiffness", "shear", "shear_stiffness", "shear_stiffness_max")
_PAINTED_BENDING = _painted("vertex_group_bending", "bending", "bending_stiffness", "bending_stiffness_max")


def _pressure_scale(b: ClothSource) -> float:
    """Pa of a pressure of 1."""
    return float(FORCE * b.settings.pressure_factor / b.scale**2)


def _pressure(b: ClothSource) -> Values:
    scale = _pressure_scale(b)
    return {"pressure_factor": scale, "uniform_pressure_force": b.settings.uniform_pressure_force * scale}


def _sewing_force(b: ClothSource) -> Values:
    return {"sewing_force_max": b.settings.sewing_force_max * FORCE / b.faces.mean_edge}


def _rest_shape(b: ClothSource) -> Values:
    key = b.settings.rest_shape_key
    return {"rest_shape_key": key.name if key is not None else ""}


SPRINGS = (
    "Blender has a spring of 1000 N/m times this over the mean edge on every edge: the sheet that they stand for under an "
    "even strain"
)
INTERNAL = "springs across the inside: make it a GPBD Soft Body, which is filled, or give it pressure"
_PAINTED = "painted between 1 and maximum over minimum; without a group Blender does not use it"

CLOTH_ROWS = (
    Row("quality", "steps a frame of Blender's solver: ours are the scene's, Quality"),
    Row("time_scale", "the same, of the whole scene. Blender's second has 31.6 frames at any frame rate, so that its cloth "
        "is slower at 24; ours keeps the scene's", lambda b: {"scene.speed": b.settings.time_scale}),
    Row("mass", "times vertices, over the area: the same mass in all. Choose a Fabric Preset for a fabric's own",
        lambda b: {"density_area": b.mass_per_area}),
    Row("gravity", "Blender's cloth takes the scene's and the weight of fields"),
    Row("air_damping", "air in which it falls as fast at last; Blender's drag grows with speed, ours with its square", _air),
    Row("effector_weights", "its properties are below"),
    Row("tension_stiffness", SPRINGS, _stretch),
    Row("compression_stiffness", "its share of tension; where it is as much or more, as tension", _compression),
    Row("shear_stiffness", "as tension, on both diagonals of every quad, which also draw the sheet in", _shear),
    Row("bending_stiffness", "Blender's spring at an edge has 100 N times this a radian and metre of it, at half a face: "
        "the plate that they stand for", _bending),
    Row("bending_model", "Angular: Angular. Linear: Flat, without compression, as stiff as Blender's at a fold of a radius "
        "of one edge", _bending),
    Row("tension_damping", "viscous over elastic stiffness, tension and shear together", _stretch_damping),
    Row("shear_damping", "viscous over elastic stiffness, tension and shear together", _stretch_damping),
    Row("compression_damping", "the damping of a membrane is that of tension and shear"),
    Row("bending_damping", "viscous over elastic moment; of linear bending a factor of its stiffness", _bending_damping),
    Row("tension_stiffness_max", _PAINTED, _PAINTED_STRETCH),
    Row("vertex_group_structural_stiffness", _PAINTED, _PAINTED_STRETCH),
    Row("compression_stiffness_max", "painted with tension, by one map"),
    Row("shear_stiffness_max", _PAINTED, _PAINTED_SHEAR),
    Row("vertex_group_shear_stiffness", _PAINTED, _PAINTED_SHEAR),
    Row("bending_stiffness_max", _PAINTED, _PAINTED_BENDING),
    Row("vertex_group_bending", _PAINTED, _PAINTED_BENDING),
    Row("vertex_group_mass", "the same; weights below 1 are softer in Blender, by their fourth power",
        lambda b: {"pin_group": b.settings.vertex_group_mass}),
    Row("pin_stiffness", "as stiff at a weight of 1/2",
        lambda b: {"pin_frequency": b.pin_frequency} if b.settings.vertex_group_mass else {}),
    Row("goal_friction", "over the stiffness at a weight of 1/2",
        lambda b: {"pin_damping": b.pin_damping} if b.settings.vertex_group_mass else {}),
    Row("goal_spring", "another name of Pin Stiffness",
        lambda b: {"pin_frequency": b.pin_frequency} if b.settings.vertex_group_mass else {}),
    Row("goal_min", UNUSED),
    Row("goal_max", UNUSED),
    Row("goal_default", "the weight of vertices outside the pin group: give it to them in the group"),
    Row("use_sewing_springs", "the same", taken("use_sewing_springs")),
    Row("sewing_force_max", "of an edge, times 1000 N, over the mean edge along the seam", _sewing_force),
    Row("shrink_min", "the same", taken("shrink_min"), same),
    Row("shrink_max", "the same", taken("shrink_max"), same),
    Row("vertex_group_shrink", "the same", taken("vertex_group_shrink")),
    Row("rest_shape_key", "the same", _rest_shape),
    Row("use_dynamic_mesh", "the same", taken("use_dynamic_mesh")),
    Row("use_pressure", "the same", taken("use_pressure")),
    Row("uniform_pressure_force", "times Pressure Scale, in Pa: Blender's force has 1000 N", _pressure,
        _pressure_scale),
    Row("pressure_factor", "times 1000, in Pa", _pressure),
    Row("use_pressure_volume", "the same", taken("use_pressure_volume")),
    Row("target_volume", "in m³", lambda b: {"target_volume": b.settings.target_volume * b.scale**3},
        lambda b: b.scale**3),
    Row("fluid_density", "times 1000, in kg/m³", lambda b: {"fluid_density": 1000 * b.settings.fluid_density / b.scale**3},
        lambda b: 1000 / b.scale**3),
    Row("vertex_group_pressure", "the same", taken("vertex_group_pressure")),
    Row("use_internal_springs", INTERNAL),
    Row("internal_spring_normal_check", INTERNAL),
    Row("internal_spring_max_length", INTERNAL),
    Row("internal_spring_max_diversion", INTERNAL),
    Row("internal_tension_stiffness", INTERNAL),
    Row("internal_tension_stiffness_max", INTERNAL),
    Row("internal_compression_stiffness", INTERNAL),
    Row("internal_compression_stiffness_max", INTERNAL),
    Row("vertex_group_intern", INTERNAL),
    Row("internal_friction", HAIR),
    Row("collider_friction", HAIR),
    Row("density_target", HAIR),
    Row("density_strength", HAIR),
    Row("voxel_cell_size", HAIR),
)  # fmt: skip
