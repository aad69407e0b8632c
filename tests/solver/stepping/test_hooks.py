"""Pins with a strength: hooks let go as a whole at their strength, for good, and no energy comes of it."""

import numpy as np
import pytest

from solver import Cloth, FrameInputs, Map, Material, Pins, Rope, Scene, SceneError, Settings, Simulation, Tearing
from solver.model.hooks import hooks
from solver.scene.features import features
from tests.scenes.meshes import rectangle
from tests.scenes.tearing import split_grid

SIZE, DENSITY = 0.3, 0.2
#: Of the whole strip [N].
WEIGHT = DENSITY * SIZE**2 * 9.81
FABRIC = Material.fabric(DENSITY, 2000, 700, bending=1e-5, poisson=0.3, damping=0.02)


def hung(n, rows=None, threads=1, **pins):
    """A square sheet of n x n squares with pins along its top, or at some of its corners, that let go."""
    x, t = rectangle((n, n), (SIZE, SIZE))
    upright = np.stack([x[:, 0], np.zeros(len(x)), x[:, 1]], 1)
    top = np.flatnonzero(np.isclose(upright[:, 2], SIZE))
    held = top if rows is None else top[rows]
    cloth = Cloth("sheet", upright, t, FABRIC, pins=Pins(held, **pins))
    return Simulation(Scene([cloth]), Settings(substeps=8, damping=20.0, threads=threads))


def share_at_release(simulation):
    """The share of gravity at which all pins have let go, as it grows from 0 to 1 in two seconds; None if they hold."""
    for frame in range(1, 53):
        share = min(frame / 48, 1.0)
        made = simulation.advance_frame(FrameInputs(gravity=(0, 0, -9.81 * share)))
        if made.report.released_pins:
            return share, made.report.released_pins
    return None


@pytest.mark.each_value
@pytest.mark.parametrize("weight", [1.0, 0.9])
@pytest.mark.parametrize("n", [4, 8, 16])
def test_a_pinned_row_lets_go_at_its_strength_on_any_mesh(n, weight):
    """5 %: gravity grows by 3 % of it a frame. Pins that give let go alike."""
    share, count = share_at_release(hung(n, strength=2 / 3 * WEIGHT, weight=weight, frequency=40.0, damping=0.05))
    assert share == pytest.approx(2 / 3, rel=0.05) and count == n + 1


def test_pins_below_their_strength_hold():
    """2 % below the weight lets go, 5 % above it does not."""
    assert share_at_release(hung(8, strength=1.05 * WEIGHT)) is None
    assert share_at_release(hung(8, strength=0.98 * WEIGHT)) is not None


def test_each_corner_is_a_hook_of_its_own():
    """Two corners hold a weight that one cannot: when gravity turns to one side, one lets go and then the other."""
    simulation = hung(8, rows=[0, -1], strength=0.7 * WEIGHT)
    for _ in range(10):
        assert simulation.advance_frame().report.released_pins == 0
    seen = []
    for _ in range(40):
        made = simulation.advance_frame(FrameInputs(gravity=(9.81, 0, -3.0)))
        seen.append(made.report.released_pins)
    assert 1 in seen and seen[-1] == 2


def test_letting_go_adds_no_energy():
    """1e-6 of it: rounding."""
    simulation = hung(8, strength=0.5 * WEIGHT)
    energy, free = np.inf, 0
    for _ in range(8):
        report = simulation.advance_frame().report
        if not report.released_pins:
            continue
        free += 1
        assert report.energy <= energy + 1e-6 * abs(energy)
        energy = report.energy
    assert free > 5


def test_a_resumed_simulation_lets_go_alike():
    """Bit for bit, from before and from after, where a new simulation holds all."""
    for frames in (1, 6):
        one = hung(8, rows=[0, 1, -1], strength=0.4 * WEIGHT)
        for _ in range(frames):
            one.advance_frame()
        other = hung(8, rows=[0, 1, -1], strength=0.4 * WEIGHT)
        other.restore(one.snapshot())
        for _ in range(6):
            a, b = one.advance_frame(), other.advance_frame()
            assert np.array_equal(a.positions["sheet"], b.positions["sheet"])
        assert a.report.released_pins == b.report.released_pins == 3


def test_a_restored_earlier_frame_is_held_again():
    simulation = hung(4, strength=0.5 * WEIGHT)
    saved, first = simulation.snapshot(), [simulation.advance_frame() for _ in range(4)]
    assert first[-1].report.released_pins == 5
    simulation.restore(saved)
    for frame in first:
        assert np.array_equal(simulation.advance_frame().positions["sheet"], frame.positions["sheet"])


def test_letting_go_is_the_same_on_any_number_of_threads():
    """Bit for bit."""
    one, two = (hung(24, strength=0.5 * WEIGHT, threads=threads) for threads in (1, 2))
    one._threads, two._threads = 1, 2
    for _ in range(4):
        a, b = one.advance_frame(), two.advance_frame()
        assert np.array_equal(a.positions["sheet"], b.positions["sheet"])
    assert a.report.released_pins == 25


def test_a_key_lowers_the_strength_and_pin_hold_catches_nothing_that_has_let_go():
    simulation = hung(4, strength=10 * WEIGHT)
    for _ in range(3):
        assert simulation.advance_frame().report.released_pins == 0
    for _ in range(2):
        made = simulation.advance_frame(FrameInputs(values={"sheet": {"pin_strength": 0.1 * WEIGHT}}))
    assert made.report.released_pins == 5
    before = made.positions["sheet"][:, 2].mean()
    for _ in range(4):
        made = simulation.advance_frame(FrameInputs(values={"sheet": {"pin_strength": 10 * WEIGHT, "pin_weight": 1.0}}))
    assert made.positions["sheet"][:, 2].mean() < before - 0.05


