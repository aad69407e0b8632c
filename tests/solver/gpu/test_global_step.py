"""*Keep Length* on a device, by its serial twin: the same bodies that CUDA compiles, one thread after the other."""

from itertools import pairwise

import numpy as np
import pytest

import solver
from solver import Cloth, Material, Pins, Plane, Scene, Settings, Simulation
from solver.global_step import newton
from solver.global_step.gpu import device_global_step
from solver.stepping.gpu.choice import left_to_cpu
from solver.stepping.gpu.frame import why_not
from tests.scenes import without_contact
from tests.scenes.bodies import in_sheet
from tests.scenes.every_energy import FABRICS, material, sheet
from tests.scenes.jelly import thrown_through
from tests.scenes.meshes import grid
from tests.scenes.sewing import tube

# Kernels of each fabric take a dozen seconds to compile: those of one are enough outside of `long`.


def simulation(scene, device="cuda-serial", **more):
    numbers = {"substeps": 8, "iterations": 1, "global_iterations": 4} | more
    return Simulation(scene, Settings(device=device, threads=1, **numbers))


def positions(made, frames):
    for _ in range(frames):
        report = made.advance_frame().report
        assert report.device == made.settings.device and not report.fallback
    return made.state.x[: made.model.n_vertices, :3].astype(float)


def system(made):
    return made._on_device._frames._keep_length


def on_host(made, found):
    """Arrays of a device, a tuple of them, as the host's."""
    values = [made._on_device.device.download(array) for array in found]
    return found._make(values) if hasattr(found, "_make") else values


def dense(found):
    """A matrix as (3 n, 3 n) double, by vertices; rows that do not move are zero."""
    n = int(found.columns.max()) + 1
    blocks = np.zeros((n, n, 3, 3))
    for row in np.flatnonzero(found.vertex >= 0):
        v, pack, lane = found.vertex[row], row // 16, row % 16
        for slot in range(found.first[pack], found.first[pack + 1]):
            blocks[v, found.columns[slot, lane]] += found.values[slot, lane::16].reshape(3, 3).T
        for slot in range(found.ring_first[pack], found.ring_first[pack + 1]):
            weight = found.ring_weights[slot, lane] * np.eye(3)
            blocks[v, found.ring_columns[slot, lane]] += weight
            blocks[v, v] -= weight
    return blocks.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)


@pytest.mark.long  # compilation
def test_the_first_level_is_symmetric_and_the_others_are_made_of_it():
    """1e-5 of the largest number: sums of a few dozen numbers in single precision."""
    made = simulation(without_contact.solver_scene(without_contact.SCENES["S1"](16), solver))
    positions(made, 1)
    levels = system(made).system.hierarchy.levels
    assert len(levels) >= 2
    above = dense(on_host(made, levels[0].matrix))
    free = np.repeat(~made.model.fixed, 3)
    inside = above[np.ix_(free, free)]
    assert np.abs(inside - inside.T).max() < 1e-5 * np.abs(inside).max()
    assert np.linalg.eigvalsh(inside).min() > 0
    for level, following in pairwise(levels):
        first, aggregate, share = on_host(made, level.up)
        basis = np.zeros((len(first) - 1, following.n))
        basis[np.repeat(np.arange(len(first) - 1), np.diff(first)), aggregate] = share
        basis = np.kron(basis, np.eye(3))[: len(above)]
        wanted, above = basis.T @ above @ basis, dense(on_host(made, following.matrix))
        assert np.abs(above - wanted).max() < 1e-5 * np.abs(wanted).max()


def hung(n, frames, device):
    """Stretch and lowest point of a sheet that is hung by two corners, in thick air."""
    arrays = without_contact.SCENES["S1"](n)
    x = positions(simulation(without_contact.solver_scene(arrays, solver), device, damping=6.0), frames)
    return without_contact.stretch(x, arrays)[0], x[:, 2].min()


@pytest.mark.long
def test_a_sheet_that_falls_into_its_pins_is_as_long_as_on_the_cpu():
    """1 % of the mean stretch and 0.5 mm: where both leave what a substep could lower the potential by at most."""
    there, here = (hung(16, 10, device) for device in ("cuda-serial", "cpu"))
    assert there[0] == pytest.approx(here[0], rel=0.01)
    assert there[1] == pytest.approx(here[1], abs=5e-4)


@pytest.mark.long
def test_a_hung_sheet_of_33_rows_comes_to_rest_as_on_the_cpu():
    """1 % of the mean stretch, which is 0.05 %, and 0.1 mm: the residual of the fall, at 1 cm/s."""
    there, here = (hung(32, 60, device) for device in ("cuda-serial", "cpu"))
    assert there[0] == pytest.approx(here[0], rel=0.01)
    assert there[1] == pytest.approx(here[1], abs=1e-4)


