"""Curves that play the caches of ropes: their control points follow the vertices, in both Blenders."""

import numpy as np
import pytest

from tests.gpbd_addon.scenes import bake, cache, save

POINTS = ((0, 0, 0), (0.5, 0.3, 0), (1.1, -0.2, 0.1), (1.6, 0.2, 0), (2.2, 0, 0))


def add(data, kind, is_cyclic=False, offset=0.0):
    """A wavy spline of five points, 2 m long, with smooth handles."""
    spline = data.splines.new(kind)
    (spline.bezier_points if kind == "BEZIER" else spline.points).add(len(POINTS) - 1)
    for k, (x, y, z) in enumerate(POINTS):
        place = (np.cos(1.2 * k), np.sin(1.2 * k) + offset, 0.1 * y) if is_cyclic else (x, y + offset, z)
        if kind == "BEZIER":
            point = spline.bezier_points[k]
            point.co, point.handle_left_type, point.handle_right_type = place, "AUTO", "AUTO"
        else:
            spline.points[k].co = (*place, 1.0 + 0.3 * (k == 2 and kind == "NURBS"))
    spline.use_endpoint_u = kind == "NURBS" and not is_cyclic
    spline.use_cyclic_u = is_cyclic
    return spline


def rope_along(bpy, *kinds, is_cyclic=False, segment=0.05, pins=True):
    """A rope along a curve with a spline of each kind, in a rotated object 1 m high, shown as a curve."""
    data = bpy.data.curves.new("Cord", "CURVE")
    data.dimensions, data.bevel_depth = "3D", 0.02
    for k, kind in enumerate(kinds):
        add(data, kind, is_cyclic, 3.0 * k)
    ob = bpy.data.objects.new("Cord", data)
    ob.location, ob.rotation_euler, ob.scale = (0, 0, 1), (0.2, 0.1, 0.5), (1.5, 1.0, 1.0)
    bpy.context.scene.collection.objects.link(ob)
    bpy.context.view_layer.objects.active = ob
    bpy.context.view_layer.update()
    assert bpy.ops.gpbd.rope_from_curve(segment=segment, pin_start=pins) == {"FINISHED"}
    rope = bpy.context.object
    assert bpy.ops.gpbd.play_on_curve() == {"FINISHED"}
    bpy.context.scene.gpbd.frame_start, bpy.context.scene.gpbd.frame_end = 1, 8
    return rope


def shown(bpy, curve):
    """Centres of the tube of a curve, in world space, (n, 3): the vertices of the curve without its bevel."""
    depth, curve.data.bevel_depth = curve.data.bevel_depth, 0.0
    bpy.context.view_layer.update()
    there = curve.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = there.to_mesh()
    x = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", x)
    there.to_mesh_clear()
    curve.data.bevel_depth = depth
    matrix = np.array(curve.matrix_world)
    return x.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def distance(points, line):
    """Largest distance of points to the segments of a line [m]."""
    a, b = line[:-1], line[1:]
    along = np.clip(((points[:, None] - a) * (b - a)).sum(2) / np.maximum(((b - a) ** 2).sum(1), 1e-12), 0, 1)
    return np.linalg.norm(points[:, None] - a - along[..., None] * (b - a), axis=2).min(1).max()