def test_a_rope_lets_go_of_a_hook():
    """Its weight, as it grows slowly, is 5 % above what the hook bears, or 5 % below."""
    counts = []
    for factor in (0.95, 1.05):
        x = np.stack([np.zeros(11), np.zeros(11), np.linspace(1.0, 0.0, 11)], 1)
        material = Material.rope(density=1000.0, young=1e6)
        weight = 1000.0 * np.pi * 0.005**2 * 9.81
        rope = Rope("rope", x, np.stack([np.arange(10), np.arange(1, 11)], 1), 0.005, material)
        rope.pins = Pins([0], strength=factor * weight)
        simulation = Simulation(Scene([rope]), Settings(substeps=8, damping=20.0, threads=1))
        for frame in range(1, 31):
            made = simulation.advance_frame(FrameInputs(gravity=(0, 0, -9.81 * min(frame / 24, 1.0))))
        counts.append(made.report.released_pins)
    assert counts == [1, 0]


def test_a_sheet_that_tears_hangs_by_a_hook_of_all_copies():
    """Copies of a point are one pinned point."""
    x, t, points = split_grid(4, 4, SIZE, SIZE)
    top = np.flatnonzero(x[:, 0] < 1e-9)
    upright = np.stack([x[:, 1], np.zeros(len(x)), -x[:, 0]], 1)
    made = []
    for factor in (0.95, 1.1):
        cloth = Cloth(
            "sheet", upright, t, FABRIC, pins=Pins(top, strength=factor * WEIGHT), tearing=Tearing(1e6, 0.0, points)
        )
        simulation = Simulation(Scene([cloth]), Settings(substeps=8, damping=20.0, threads=1))
        for number in range(1, 31):
            frame = simulation.advance_frame(FrameInputs(gravity=(0, 0, -9.81 * min(number / 24, 1.0))))
        made.append(frame.report.released_pins)
    assert made == [5, 0]


@pytest.mark.parametrize(("weight", "count"), [(0.9, 2), (1.0, 1)])
def test_a_patch_of_pins_that_tears_in_two_is_two_hooks(weight, count):
    """A tear from the pinned border inwards parts soft pins. Exact pins keep both of its sides together."""
    x, t, points = split_grid(4, 4, SIZE, SIZE)
    top = np.flatnonzero(x[:, 0] < 1e-9)
    pins = Pins(top, weight=weight, strength=1.0)
    cloth = Cloth("sheet", x, t, FABRIC, pins=pins, tearing=Tearing(1e6, 0.0, points))
    simulation = Simulation(Scene([cloth]), Settings(threads=1))
    assert len(hooks(simulation.model)) == 1
    middle = x[simulation.model.tearing.joints[:, 0]].mean(1)
    simulation._part(np.flatnonzero((np.abs(middle[:, 1] - SIZE / 2) < 1e-9) & (middle[:, 0] < SIZE / 4)).tolist())
    assert len(hooks(simulation.model)) == count


def test_both_sides_of_a_tear_part_when_their_pin_lets_go():
    """Torn inwards from the middle of a pinned border, the sides share its vertex until the hook fails."""
    x, t, points = split_grid(4, 4, SIZE, SIZE)
    top = np.flatnonzero(x[:, 0] < 1e-9)
    upright = np.stack([x[:, 1], np.zeros(len(x)), -x[:, 0]], 1)
    cloth = Cloth("sheet", upright, t, FABRIC, pins=Pins(top, strength=10 * WEIGHT), tearing=Tearing(1e6, 0.0, points))
    simulation = Simulation(Scene([cloth]), Settings(substeps=8, damping=20.0, threads=1))
    middle = x[simulation.model.tearing.joints[:, 0]].mean(1)
    simulation._part(np.flatnonzero(np.abs(middle[:, 1] - SIZE / 2) < 1e-9).tolist())
    at_top = top[np.abs(x[top, 1] - SIZE / 2) < 1e-9]
    pieces = [len(np.unique(simulation.model.weld[at_top]))]
    saved = simulation.snapshot()
    made = simulation.advance_frame(FrameInputs(values={"sheet": {"pin_strength": 0.1 * WEIGHT}}))
    pieces.append(len(np.unique(simulation.model.weld[at_top])))
    simulation.restore(saved)
    pieces.append(len(np.unique(simulation.model.weld[at_top])))
    assert made.report.released_pins == 6 and pieces == [1, 2, 1]


def test_the_strength_of_a_hook_is_painted():
    """A hook has the mean strength of its vertices."""
    x, t = rectangle((4, 4), (SIZE, SIZE))
    corners = np.array([0, 1, 4])
    painted = Map(np.where(np.arange(len(x)) == 1, 1.0, 0.0), 1.0, 3.0)
    cloth = Cloth("sheet", x, t, FABRIC, pins=Pins(corners, strength=5.0), maps={"pin_strength": painted})
    simulation = Simulation(Scene([cloth]), Settings(threads=1))
    assert sorted(hooks(simulation.model).strength) == pytest.approx([5.0, 10.0])


def test_pins_with_a_strength_are_left_to_the_cpu_and_others_cost_nothing():
    with_one, without = (hung(4, **more) for more in ({"strength": 1.0}, {}))
    assert "tearing" in features(with_one.scene, with_one.settings)
    assert "tearing" not in features(without.scene, without.settings)
    assert without.substeps.now.hook_loads is None and not len(without.state.let_go)


def test_a_strength_that_is_none_cannot_be_keyed():
    with pytest.raises(SceneError, match="its pins never let go, so their strength cannot change"):
        hung(4).advance_frame(FrameInputs(values={"sheet": {"pin_strength": 1.0}}))
