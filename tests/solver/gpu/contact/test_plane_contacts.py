"""Contacts with infinite planes on a device, by its serial twin, beside those of the CPU."""

import numpy as np
import pytest

from solver import Plane, Scene, Settings, Simulation
from tests.scenes.every_energy import FABRICS, SCENES
from tests.scenes.thrown import NORMALS, thrown

#: Cases that one scene in a corner covers too.
OTHERS = [("level", "bdf2"), ("slope", "bdf2"), ("level", "bdf1"), ("slope", "bdf1"), ("corner", "bdf1")]


def simulation(scene, device="cuda-serial", on_cpu=False, **more):
    numbers = {"substeps": 10, "iterations": 4, "global_iterations": 0, "threads": 1} | more
    made = Simulation(scene, Settings(device=device, **numbers))
    if on_cpu:  # the same packs of elements, which the CPU sweeps in the same order
        made._on_device.device = None
    return made


def advanced(made, frames):
    return [made.advance_frame().report for _ in range(frames)]


@pytest.mark.parametrize(
    ("planes", "integrator"), [("corner", "bdf2"), *(pytest.param(*case, marks=pytest.mark.long) for case in OTHERS)]
)
def test_what_falls_on_planes_ends_as_on_the_cpu(planes, integrator):
    """5e-5 m after 120 substeps, in the first 40 of which it falls: positions of a metre are rounded by 6e-8; friction and
    impacts of 25 vertices that hold one another pass on what rounding differs by."""
    there, here = (simulation(thrown(NORMALS[planes]), on_cpu=on_cpu, integrator=integrator) for on_cpu in (False, True))
    found, wanted = advanced(there, 12), advanced(here, 12)
    assert {report.device for report in found} == {"cuda-serial"} and not any(report.fallback for report in found)
    assert max(report.contacts for report in found) >= 5
    assert [report.contacts for report in found] == [report.contacts for report in wanted]
    assert np.abs(there.state.x[:25, :3] - here.state.x[:25, :3]).max() < 5e-5
    assert np.abs(there.state.v[:25] - here.state.v[:25]).max() < 1e-2


@pytest.mark.parametrize("planes", ["slope", "corner"])
def test_nothing_is_behind_a_plane(planes):
    """1e-6 m: a position of a metre in single precision."""
    made = simulation(thrown(NORMALS[planes]))
    for _ in range(12):
        x = made.advance_frame().positions["net"]
        for n in NORMALS[planes]:
            assert (x @ np.array(n) / np.linalg.norm(n)).min() > -1e-6


@pytest.mark.parametrize(("friction", "slides"), [(0.0, True), (1.0, False)])
def test_friction_holds_on_a_slope(friction, slides):
    """30 degrees, whose tangent is 0.58: with friction 1 what lies there stays; without it slides g sin 30 t^2 / 2, 0.4 m in
    the last 10 of 24 frames, at least."""
    made = simulation(thrown(NORMALS["slope"], friction))
    advanced(made, 24)
    before = made.state.x[:25, :3].mean(0)
    advanced(made, 10)
    way = np.linalg.norm(made.state.x[:25, :3].mean(0) - before)
    assert way > 0.4 if slides else way < 0.02


def test_the_same_bits_after_a_restart_and_on_the_cpu_for_a_frame():
    whole, broken, later = (simulation(thrown(NORMALS["corner"])) for _ in range(3))
    advanced(whole, 10)
    advanced(broken, 7)
    later.restore(broken.snapshot())
    advanced(later, 3)
    assert whole.state.x.tobytes() == later.state.x.tobytes()
    device, broken._on_device.device = broken._on_device.device, None
    advanced(broken, 1)
    broken._on_device.device = device
    broken._on_device.forget()
    advanced(broken, 2)
    assert np.abs(broken.state.x[:25, :3] - whole.state.x[:25, :3]).max() < 5e-5


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "method"), [(name, method) for name in SCENES for method in ("gpbd", "gpbd_jacobi") if name != "tied"]
)
def test_every_energy_lands_on_a_plane_as_on_the_cpu(name, method):
    """1e-4 m after 100 substeps: twice that of nets above, for solids of 125 kg that friction holds."""

    def made(on_cpu):
        scene = SCENES[name]()
        ground = Plane("ground", [0, 0, -0.2 if name in FABRICS else -0.005], (0, 0, 1))
        landing = Scene(scene.bodies, [ground], wind=scene.wind, air_density=scene.air_density)
        return simulation(landing, on_cpu=on_cpu, method=method)

    there, here = made(False), made(True)
    found = advanced(there, 10)
    advanced(here, 10)
    assert {report.device for report in found} == {"cuda-serial"} and max(report.contacts for report in found) > 0
    n = there.model.n_vertices
    assert np.abs(there.state.x[:n, :3] - here.state.x[:n, :3]).max() < 1e-4
