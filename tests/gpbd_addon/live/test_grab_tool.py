"""The grab tool without a window: what lies under a mouse, and what its events do."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.gpbd_addon import scenes

pytest.importorskip("bpy", reason="Blender is not installed as a module")
mathutils = pytest.importorskip("mathutils")
SIZE = 400, 300


@pytest.fixture
def region(window):
    """A 3D view that looks down on the scene from 4 m, with a field of view of 2 m of width there."""
    view = mathutils.Matrix.Translation((0, 0, -4))
    focal, near, far = 4.0, 0.1, 100.0
    projection = mathutils.Matrix(
        [
            [focal, 0, 0, 0],
            [0, focal * SIZE[0] / SIZE[1], 0, 0],
            [0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)],
            [0, 0, -1, 0],
        ]
    )
    perspective = projection @ view
    data = SimpleNamespace(
        view_matrix=view, window_matrix=projection, perspective_matrix=perspective, is_perspective=True,
        view_perspective="PERSP", view_location=mathutils.Vector(),
    )  # fmt: skip
    return SimpleNamespace(width=SIZE[0], height=SIZE[1], data=data)


@pytest.fixture
def context(blender, region):
    return SimpleNamespace(
        scene=blender.context.scene, region=region, region_data=region.data, mode="OBJECT",
        window_manager=SimpleNamespace(modal_handler_add=lambda operator: None),
        workspace=SimpleNamespace(status_text_set=lambda text: None), area=SimpleNamespace(type="VIEW_3D"),
    )  # fmt: skip


def pixel(region, point):
    """Return the pixel of a point in a region."""
    seen = region.data.perspective_matrix @ mathutils.Vector((*point, 1.0))
    return tuple((0.5 + 0.5 * seen[k] / seen.w) * SIZE[k] for k in (0, 1))


def operator(blender):
    """Its methods on a plain object: Blender makes operators only for windows."""
    from gpbd.gpbd_addon.operators.grab import GPBD_OT_grab as cls

    names = ("invoke", "modal", "cancel", "_take", "_drag", "_object", "_end", "_hold", "_body", "_start", "_button")
    return type("Plain", (), {name: cls.__dict__[name] for name in names} | {"report": lambda self, *told: None})()


def event(kind, region, point=(0, 0, 0), value="PRESS", shift=False):
    x, y = pixel(region, point)
    return SimpleNamespace(type=kind, value=value, shift=shift, mouse_region_x=x, mouse_region_y=y)


def test_the_brush_is_as_large_as_at_the_surface_under_the_mouse(blender, window, region, context):
    """A brush of 10 cm covers as many pixels as 10 cm of the cloth do there; while it draws, at the hand."""
    from gpbd.gpbd_addon.bake import hands
    from gpbd.gpbd_addon.ui import grab_tool

    window.scene.frame_set(1)
    window.scene.gpbd.grab_radius = 0.1
    flag = blender.data.objects["Flag"]

    def pixels(point):
        ends = pixel(region, point), pixel(region, np.array(point) + [0.1, 0, 0])
        return np.linalg.norm(np.subtract(*ends))

    ball = blender.data.objects["Ball"]
    ball.animation_data_clear()
    ball.location.x = 50.0
    for height, vertex in ((0.0, 24), (1.5, 17)):
        flag.location.z = height
        blender.context.view_layer.update()
        point = flag.matrix_world @ flag.data.vertices[vertex].co
        assert grab_tool.brush_radius(context, pixel(region, point)) == pytest.approx(pixels(point), rel=1e-3)
    beside, place = (1.0, 1.0), np.array([0.2, 0.1, 2.0])
    assert grab_tool.brush_radius(context, beside) == pytest.approx(pixels((0, 0, 0)), rel=1e-3)  # the pivot
    hands.grab(flag.gpbd.uuid, np.array([24]), np.ones(1), 50.0, place)
    assert grab_tool.brush_radius(context, beside) == pytest.approx(pixels(place), rel=1e-3)
    hands.forget()


def test_what_is_under_the_mouse_is_what_is_seen_first(blender, window, region, context):
    """Half a millimetre: single precision of the view."""
    from gpbd.gpbd_addon.operators.grab import hit_at

    flag, ball = blender.data.objects["Flag"], blender.data.objects["Ball"]
    window.scene.frame_set(1)
    point = flag.matrix_world @ flag.data.vertices[24].co
    hit = hit_at(context, pixel(region, point))
    assert hit.body == flag and np.abs(hit.point - np.array(point)).max() < 5e-4
    ball.animation_data_clear()
    ball.location = point + mathutils.Vector((0, 0, 1))
    blender.context.view_layer.update()
    assert hit_at(context, pixel(region, point)) is None or hit_at(context, pixel(region, point)).body == flag
    from gpbd.gpbd_addon.live import shown

    down = np.array(point) + [0, 0, 2.5]
    assert shown.under(window.scene, [flag], down, np.array([0, 0, -1.0])) is None  # the ball is in front of it


def test_the_nearest_vertex_is_taken_beside_a_body_and_nothing_far_from_it(blender, window, region, context):
    from gpbd.gpbd_addon.operators.grab import hit_at

    flag = blender.data.objects["Flag"]
    corner = flag.matrix_world @ flag.data.vertices[48].co
    x, y = pixel(region, corner)
    hit = hit_at(context, (x + 8.0, y + 8.0))
    assert hit.body == flag and np.abs(hit.point - np.array(corner)).max() < 1e-6
    assert hit_at(context, (x + 40.0, y + 40.0)) is None


def test_the_brush_has_its_vertices_and_at_least_one():
    from gpbd.gpbd_addon.live import shown

    x = np.array([[0.0, 0, 0], [0.05, 0, 0], [0.1, 0, 0], [0.3, 0, 0]])
    rows, shares = shown.within(x, np.zeros(3), 0.1)
    assert rows.tolist() == [0, 1] and shares == pytest.approx([1.0, 0.75**2])
    rows, shares = shown.within(x, np.array([0.5, 0, 0]), 0.1)
    assert rows.tolist() == [3] and shares[0] > 0


def test_a_coarse_body_is_drawn_at_the_point_under_the_mouse(blender, window, region, context):
    """1e-3 m: single precision of the view. A brush between the vertices of a cube takes those of the face, at whose mean
    the spring then pulls."""
    from gpbd.gpbd_addon.live import shown
    from gpbd.gpbd_addon.operators.grab import hit_at

    cube = scenes.cube(blender, "Block", 0.8, (0, 0, 2.0))
    cube.gpbd.body_type = "RIGID"
    window.scene.frame_set(1)
    point = np.array([0.1, 0.15, 2.4])
    hit = hit_at(context, pixel(region, point))
    x = shown.world_positions(window.scene, cube)
    rows, shares = shown.within(x, hit.point, 0.1, hit.face)
    assert hit.body == cube and np.all(x[rows, 2] > 2.39) and len(rows) == 4
    assert shares @ x[rows] / shares.sum() == pytest.approx(point, abs=1e-3)
    assert len(shown.within(x, x[0], 0.1, hit.face)[0]) == 1  # a vertex in the brush


@pytest.mark.parametrize(
    ("ends", "held"),
    [
        ([("LEFTMOUSE", "RELEASE", False)], "nothing"),
        ([("LEFTMOUSE", "RELEASE", True)], "brush"),
        ([("ESC", "PRESS", False)], "nothing"),
        ([("X", "PRESS", False)], "nothing"),
        ([("F", "PRESS", False)], "all"),
    ],
)
def test_a_drag_draws_in_the_plane_of_the_view_and_ends_as_its_key_says(blender, window, region, context, ends, held):
    """1e-4 m: single precision of the view."""
    from gpbd.gpbd_addon.bake import hands

    flag = blender.data.objects["Flag"]
    window.scene.frame_set(1)
    window.scene.gpbd.grab_radius, window.scene.gpbd.grab_stiffness = 0.3, 75.0
    window.playing = True  # it need not press Space
    point = np.array(flag.matrix_world @ flag.data.vertices[24].co)
    tool = operator(blender)
    assert tool.invoke(context, event("LEFTMOUSE", region, point)) == {"RUNNING_MODAL"}
    (hold,) = hands.all_of()
    assert hold.stiffness == 75.0 and 24 in hold.vertices and 4 < len(hold.vertices) < 25
    assert np.abs(hold.place - point).max() < 5e-4
    assert tool.modal(context, event("MOUSEMOVE", region, point + [0.2, 0.1, 0])) == {"RUNNING_MODAL"}
    assert np.abs(hold.place - point - [0.2, 0.1, 0]).max() < 1e-3
    assert tool.modal(context, event("TIMER", region)) == {"PASS_THROUGH"}
    brush = hold.vertices.tolist()
    for kind, value, shift in ends:
        assert tool.modal(context, event(kind, region, point, value, shift)) in ({"FINISHED"}, {"CANCELLED"})
    left = {"nothing": [], "brush": brush, "all": list(range(len(flag.data.vertices)))}[held]
    assert sorted(vertex for hold in hands.all_of() for vertex in hold.vertices.tolist()) == left
    assert all(hold.is_held for hold in hands.all_of())
    hands.forget()


def test_behind_what_is_solved_it_is_told_where_grabs_act(blender, window, region, context):
    window.play(12)
    window.scene.frame_set(5)
    flag, told = blender.data.objects["Flag"], []
    tool = operator(blender)
    type(tool).report = lambda self, kind, text: told.append(text)
    point = scenes.evaluated_positions(blender, flag)[24]
    assert tool.invoke(context, event("LEFTMOUSE", region, flag.matrix_world @ mathutils.Vector(point))) == {"CANCELLED"}
    assert "after frame" in told[0]


def test_a_press_beside_all_bodies_selects_and_moves_nothing(blender, window, region, context, monkeypatch):
    """Blender moves the selected objects by a drag of the left button that no tool takes."""
    from gpbd.gpbd_addon.operators import grab

    selected = []
    monkeypatch.setattr(grab, "select", lambda mouse, toggle: selected.append((mouse, toggle)))
    window.scene.frame_set(1)
    aside = event("LEFTMOUSE", region, (0.9, 0.6, 0), shift=True)
    assert operator(blender).invoke(context, aside) == {"CANCELLED"}
    assert selected == [((aside.mouse_region_x, aside.mouse_region_y), True)]
    assert "PASS_THROUGH" in operator(blender).invoke(context, event("Y", region, (0.9, 0.6, 0))) and len(selected) == 1
