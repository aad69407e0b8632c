"""A curve that plays the cache of a rope on its control points and handles, with its bevel and its materials.

It is a child of the rope. A file beside the cache has its control points, fitted to the vertices of each frame.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...solver.cache import pc2
from ...solver.cache.atomic_write import write_atomically
from ...solver.errors import CacheError, SceneError
from ..body_kinds import BODY_KINDS
from ..identifiers import PLAYED_CURVE, ROPE_CURVE, ROPE_SURFACE
from ..read import modifier
from . import attribute_nodes, cache_path, playback
from .spline_basis import Spline, even_basis, fit

Array = np.ndarray

#: Properties of a curve's thickness, which a rope's own curve has lost.
SHAPE = (
    "bevel_mode", "bevel_depth", "bevel_resolution", "bevel_object", "extrude", "offset", "resolution_u", "use_fill_caps",
    "twist_mode", "twist_smooth",
)  # fmt: skip


def is_rope(ob: bpy.types.Object) -> bool:
    return ob.gpbd.body_type in BODY_KINDS and BODY_KINDS[ob.gpbd.body_type].line


def guide_of(rope: bpy.types.Object) -> bpy.types.Object | None:
    """The curve that a rope is made along; None of a rope from a mesh."""
    md = rope.modifiers.get(ROPE_CURVE)
    return attribute_nodes.value_of(md, "Curve") if md is not None else None


def find(rope: bpy.types.Object) -> bpy.types.Object | None:
    """The curve that plays a rope; None without one."""
    if not is_rope(rope):
        return None
    return next((ob for ob in rope.children if ob.type == "CURVE" and PLAYED_CURVE in ob.modifiers), None)


def rope_of(curve: bpy.types.Object) -> bpy.types.Object | None:
    """The rope that a curve plays; None of any other object."""
    return curve.parent if curve.parent is not None and find(curve.parent) == curve else None


def make(rope: bpy.types.Object) -> bpy.types.Object:
    """Make the curve that plays a rope, in place of the rope's surface. Raises: SceneError."""
    guide = guide_of(rope)
    if guide is None:
        raise SceneError(f"{rope.name}: follows no curve. Make it with GPBD Rope from Curve, or use Show Surface.")
    modifier.check_editable(rope)
    there = find(rope)
    if there is not None:
        return there
    data = _data(guide, rope)
    data.bevel_depth = attribute_nodes.value_of(rope.modifiers[ROPE_CURVE], "Radius")
    data.use_fill_caps = True
    made: Any = bpy.data.objects.new(f"{guide.name} Played", data)
    for collection in rope.users_collection:
        collection.objects.link(made)
    made.parent = rope
    md = made.modifiers.new(PLAYED_CURVE, "MESH_CACHE")
    playback.make_play(md)
    md.use_apply_on_spline = True
    surface = rope.modifiers.get(ROPE_SURFACE)
    if surface is not None:
        rope.modifiers.remove(surface)
    follow(rope)
    return made


def follow(rope: bpy.types.Object) -> None:
    """Fit the curve of a rope, where it has one, to the rope's cache. Raises: CacheError if its file cannot be written."""
    curve, cache_modifier, path = find(rope), modifier.find(rope), cache_path.of(rope)
    if curve is None or not curve.is_editable:
        return
    md = curve.modifiers[PLAYED_CURVE]
    if cache_modifier is None or path is None or not path.exists():
        playback.forget(md)
        return
    _renew(rope, curve)
    write_atomically(cache_path.curve(path), fitted(curve, pc2.read_samples(path), pc2.read_header(path)))
    for name, value in playback.PLAYBACK.items():
        setattr(md, name, value)
    md.frame_scale, md.frame_start = cache_modifier.frame_scale, cache_modifier.frame_start
    point(rope)
    curve.update_tag(refresh={"DATA"})


def point(rope: bpy.types.Object) -> None:
    """The rope plays its cache from another place, and its curve the file beside that."""
    curve, cache_modifier = find(rope), modifier.find(rope)
    if curve is None or cache_modifier is None or not cache_modifier.filepath.endswith(modifier.CACHE_SUFFIX):
        return
    stored = cache_modifier.filepath.removesuffix(modifier.CACHE_SUFFIX) + cache_path.CURVE_SUFFIX
    if curve.modifiers[PLAYED_CURVE].filepath != stored:
        curve.modifiers[PLAYED_CURVE].filepath = stored


def forget(rope: bpy.types.Object) -> None:
    """The rope plays nothing any more."""
    curve = find(rope)
    if curve is not None:
        playback.forget(curve.modifiers[PLAYED_CURVE])


