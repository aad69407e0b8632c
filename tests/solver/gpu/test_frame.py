"""Frames on a device, by its serial twin: the same bodies that CUDA compiles, one thread after the other."""

import numpy as np
import pytest

from solver import Material, Scene, Settings, Simulation, SoftBody
from tests.scenes.every_energy import SCENES, SOLIDS
from tests.scenes.meshes import cube_of_five

#: Kernels of each energy and method take seconds to compile: these few cover all code that is not of one energy.
FEW = [("gpbd", "net")]
EVERY = [
    (method, name)
    for method in ("gpbd", "gpbd_jacobi", "pbng")
    for name in SCENES
    if (method, name) not in FEW and (method, name) != ("pbng", "yarns")
]


def simulation(scene, method="gpbd", device="cuda-serial", on_cpu=False, **more):
    numbers = {"substeps": 10, "iterations": 4, "global_iterations": 0} | more
    made = Simulation(scene, Settings(method=method, device=device, threads=1, **numbers))
    if on_cpu:  # the same packs of elements, which the CPU sweeps in the same order
        made._on_device.device = None
    return made


def positions(made, frames):
    reports = [made.advance_frame().report for _ in range(frames)]
    return made.state.x[: made.model.n_vertices, :3].copy(), reports


def compared(method, name, bound):
    there, reports = positions(simulation(SCENES[name](), method), 10)
    here, _ = positions(simulation(SCENES[name](), method, on_cpu=True), 10)
    assert {report.device for report in reports} == {"cuda-serial"} and not any(report.fallback for report in reports)
    assert np.abs(there - simulation(SCENES[name](), method).model.x_start).max() > 0.1, "it has moved"
    assert np.abs(there - here).max() < bound


@pytest.mark.parametrize(("method", "name"), FEW)
def test_a_hundred_substeps_end_as_on_the_cpu(method, name):
    """1e-5 m: positions of a metre are rounded by 6e-8, and the compilers round sums in other places; after 100 substeps
    that is 2e-6 at most."""
    compared(method, name, 1e-5)


@pytest.mark.long
@pytest.mark.parametrize(("method", "name"), EVERY)
def test_a_hundred_substeps_of_every_energy_end_as_on_the_cpu(method, name):
    """The same; 2e-4 m of cloth by pbng, which solves for each vertex with a matrix that bending leaves nearly singular:
    rounding grows tenfold more."""
    compared(method, name, 2e-4 if method == "pbng" and name not in SOLIDS else 1e-5)


def test_the_same_bits_in_every_run_and_after_a_restart():
    states = [positions(simulation(SCENES["net"]()), 4)[0].tobytes() for _ in range(2)]
    broken, later = simulation(SCENES["net"]()), simulation(SCENES["net"]())
    positions(broken, 2)
    later.restore(broken.snapshot())
    states.append(positions(later, 2)[0].tobytes())
    assert states[0] == states[1] == states[2]


def test_what_a_device_cannot_do_the_cpu_does_and_the_report_says_so():
    made = simulation(SCENES["net"](), tolerance=1e-3)
    _, reports = positions(made, 2)
    assert [(report.device, report.fallback) for report in reports] == 2 * [("cpu", "a tolerance")]
    assert made._on_device.fallbacks == 2


@pytest.mark.long
def test_a_solid_with_inverted_elements_is_recovered_by_the_cpu_and_goes_on_where_it_was():
    """Random corners: nearly all elements are inverted, and the device finds that out at the frame's end."""
    x, tetrahedra = cube_of_five(2)
    random = np.random.default_rng(2).uniform(0, 1, x.shape)

    def made(on_cpu):
        body = SoftBody("block", random, tetrahedra, Material.solid(1000, 1e5, 0.45), rest_vertices=x, self_contact=False)
        return simulation(Scene([body]), on_cpu=on_cpu)

    there, reports = positions(made(False), 3)
    here, _ = positions(made(True), 3)
    assert {report.fallback for report in reports} == {"a solid with inverted elements"}
    assert there.tobytes() == here.tobytes()
