"""Intersections counted on a device, by its serial twin, against the host's search; numbers of pairs, so no tolerance."""

import time

import numpy as np
import pytest

import solver
from solver.contact.surfaces.collider_tables import ColliderShape, ColliderTables
from solver.contact.surfaces.surfaces import BodySurface, Surfaces
from solver.device.cuda.device import Recorder, SerialDevice
from solver.model.build import build
from solver.report.gpu.intersection_count import DeviceIntersections, needed_memory
from solver.report.intersections import IntersectionSearch
from tests.scenes import intersecting_sheets, touching
from tests.scenes.bodies import box
from tests.scenes.materials import spring_material
from tests.scenes.meshes import ball, sheet
from tests.solver.device.cuda.host_gpu import host_gpu


def cloth(name, mesh, **more):
    return solver.Cloth(name, *mesh, spring_material(solver), **more)


def alone():
    """A sheet without self-contact, which counts all the same."""
    return solver.Scene([cloth("sheet", sheet(12, 0.5, (1, 2, 3), 0.4, (1, 2, 3)), self_contact=False)])


def ball_in_sheet():
    rigid = solver.Rigid("ball", *ball(2, 0.08, (0.013, 0.004, 0.01)), density=200.0)
    return solver.Scene([cloth("sheet", sheet(12, 0.6, (0, 0, 0)), self_contact=False), rigid])


def two_colliders():
    """Colliders that pass through each other, which does not count, and through a sheet and a box."""
    colliders = [solver.Collider(name, *ball(2, 0.2, (0.1 * k, 0.01, 0.02))) for k, name in enumerate(("one", "other"))]
    return solver.Scene([cloth("sheet", sheet(9, 0.5, (0, 0, 0))), box("box", (0.1, 0, 0.18))], colliders)


#: Name -> scene, how far vertices are moved from its start [m], the fewest pairs that this has to make.
STATES = {
    "crossing sheets": (intersecting_sheets.cross, 0.0, 20),
    "a crumpled sheet": (alone, 0.06, 100),
    "a slightly crumpled sheet": (alone, 0.02, 1),
    "a sheet in a ball": (intersecting_sheets.head, 0.0, 20),
    "soft blocks": (intersecting_sheets.blocks, 0.004, 20),
    "a rigid ball in a sheet": (ball_in_sheet, 0.0, 20),
    "colliders": (two_colliders, 0.01, 20),
    "a folded sheet": (touching.fold, 0.03, 20),
}


class World:
    """A scene's surfaces, with the host's search of them. x: (n + 4, 4) [m], poses: of collider vertices, (m, 3) [m]."""

    def __init__(self, scene):
        self.model = build(scene, solver.Settings())
        self.search = IntersectionSearch(self.model, None)
        self.surfaces, self.start = self.search.world
        self.x = np.zeros((len(self.model.x_start) + 4, 4), np.float32)
        self.x[: self.surfaces.n, :3] = self.model.x_start
        self.poses = self.start[self.surfaces.n :]

    def move(self, far, seed=0):
        rng = np.random.default_rng(seed)
        self.x[: self.surfaces.n, :3] += far * rng.standard_normal((self.surfaces.n, 3))
        self.model.embedded.place(self.x)

    def counted(self):
        """By the host."""
        return sum(place.count for place in self.search.at_end(self.x, self.poses))

    def on(self, device):
        """Return the counter of a device, with its arguments: positions, and poses at two times, at the first of which
        all is apart."""
        away = self.poses + [100.0, 0, 0]
        stacked = np.concatenate([away, self.poses]) if len(self.poses) else np.zeros((2, 3))
        own = DeviceIntersections(device, self.surfaces, self.start)
        return own, device.upload(self.x), device.upload(stacked, np.float32), len(stacked) // 2

    def launched(self):
        """By the serial twin."""
        own, *given = self.on(SerialDevice())
        own.launch(*given)
        return own.count()


@pytest.mark.parametrize("name", STATES)
def test_a_device_counts_what_the_host_finds(name):
    scene, far, least = STATES[name]
    world = World(scene())
    for seed in range(2 if far else 1):
        world.move(far, seed)
        assert world.launched() == world.counted() >= least