@pytest.mark.each_value
@pytest.mark.parametrize("is_cyclic", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS"])
def test_a_curve_plays_its_rope(blender, tmp_path, kind, is_cyclic):
    """The rope falls by 0.4 m and bends; five points, 0.8 m apart, follow it to a tenth of that, corners to a fourth. At
    frame 1 the curve is where it was, but for corners between two vertices: a third of a segment."""
    from gpbd.gpbd_addon.bake import curve_playback

    rope = rope_along(blender, kind, is_cyclic=is_cyclic)
    save(blender, tmp_path)
    frames = cache(bake(blender), rope.name)
    curve = curve_playback.find(rope)
    assert curve.modifiers[0].use_apply_on_spline and curve.data.bevel_depth == pytest.approx(0.02)
    for frame, near in ((1, 0.02 if kind == "POLY" else 0.01), (8, 0.2 if kind == "POLY" else 0.1)):
        blender.context.scene.frame_set(frame)
        x = shown(blender, curve)
        assert distance(x, np.concatenate([frames[frame - 1], frames[frame - 1][: int(is_cyclic)]])) < near
    assert (frames[-1] - frames[0])[:, 2].min() < -0.3
    if not is_cyclic:
        assert np.abs(x[0] - frames[-1][0]).max() < 1e-3  # its pinned end


def test_several_splines_are_several_ropes_of_one_curve(blender, tmp_path):
    """Three kinds together, each near its own vertices; their end is let go of, and falls."""
    from gpbd.gpbd_addon.bake import curve_playback
    from gpbd.solver.cache import pc2

    rope = rope_along(blender, "POLY", "BEZIER", "NURBS")
    save(blender, tmp_path)
    job = bake(blender)
    curve = curve_playback.find(rope)
    file = job.files.paths[rope.name]
    points = pc2.read_frames(file.with_name(f"{file.stem}.curve.pc2"))
    assert points.shape == (8, 5 + 15 + 5, 3)
    assert (points[-1][4, 2], points[-1][18, 2], points[-1][24, 2]) < (0.9, 0.9, 0.9)
    blender.context.scene.frame_set(8)
    x = shown(blender, curve)
    assert distance(x[:5], cache(job, rope.name)[-1][: len(cache(job, rope.name)[-1]) // 3]) < 0.1


def test_a_moved_rope_moves_its_curve_exactly():
    """A rigid motion of the vertices is that of the curve, for each kind, within 1e-5 of its size: rounding, and the share
    that neighbours have in each other."""
    from gpbd.gpbd_addon.bake.spline_basis import Spline, basis, even_basis, fit

    x = np.random.default_rng(3).normal(size=(12, 3))
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    for kind in ("POLY", "BEZIER", "NURBS"):
        for is_cyclic in (False, True):
            spline = Spline(kind, x, np.ones(12), is_cyclic, 12)
            weights = even_basis(spline, 100)
            motion = weights @ (x @ turn.T + 1.0) - weights @ x
            moved = x + fit(weights, is_cyclic) @ motion
            assert np.abs(basis(spline) @ (moved - x @ turn.T - 1.0)).max() < 1e-5


@pytest.mark.parametrize(("kind", "near"), [("POLY", 1e-2), ("BEZIER", 1e-3), ("NURBS", 1e-3)])
def test_twenty_points_follow_a_straight_rope_into_a_circle(kind, near):
    """Errors over its radius: a chord of 20 is 3e-3 inside of a circle and the best ones half of that, beside their ends;
    smooth curves are of fourth order."""
    from gpbd.gpbd_addon.bake.spline_basis import Spline, basis, even_basis, fit

    count = 58 if kind == "BEZIER" else 20
    x = np.column_stack([np.linspace(0, np.pi, count), np.zeros((count, 2))])
    spline = Spline(kind, x, np.ones(count), False, 12, at_ends=True)
    spline = spline if kind != "BEZIER" else Spline(kind, np.concatenate([x[:1], x, x[-1:]]), np.ones(count + 2), False, 12)
    weights = even_basis(spline, 400)
    angle = np.linspace(0, np.pi, 400)
    circle = np.column_stack([np.sin(angle), 1 - np.cos(angle), 0 * angle])
    points = spline.entries + fit(weights, False) @ (circle - weights @ spline.entries)
    assert np.abs(np.linalg.norm(basis(spline) @ points - (0, 1, 0), axis=1) - 1).max() < near


def test_fewer_vertices_than_control_points_leave_a_curve_smooth():
    """Two hundred control points on six vertices that move alike: none moves otherwise."""
    from gpbd.gpbd_addon.bake.spline_basis import Spline, even_basis, fit

    x = np.column_stack([np.linspace(0, 1, 200), np.zeros((200, 2))])
    weights = even_basis(Spline("POLY", x, np.ones(200), False, 12), 6)
    assert np.abs(fit(weights, False) @ np.tile((0.0, 0.0, 1.0), (6, 1)) - (0, 0, 1)).max() < 1e-3


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS"])
def test_a_curve_keeps_its_rope_as_shape_keys(blender, tmp_path, kind):
    """*To Shape Keys* of the rope gives them to its curve, which then shows the same shape without its modifier."""
    from gpbd.gpbd_addon.bake import curve_playback

    rope = rope_along(blender, kind)
    save(blender, tmp_path)
    bake(blender)
    curve = curve_playback.find(rope)
    blender.context.scene.frame_set(8)
    before = shown(blender, curve)
    blender.context.view_layer.objects.active = rope
    assert blender.ops.gpbd.convert_to_shape_keys() == {"FINISHED"}
    assert len(curve.data.shape_keys.key_blocks) == 9 and not curve.modifiers[0].show_viewport
    blender.context.scene.frame_set(8)
    assert np.abs(shown(blender, curve) - before).max() < 1e-5


def test_an_edited_guide_gives_the_curve_its_points(blender, tmp_path):
    """A guide that has one more spline: the curve that plays has it after the bake, and its own bevel still."""
    from gpbd.gpbd_addon.bake import curve_playback

    rope = rope_along(blender, "BEZIER")
    curve = curve_playback.find(rope)
    curve.data.bevel_depth = 0.07
    add(curve_playback.guide_of(rope).data, "BEZIER", offset=4.0)
    save(blender, tmp_path)
    bake(blender)
    assert len(curve.data.splines) == 2 and curve.data.bevel_depth == pytest.approx(0.07)


def test_a_cleared_cache_takes_the_file_of_the_curve_with_it(blender, tmp_path):
    rope = rope_along(blender, "POLY")
    save(blender, tmp_path)
    bake(blender)
    assert list(tmp_path.rglob("*.curve.pc2"))
    from gpbd.gpbd_addon.bake import curve_playback, trash

    trash.delete(blender.context.scene, [rope])
    assert not list(tmp_path.rglob("*.pc2"))
    assert curve_playback.find(rope).modifiers[0].factor == 0.0


def test_a_rope_that_may_part_plays_on_its_curve_too(blender, tmp_path):
    """Its vertices are twice as many; whole, it shows the same as without, to 1e-3 m."""
    from gpbd.gpbd_addon.bake import curve_playback

    rope = rope_along(blender, "BEZIER", "POLY")
    rope.gpbd.rope_strength = 1e9
    rope.gpbd.use_tearing = True
    save(blender, tmp_path)
    frames = cache(bake(blender), rope.name)
    blender.context.scene.frame_set(8)
    x = shown(blender, curve_playback.find(rope))
    assert distance(x[:-5], frames[-1][: frames.shape[1] // 2]) < 0.1
