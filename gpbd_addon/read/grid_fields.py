"""Fields that are sampled on a grid: those of textures, and the flow of smoke."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

Array = np.ndarray

#: Grid points along the longest side of the box in which a texture is sampled, in space and in a plane; and how much larger
#: it is than the bodies at the first frame, on each side.
POINTS, POINTS_IN_PLANE, MARGIN = 64, 512, 0.5
#: Of a texture, where it is looked at to see whether it has changed since it was sampled.
LOOKS = 64

#: Steps a second for smoke velocities in cells a step, as Blender's particles assume.
STEPS_A_SECOND = 2.5

#: Object -> (settings of the sampling, looks, grid), of this session.
_sampled: dict[str, tuple[Any, Array, Array]] = {}


def texture(ob: bpy.types.Object, field: Any, scale: float, box: tuple[Array, Array]) -> dict[str, Any]:
    """Grid and axes of a Texture field, for `Field`. scale: metres of a Blender unit. box: of the bodies [m]."""
    to_texture = np.eye(4)
    to_texture[:3] /= scale
    if field.use_object_coords:
        to_texture = np.linalg.inv(np.array(ob.matrix_world, float)) @ np.diag([1 / scale, 1 / scale, 1 / scale, 1.0])
    corners = np.array([[box[a][0], box[b][1], box[c][2], 1.0] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    inside = (corners @ to_texture.T)[:, :3]
    low, high = inside.min(0), inside.max(0)
    grown = MARGIN * max(float((high - low).max()), 1e-3)
    low, high = low - grown, high + grown
    in_plane = field.use_2d_force and field.use_object_coords
    if in_plane:
        low[2] = high[2] = 0.0
    step = float((high - low).max()) / ((POINTS_IN_PLANE if in_plane else POINTS) - 1)
    counts = np.ceil((high - low) / step).astype(int) + 1
    grid = _vectors(ob, field, low, step, counts)
    axes = to_texture[:3].copy()
    axes[:, 3] -= low
    return {"grid": grid, "grid_axes": axes / step}


def is_flat(field: Any) -> bool:
    """Return whether a Texture field needs differences of the texture, over a distance of zero: it has no force then."""
    around = np.stack(np.meshgrid(*3 * [np.linspace(-1.0, 1.0, 4)], indexing="ij"), -1).reshape(-1, 3)
    return field.texture_nabla == 0 and (field.texture_mode != "RGB" or not _values(field.texture, around)[:, :3].any())


def _vectors(ob: bpy.types.Object, field: Any, low: Array, step: float, counts: Array) -> Array:
    """The field at the points of a grid, as Blender has it for a strength of 1, (a, b, c, 4)."""
    axis = np.array(ob.matrix_world, float)[:3, 2]
    axis /= max(float(np.linalg.norm(axis)), 1e-30)
    flat = axis if field.use_2d_force else None
    mode, nabla = field.texture_mode, field.texture_nabla
    numbers = np.stack(np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"), -1).reshape(-1, 3)
    places = low + step * numbers
    if flat is not None and not field.use_object_coords:
        places = places - (places @ flat)[:, None] * flat
    in_plane = None if flat is None else flat.tolist()
    key = (field.texture.name_full, mode, nabla, field.use_object_coords, in_plane, low.tolist(), step)
    looks = _values(field.texture, places[:: max(1, len(places) // LOOKS)])
    known = _sampled.get(ob.name_full)
    if known is not None and known[0] == key and np.array_equal(known[1], looks):
        return known[2]
    vectors = _forces(field.texture, mode, nabla, places)
    if flat is not None:
        vectors -= (vectors @ flat)[:, None] * flat
    grid = np.concatenate([vectors, np.zeros((len(vectors), 1))], 1).reshape(*counts, 4)
    _sampled[ob.name_full] = key, looks, grid
    return grid


def _forces(texture: bpy.types.Texture, mode: str, nabla: float, places: Array) -> Array:
    """Return forces from colour, or from a gradient or a curl by differences over `nabla`, (n, 3)."""
    here = _values(texture, places)
    coloured = bool(here[:, :3].any())
    if coloured and mode == "RGB":
        return 0.5 - here[:, :3]
    if nabla == 0:
        return np.zeros((len(places), 3))
    beside = [_values(texture, places + nabla * np.eye(3)[axis]) for axis in range(3)]
    if mode == "GRADIENT" or not coloured:
        level = [values[:, :3].mean(1) if coloured else values[:, 3] for values in (here, *beside)]
        return np.stack([level[0] - other for other in level[1:]], 1) / nabla
    slope = [(values - here) / nabla for values in beside]  # by x, y and z; of red, green and blue
    return np.stack([slope[1][:, 2] - slope[2][:, 1], slope[2][:, 0] - slope[0][:, 2], slope[0][:, 1] - slope[1][:, 0]], 1)


def _values(texture: bpy.types.Texture, places: Array) -> Array:
    """Red, green, blue and intensity, (n, 4)."""
    return np.array([texture.evaluate(place) for place in places.tolist()]).reshape(-1, 4)


def fluid(ob: bpy.types.Object, field: Any, scale: float) -> dict[str, Any] | None:
    """Grid and axes of the flow of a smoke domain now, for `Field`; None without one."""
    domain = _domain(field)
    if domain is None:
        return None
    counts = tuple(domain.domain_resolution)
    count = int(np.prod(counts))
    velocity = np.array(domain.velocity_grid, np.float32)
    if velocity.size != 3 * count or not count:
        return None
    density = np.array(domain.density_grid, np.float32)
    amount = density if field.use_smoke_density and density.size == count else np.ones(count)
    source = field.source_object
    corners, matrix = np.array(source.bound_box, float), np.array(source.matrix_world, float)
    low, high = corners.min(0), corners.max(0)
    sizes = (high - low) * np.linalg.norm(matrix[:3, :3], axis=0)
    speeds = STEPS_A_SECOND * float(sizes.max()) / max(counts) * velocity.reshape(count, 3)  # Blender does not turn them
    values = np.concatenate([speeds, amount[:, None]], 1).reshape(*counts[::-1], 4).transpose(2, 1, 0, 3)
    to_local = np.linalg.inv(matrix) @ np.diag([1 / scale, 1 / scale, 1 / scale, 1.0])
    axes = to_local[:3].copy()
    axes[:, 3] -= low
    cell = np.maximum((high - low) / np.array(counts), 1e-30)
    axes /= cell[:, None]
    axes[:, 3] -= 0.5
    return {"grid": np.ascontiguousarray(values, float), "grid_axes": axes}


def unused_fluid(ob: bpy.types.Object, field: Any) -> Iterable[str]:
    """Yield the reasons why a Fluid Flow field does nothing, a sentence each."""
    if _domain(field) is None:
        yield f"{ob.name}: the Fluid Flow field has no smoke domain as its Domain Object. Choose one, and bake it first."
    elif _domain(field).use_adaptive_domain:
        yield f"{ob.name}: the smoke that its Fluid Flow field follows has an Adaptive Domain. Switch that off."


def _domain(field: Any) -> Any:
    """Settings of the smoke that a field follows; None where it follows none."""
    source = field.source_object
    for md in () if source is None else source.modifiers:
        if md.type == "FLUID" and md.fluid_type == "DOMAIN" and md.domain_settings.domain_type == "GAS":
            return md.domain_settings
    return None