@pytest.mark.long
def test_a_free_sheet_keeps_its_momentum():
    """1e-5 of the way fallen, and of the turn: of sums in single precision."""
    rest, triangles = grid(10)
    spin = np.cross([0.0, 0.0, 3.0], rest - rest.mean(0))
    cloth = Cloth("sheet", rest, triangles, material("fabric", 0.2, FABRICS["knit"]), velocities=spin, self_contact=False)
    made = simulation(Scene([cloth], air_density=0.0), substeps=8)
    x = positions(made, 12)
    mass = made.model.mass[:, None]
    time = 12 / made.settings.fps
    centre = (mass * x).sum(0) / mass.sum() + made.model.origin
    assert centre == pytest.approx(rest.mean(0) - [0, 0, 4.905 * time**2], abs=5e-3 * time)
    v = made.state.v[: len(x)]
    turning = (mass * np.cross(x - (mass * x).sum(0) / mass.sum(), v)).sum(0)
    begun = (mass * np.cross(rest - rest.mean(0), spin)).sum(0)
    assert turning == pytest.approx(begun, abs=0.02 * np.linalg.norm(begun))


@pytest.mark.long
def test_sheets_beside_one_another_move_as_each_alone():
    """1e-5 m: sums, steps and ends are of each sheet; positions are rounded from another origin."""

    def cloths(names):
        found = []
        for k, (name, n) in enumerate({"woven": 6, "net": 9}.items()):
            rest, triangles = grid(n)
            start = rest + [2.0 * k, 0, 0]
            fabric = material("fabric", 0.2, FABRICS[name])
            found.append(Cloth(name, start, triangles, fabric, pins=Pins([0]), self_contact=False))
        return Scene([cloth for cloth in found if cloth.name in names], air_density=0.0)

    def untouched(names):
        made = simulation(cloths(names))
        made._contact = None  # they never come near each other
        return made

    both = untouched(("woven", "net"))
    together = positions(both, 3) + both.model.origin
    for part in both.model.parts:
        one = untouched((part.body.name,))
        alone = positions(one, 3) + one.model.origin
        assert np.abs(alone - together[part.start : part.stop]).max() < 1e-5


@pytest.mark.long
def test_the_same_bits_in_every_run_and_after_a_restart():
    states = [positions(simulation(sheet("woven")), 3).tobytes() for _ in range(2)]
    broken, later = simulation(sheet("woven")), simulation(sheet("woven"))
    positions(broken, 1)
    later.restore(broken.snapshot())
    states.append(positions(later, 2).tobytes())
    assert states[0] == states[1] == states[2]


@pytest.mark.long
def test_with_systems_enough_a_sheet_without_limits_moves_as_on_the_cpu(monkeypatch):
    """1e-4 m after 100 substeps: both solve until little is left, and rounding grows while a sheet falls into folds; after
    the first eight it is 1e-6."""
    monkeypatch.setattr(device_global_step, "SYSTEMS", newton.SYSTEMS)
    made = [simulation(sheet("knit"), device) for device in ("cuda-serial", "cpu")]
    for frames, bound in ((1, 5e-6), (12, 5e-4)):
        there, here = (positions(one, frames) for one in made)
        assert np.abs(there - here).max() < bound


@pytest.mark.long
@pytest.mark.parametrize(("name", "bound"), {"woven": 0.03, "knit": 1e-3, "net": 2e-3, "yarns": 0.01}.items())
def test_a_hundred_substeps_of_every_fabric_end_near_those_of_the_cpu(name, bound):
    """A few times the measured value: a substep ends after three systems, the CPU's after six at most, and of limits a
    system that lowers the potential by less than 3 % is the last; the residual grows while a sheet folds in the wind."""
    there, here = (positions(simulation(sheet(name), device), 13) for device in ("cuda-serial", "cpu"))
    assert np.abs(there - here).max() < bound


def net(n=4):
    rest, triangles = grid(n)
    springs = {"spring": {"stiffness": 50.0, "damping": 0.0}}
    fabric = Material("springs", "fabric", 0.2, springs)
    return Cloth("net", rest, triangles, fabric, pins=Pins([0]), self_contact=False)


def sewn():
    return tube({"global_iterations": 0}).scene


@pytest.mark.parametrize("make", [in_sheet, thrown_through, sewn])
def test_contact_with_what_the_step_does_not_solve_for_is_left_to_no_cpu(make):
    """Rigid bodies, soft ones that touch with the mesh that they carry, seams: see `contact/test_giving_way.py`."""
    made = simulation(make(), global_iterations=4)
    assert why_not(made.substeps.now.model, made.contact, made.substeps.now.global_step) == ""
    assert not left_to_cpu(made.scene, made.settings)


@pytest.mark.long
def test_a_net_that_falls_on_a_plane_moves_as_on_the_cpu():
    """1e-3 m after six frames, of which the net touches in three: two systems on either end before all is solved, and
    friction begins a substep with its last force on the CPU alone."""
    there, here = (
        positions(simulation(Scene([net()], [Plane("ground", [0, 0, -0.1], [0, 0, 1])]), device), 6)
        for device in ("cuda-serial", "cpu")
    )
    assert there[:, 2].min() < here[:, 2].max() - 0.05, "it has fallen"
    assert np.abs(there - here).max() < 1e-3
