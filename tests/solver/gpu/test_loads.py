"""Forces beside gravity, on a device by its serial twin: the same bodies that CUDA compiles."""

import numpy as np
import pytest

from solver import Pins, Plane, Scene, Settings, Simulation
from tests.scenes.loads import SCENES, beside, net
from tests.scenes.thrown import NORMALS, thrown


def simulation(scene, on_cpu=False, **more):
    numbers = {"substeps": 10, "iterations": 4, "global_iterations": 0, "threads": 1, "device": "cuda-serial"} | more
    made = Simulation(scene, Settings(**numbers))
    if on_cpu:  # the same packs of elements, which the CPU sweeps in the same order
        made._on_device.device = None
    return made


def advanced(made, frames):
    return [made.advance_frame() for _ in range(frames)]


def both(make, frames=10, **more):
    """The simulation on a device and on the CPU, and the frames of each."""
    there, here = simulation(make(), **more), simulation(make(), on_cpu=True, **more)
    found, wanted = advanced(there, frames), advanced(here, frames)
    assert {frame.report.device for frame in found} == {"cuda-serial"}
    assert not any(frame.report.fallback for frame in found)
    return there, here, found, wanted


def apart(there, here):
    """The largest distance of two states [m]."""
    n = there.model.n_vertices
    return np.abs(there.state.x[:n, :3] - here.state.x[:n, :3]).max()


#: The kernel of a field takes ten seconds to compile.
NAMES = [pytest.param(name, marks=pytest.mark.long if name in ("fields", "moving") else ()) for name in SCENES]


@pytest.mark.parametrize("name", NAMES)
def test_what_acts_moves_as_on_the_cpu(name):
    """1e-5 m after 100 substeps: positions of a metre are rounded by 6e-8, fields are of single precision. 1e-4 of a gas's
    pressure: volumes are doubles, of positions that differ so. 1e-3 of energies, and 1e-2 or
    3 mN of residuals: stitches of 25 kN/m leave 2 mN of a last digit."""
    there, here, found, wanted = both(SCENES[name])
    assert np.abs(there.state.x[: there.model.n_vertices, :3] - there.model.x_start).max() > 0.05, "it has moved"
    assert apart(there, here) < 1e-5
    assert there.state.pressure == pytest.approx(here.state.pressure, rel=1e-4)
    for one, other in zip(found, wanted, strict=True):
        assert one.report.elastic_energy == pytest.approx(other.report.elastic_energy, rel=1e-3)
        assert one.report.residual == pytest.approx(other.report.residual, rel=1e-2, abs=3e-3)


@pytest.mark.long
def test_a_cloth_that_is_filled_leaves_others_alone():
    """1e-5 m after 40 substeps, as above."""
    there, here, _, _ = both(beside, frames=4)
    assert apart(there, here) < 1e-5


def test_the_same_bits_in_every_run_and_after_a_restart():
    whole, broken, later = (simulation(SCENES["gas"]()) for _ in range(3))
    advanced(whole, 4)
    advanced(broken, 2)
    later.restore(broken.snapshot())
    advanced(later, 2)
    assert whole.state.x.tobytes() == later.state.x.tobytes()


def test_positions_within_a_frame_are_those_of_the_cpu():
    """2e-6 m after 20 substeps."""
    _, _, found, wanted = both(lambda: Scene([net(pins=Pins([0, 4]))]), frames=2, samples=3)
    for one, other in zip(found, wanted, strict=True):
        assert one.samples["net"].shape == (3, 25, 3)
        assert np.abs(one.samples["net"] - other.samples["net"]).max() < 2e-6
        assert np.abs(one.samples["net"][0] - one.samples["net"][2]).max() > 1e-3, "it moves"


@pytest.mark.long
def test_a_quasi_static_solve_ends_as_on_the_cpu():
    """2e-4 m, as of other cloths by `pbng`: what bending leaves nearly singular lets rounding grow."""

    def make():
        return Scene([net(pins=Pins([0, 4, 20, 24]))])

    there, here, _, _ = both(make, frames=3, method="pbng", quasi_static=True)
    assert np.abs(there.state.v).max() == 0 and there.state.x[:25, 2].min() < -1e-3, "it hangs"
    assert apart(there, here) < 2e-4


def test_what_rests_on_a_plane_falls_asleep_as_on_the_cpu():
    """To the frame; asleep it stays to the last bit."""
    there, _, found, wanted = both(lambda: thrown(NORMALS["level"]), frames=45, sleep=True)
    asleep = [frame.report.asleep for frame in found]
    assert asleep == [frame.report.asleep for frame in wanted] and asleep[-1] == 1
    before = there.state.x.copy()
    advanced(there, 2)
    assert there.state.x.tobytes() == before.tobytes()


def test_what_is_launched_again_comes_from_the_same_places():
    """A captured graph continues with the arrays that it was captured with: in later frames nothing is made or passes."""
    made = simulation(Scene([net(pins=Pins([0]))], [Plane("ground", [0, 0, -0.5])]))
    advanced(made, 2)
    device = made._on_device.device
    seen = []
    device._repeat = lambda launches: seen.append(device._repeats) or launches()
    advanced(made, 2)
    assert seen == [True, True]
    assert made.advance_frame().report.device == "cuda-serial"


@pytest.mark.long
@pytest.mark.parametrize("name", ["gas", "hole"])
def test_a_gas_in_a_cloth_with_keep_length_answers_by_its_matrix(name):
    """2 mm after five frames of 10 substeps, and 0.5 of some 10 Pa: on the CPU 40 iterations and four are 0.7 mm apart."""
    found = []
    for device in ("cuda-serial", "cpu"):
        settings = Settings(device=device, substeps=10, iterations=3, global_iterations=4, threads=1)
        made = Simulation(SCENES[name](), settings)
        frames = [made.advance_frame() for _ in range(5)]
        assert {frame.report.fallback for frame in frames} == {""}
        found.append((frames[-1].positions["ball"], made.state.pressure.copy()))
    (there, pressed), (here, wanted) = found
    assert np.abs(there - here).max() < 2e-3
    assert np.abs(pressed - wanted).max() < 0.5