def test_a_flat_sheet_passes_through_nothing():
    """Boxes of neighbours that share no corner touch, and lie in one plane but for rounding."""
    world = World(alone())
    assert world.launched() == world.counted() == 0


def test_what_rigid_bodies_have_with_themselves_and_colliders_with_each_other_does_not_count():
    """The two balls of one rigid body pass through each other, as two colliders do."""
    (x, t), (y, u) = ball(1, 0.1), ball(1, 0.1, (0.07, 0.01, 0.02))
    both = np.concatenate([x, y]), np.concatenate([t, u + len(x)])
    far = [solver.Collider(str(k), mesh + [5, 0, 0], triangles) for k, (mesh, triangles) in enumerate(((x, t), (y, u)))]
    world = World(solver.Scene([solver.Rigid("balls", *both, density=200.0)], far))
    assert world.launched() == world.counted() == 0


def test_a_world_whose_bodies_have_no_triangles_counts_nothing():
    """Arrays of nothing have no place on a device: nothing is made, launched or brought down."""
    points = BodySurface("points", [], 0, 3, distance=0.001, thickness=0.001, friction=0.0, loose=range(3))
    v, u = ball(1, 0.2)
    tables = ColliderTables([ColliderShape("ball", u, 0.0, 0.001)], np.dtype(np.float32))
    surfaces, device = Surfaces([points], 3, v[:3], tables, np.dtype(np.float32)), SerialDevice()
    own = DeviceIntersections(device, surfaces, np.concatenate([v[:3], v]))
    own.launch(device.zeros((7, 4), np.float32), device.zeros((len(v), 3), np.float32), len(v))
    assert own.count() == device.counters.launches == device.counters.down == 0


@pytest.mark.parametrize("is_gpu", [False, True])
def test_a_repeated_launch_counts_where_things_are_by_then(is_gpu, monkeypatch):
    """A GPU of the host replays a graph, with the same arrays; four bytes come down."""
    world = World(ball_in_sheet())
    device = host_gpu(monkeypatch) if is_gpu else SerialDevice()
    own, *given = world.on(device)
    found = []
    for height in (0.0, 0.0, 1.0, 0.0):
        world.x[: world.model.parts[0].stop, 2] = height
        device.update(given[0], world.x)
        device.repeat("key", lambda: own.launch(*given))
        device.counters.clear()
        found.append(own.count())
        assert device.counters.down == 4
        assert found[-1] == world.counted()
    assert found[0] == found[1] == found[3] > 0 == found[2]


def test_what_has_left_the_finite_numbers_meets_nothing():
    """The simulation ends then. 2 s: boxes that meet nothing take 10 ms to walk, all 1.6 thousand million pairs longer."""
    World(alone()).launched()  # kernels are compiled
    world = World(solver.Scene([cloth("sheet", sheet(128, 1.0, (0, 0, 0)), self_contact=False)]))
    world.x[:] = np.nan
    own, *given = world.on(SerialDevice())
    began = time.perf_counter()
    own.launch(*given)
    assert own.count() == world.counted() == 0
    assert time.perf_counter() - began < 2.0


def test_contact_that_acts_on_everything_is_asked_itself():
    scene = touching.fold()
    simulation = solver.Simulation(scene)
    assert simulation._search.world is None
    assert World(scene).search.world is not None


def test_the_memory_that_is_told_is_what_is_taken():
    """20 %: places that no element takes, and the sums of counts."""
    world = World(solver.Scene([cloth("sheet", sheet(60, 1.0, (0, 0, 0)))]))
    device = Sized()
    DeviceIntersections(device, world.surfaces, world.start)
    assert needed_memory(world.search) == pytest.approx(device.taken, rel=0.2)


class Sized(Recorder):
    """taken: by arrays [B]."""

    taken = 0

    def empty(self, shape, dtype):
        array = super().empty(shape, dtype)
        self.taken += array.nbytes
        return array

    def zeros(self, shape, dtype):
        self.taken += int(np.prod(shape)) * np.dtype(dtype).itemsize
        return super().zeros(shape, dtype)

    def upload(self, host, dtype=None):
        array = super().upload(host, dtype)
        self.taken += array.nbytes
        return array