def fitted(curve: bpy.types.Object, frames: Array, header: pc2.Header) -> bytes:
    """Return the file of control points, see `solver/cache/pc2.py`. frames: of the rope, (f, samples, n, 3).

    Raises: CacheError for a rope that is not of the curve's splines.
    """
    splines = [read_spline(spline) for spline in curve.data.splines]
    is_split, is_open = rope_of(curve).gpbd.use_tearing, [not spline.is_cyclic for spline in splines]
    of_all = header.n_vertices // 2 + sum(is_open) if is_split else header.n_vertices
    count, left = divmod(of_all, max(len(splines), 1))
    if not splines or left or count < 2:
        raise CacheError(
            f"{curve.name}: has {len(splines)} splines, the rope {header.n_vertices} vertices; wanted as many of each "
            "spline. Remove modifiers that add vertices to the rope, and bake it again."
        )
    parts = []
    poses = frames.reshape(-1, header.n_vertices, 3)
    if is_split:  # each edge has vertices of its own: the second of each, and the first of a line
        firsts = np.cumsum([0, *(2 * (count - one) for one in is_open)])[:-1]
        rows = [np.r_[first, first + 1 : first + 2 * (count - 1) : 2] for first in firsts]
        poses = poses[:, np.concatenate(rows)]
    for k, spline in enumerate(splines):
        weights = even_basis(spline, count)
        matrix, at_rest = fit(weights, spline.is_cyclic), weights @ spline.entries
        motion = poses[:, k * count : (k + 1) * count].astype(float) - at_rest
        parts.append(spline.entries + matrix @ motion)
    points = np.concatenate(parts, axis=1).astype("<f4")
    return pc2.Header(points.shape[1], header.start, header.n_frames, header.samples).packed + points.tobytes()


def count(data: Any) -> int:
    """The control points of a curve, three entries a Bezier one."""
    return sum(3 * len(spline.bezier_points) + len(spline.points) for spline in data.splines)


def write_key(data: Any, key: Any, points: Array) -> None:
    """Write the control points of a curve, (n, 3), to a shape key of it."""
    first, item = 0, 0
    for spline in data.splines:
        for _ in range(len(spline.bezier_points)):
            key.data[item].handle_left, key.data[item].co, key.data[item].handle_right = points[first : first + 3]
            first, item = first + 3, item + 1
        for _ in range(len(spline.points)):
            key.data[item].co = points[first]
            first, item = first + 1, item + 1


def read_spline(spline: bpy.types.Spline) -> Spline:
    """A spline as numbers, its control points in the space of its object."""
    if spline.type == "BEZIER":
        parts = []
        for name in ("handle_left", "co", "handle_right"):
            x = np.empty(3 * len(spline.bezier_points), np.float32)
            spline.bezier_points.foreach_get(name, x)
            parts.append(x.reshape(-1, 3))
        entries = np.stack(parts, 1).reshape(-1, 3).astype(float)
        weights = np.ones(len(entries))
    else:
        x = np.empty(4 * len(spline.points), np.float32)
        spline.points.foreach_get("co", x)
        entries, weights = x.reshape(-1, 4)[:, :3].astype(float), x.reshape(-1, 4)[:, 3].astype(float)
    return Spline(
        spline.type, entries, weights, spline.use_cyclic_u, spline.resolution_u, spline.order_u, spline.use_endpoint_u,
        spline.use_bezier_u,
    )  # fmt: skip


def _data(guide: bpy.types.Object, rope: bpy.types.Object) -> bpy.types.Curve:
    """A copy of a guide's curve, in the space of the rope."""
    holder = bpy.data.objects.new(guide.name, guide.data.copy())
    holder.shape_key_clear()
    data: Any = holder.data
    bpy.data.objects.remove(holder)
    data.name, data.dimensions = f"{guide.name} Played", "3D"
    matrix = np.array(rope.matrix_world.inverted_safe() @ guide.matrix_world)
    for spline, source in zip(data.splines, guide.data.splines, strict=True):
        entries = read_spline(source).entries @ matrix[:3, :3].T + matrix[:3, 3]
        _write(spline, entries)
    return data


def _write(spline: bpy.types.Spline, entries: Array) -> None:
    if spline.type == "BEZIER":
        for point in spline.bezier_points:  # else Blender places the handles by itself
            point.handle_left_type = point.handle_right_type = "FREE"
        for k, name in enumerate(("handle_left", "co", "handle_right")):
            spline.bezier_points.foreach_set(name, entries[k::3].astype(np.float32).ravel())
    else:
        rows = np.empty((len(spline.points), 4), np.float32)
        spline.points.foreach_get("co", rows.ravel())
        rows[:, :3] = entries
        spline.points.foreach_set("co", rows.ravel())


def _renew(rope: bpy.types.Object, curve: bpy.types.Object) -> None:
    """Take the splines of the guide where they are others than those of the curve that plays."""
    guide = guide_of(rope)
    if guide is None or _outline(guide.data) == _outline(curve.data):
        return
    old, new = curve.data, _data(guide, rope)
    for name in SHAPE:
        setattr(new, name, getattr(old, name))
    new.materials.clear()
    for material in old.materials:
        new.materials.append(material)
    curve.data = new
    if not old.users:
        bpy.data.curves.remove(old)


def _outline(data: bpy.types.Curve) -> list[Any]:
    return [
        (spline.type, len(spline.bezier_points), len(spline.points), spline.use_cyclic_u, spline.order_u)
        for spline in data.splines
    ]
