"""Rest shapes that shrink and that change while a cloth is simulated."""

import numpy as np
import pytest

from solver import Cloth, FrameInputs, Material, Scene, SceneError, Settings, ShapeInputs, Simulation
from tests.validation.meshes import grid

FABRIC = Material.fabric(0.2, 1000, 400, poisson=0.3, damping=0.05)
SETTINGS = Settings(substeps=8, threads=1)


def free_sheet(**fields):
    """A square metre without gravity."""
    x, triangles = grid(8, 8, 1.0, 1.0)
    given = {"self_contact": False, **fields}
    return Simulation(Scene([Cloth("sheet", x, triangles, FABRIC, **given)], gravity=(0, 0, 0)), SETTINGS)


def sides(frame):
    """Width and depth [m]."""
    return np.ptp(frame.positions["sheet"], axis=0)[:2]


def shaped(simulation, frames, shape):
    """The last of some frames. shape: of the number of a frame, from 2 on."""
    for number in range(2, frames + 1):
        frame = simulation.advance_frame(FrameInputs(shapes={"sheet": shape(number)}))
    return frame


def test_a_metre_that_shrinks_by_a_fifth_measures_eighty_centimetres():
    """4 mm, half a per cent: what its damped oscillation has left after two seconds. Its mass stays."""
    simulation = free_sheet(shrink=0.2)
    *_, frame = simulation.frames(1, 48)
    assert sides(frame) == pytest.approx([0.8, 0.8], abs=0.004)
    assert simulation.model.mass.sum() == pytest.approx(0.2)


def test_a_shrink_that_is_given_frame_by_frame_ends_as_a_constant_one():
    """1 mm: what oscillation leaves of either."""
    frame = shaped(free_sheet(), 48, lambda number: ShapeInputs(shrink=min(0.2, 0.02 * number)))
    assert sides(frame) == pytest.approx([0.8, 0.8], abs=0.001)


def test_a_rest_shape_that_turns_and_grows_takes_its_threads_along():
    """1 mm, as above. The warp was along x and stays with the material when the rest shape is turned by a right angle: the
    rest shape is 1.2 times as long along it. A cloth that is turned at rest alone is at rest where it is."""
    x = free_sheet().model.parts[0].body.rest
    turned = np.stack([-x[:, 1], 1.2 * x[:, 0], x[:, 2]], 1)
    simulation = free_sheet()
    frame = shaped(simulation, 48, lambda number: ShapeInputs(rest_vertices=turned))
    assert sides(frame) == pytest.approx([1.2, 1.0], abs=0.001)


def test_a_frame_without_shapes_has_those_of_the_scene():
    """None: the numbers of the rest shape are the same bits."""
    simulation = free_sheet()
    before = [batch.rest.copy() for batch in simulation.model.batches]
    simulation.advance_frame(FrameInputs(shapes={"sheet": ShapeInputs(shrink=0.1)}))
    assert not np.array_equal(simulation.substeps.now.model.batches[-1].rest, before[-1])
    simulation.advance_frame()
    assert all(np.array_equal(b.rest, a) for a, b in zip(before, simulation.substeps.now.model.batches, strict=True))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"ghost": ShapeInputs()}, "'ghost' is no cloth or rope of the scene"),
        ({"sheet": ShapeInputs(shrink=2.0)}, "sheet: shrink is 2; wanted -10 to 0.95"),
        ({"sheet": ShapeInputs(rest_vertices=np.zeros((81, 3)))}, "81|area"),
        ({"sheet": ShapeInputs(sewing_weight=1.0)}, "sheet: sewing_weight is given, but it has no sewing"),
        ({"sheet": 3}, "sheet: shape is 3; wanted a ShapeInputs"),
    ],
)
def test_a_shape_that_does_not_fit_is_told(shape, message):
    """Each message names the cloth and the requirement."""
    with pytest.raises(SceneError, match=message):
        free_sheet().advance_frame(FrameInputs(shapes=shape))
