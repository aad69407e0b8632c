"""Contacts of pairs on a device: the launches of a substep, and the exchange with the host.

A substep finds its pairs and contacts, sweeps them with the elements, and ends with continuous collision detection. Failures
are detected at the frame's end or before it; then the CPU computes the frame (`DeviceContact.take`, `is_good`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device.cuda.array_copies import ArrayCopies
from ...device.cuda.device import Array, SerialDevice
from ...device.cuda.primitives import ThreadSums
from ...model.gpu.cpu_reason import CpuReason
from ...model.gpu.placing import Places, place
from ...model.gpu.rigid_bodies import DeviceRigid
from ...model.gpu.substep_motion import Motion
from ...model.model import Model
from ...steering import ACTIVATION, LEAST_GAP, PAIR_INTERVAL, STALL_COUNT, STALL_SHARE, STALLED, STALLED_INEXTENSIBLE
from ..constraints.tables import SLOTS
from ..contact import Contact
from ..device_exchange import FoundPairs
from ..surfaces.motion import SubstepMotion
from ..surfaces.surfaces import Surfaces
from . import ccd_passes, counts, embedded_ccd, embedded_contacts, embedded_points, pair_sweeps, particle_poses
from .counts import LET_GO, PUSHING
from .embedded_points import coupled_on
from .force_exchange import forces_by_key, rows_of_forces
from .pair_selection import CONTACT, Begun, Contacts, Pairs, Tally, choose, start, tally
from .plane_contacts import PlaneContacts
from .rigid_stages import RigidStages
from .surface_arrays import SurfaceArrays
from .tree_search import Candidates, Ranges

#: Jacobi sweeps of contacts for one sweep of the elements; the same with rigid bodies, which form stacks; and sweeps of
#: restitution.
SWEEPS, RIGID_SWEEPS, STOPS = 8, 16, 4
#: Rows for candidate pairs, and for contacts, of each element of a body to begin with; and at least.
PAIRS_AN_ELEMENT, CONTACTS_AN_ELEMENT, LEAST_ROWS = 32, 4, 4096
#: Memory of a row of each [B].
PAIR_BYTES, CONTACT_BYTES = 8 * 4, (4 + 1 + CONTACT.width) * 4
#: Memory of the copy of a contact for the host, see `Last` [B].
KEPT_BYTES = (1 + 4 + 1) * 4
#: Times the rows that were needed, that there are afterwards.
MORE = 1.5


def rooms_of(surfaces: Surfaces) -> tuple[int, int]:
    """Rows for candidate pairs, and for contacts, to begin with."""
    body_elements = surfaces.body_points + surfaces.body_edges + surfaces.body_triangles
    return max(PAIRS_AN_ELEMENT * body_elements, LEAST_ROWS), max(CONTACTS_AN_ELEMENT * body_elements, LEAST_ROWS)


def needed_memory(contact: Contact | None) -> int:
    """Return the initial device memory of the pairs of a world [B]."""
    if contact is None or not contact.exchange.has_pairs():
        return 0
    pairs_of, contacts = rooms_of(contact.exchange.surface_tables()[0])
    return PAIR_BYTES * pairs_of + (2 * CONTACT_BYTES + KEPT_BYTES) * contacts


class Rows:
    """Contacts of one substep. ranges: their rows; table: the arguments of thread bodies."""

    def __init__(self, device: SerialDevice, elements: int, room: int) -> None:
        self.ranges = Ranges(device, elements, room)
        arrays = (
            device.zeros((4, room), np.int32),
            device.zeros(room, np.int32),
            device.zeros((CONTACT.width, room), np.float32),
        )
        self.table = Contacts(self.ranges.first, np.int32(room), *arrays)

    @property
    def forces(self) -> Array:
        return self.table.values[CONTACT.multiplier : CONTACT.multiplier + 4]


class Last(NamedTuple):
    """Contacts of a frame's last substep. first, partners: of `Contacts`; forces: (4, room) [N]; missing: (room,) [m].
    touched, level: see `ccd.Clamp`. most: see `Needed`."""

    first: Array
    partners: Array
    forces: Array
    missing: Array
    touched: Array
    level: Array
    most: Array


class Carriers(NamedTuple):
    """Vertices that are coupled to others. embedded: points, their corners and shares, of the device (`StateArrays`). rigid:
    bodies, or None. rows: of all these vertices, points first, on the host."""

    embedded: list[Array]
    rigid: DeviceRigid | None
    rows: np.ndarray


def carriers_of(model: Model, embedded: list[Array], rigid: DeviceRigid | None) -> Carriers:
    """Return the coupled vertices of a model."""
    bodies = [np.arange(shape.start, shape.stop) for shape in model.rigid]
    return Carriers(embedded, rigid, np.concatenate([model.embedded.rows, *bodies]).astype(np.int64))


class PairStages:
    """Contacts of pairs: arrays of a world's surfaces, and the launches of a substep. interval: sweeps of the elements for
    one of contacts, of points that are coupled as often as on the CPU."""

    def __init__(
        self,
        device: SerialDevice,
        contact: Contact,
        places: Places,
        carriers: Carriers,
        plane: PlaneContacts,
        h: float,
        solved: np.ndarray,
        inextensible: np.ndarray,
    ) -> None:
        """Allocate. places: positions of the state. plane: contacts with planes. h: substep [s]. solved: see
        `selection.Begun`. inextensible: vertices of sheets that are stiff or have limits, (n,) bool."""
        tables, ties, solid, speed, edge = contact.exchange.surface_tables()
        self._solved = device.upload(solved, np.float32)
        s = self.surfaces = SurfaceArrays(device, tables, ties, solid)
        self.device, self._places, self._planes = device, places, plane
        self._allowance = np.float32(speed * h)
        self._stall = device.upload(np.where(inextensible, STALLED_INEXTENSIBLE, STALLED) * edge, np.float32)
        self._suffices = device.upload(inextensible, np.int32)
        zeros = device.zeros
        self._x0, self._x1, self._wanted, self._lead = (zeros((s.count, 4), np.float32) for _ in range(4))
        self._nearest, self._room, self._share = (zeros(s.count, np.float32) for _ in range(3))
        self._coupled, self._points = coupled_on(device, carriers.embedded, s.n), len(carriers.embedded[0])
        self._rigid = RigidStages(device, carriers.rigid, s.count)
        rows = carriers.rows
        self._rows, self._result_of = device.upload(rows if len(rows) else [0], np.int32), len(rows)
        self.interval = 1 if self._result_of else PAIR_INTERVAL
        self._level, self._changed = (zeros(s.count, np.int32) for _ in range(2))
        self._clamped, self._stalled, self._touched = (zeros(s.n, np.int32) for _ in range(3))
        self._failed, self._load = zeros(ccd_passes.PASSES + 1, np.int32), zeros(s.n, np.float32)
        self._let_go = ThreadSums(device, s.count, LET_GO.width)
        self._pushing = ThreadSums(device, len(s.ids), PUSHING.width, 1)
        self._last_kept = ArrayCopies(device)
        self._rooms = rooms_of(tables)
        self.made = 0
        self._make_room()

    def _make_room(self) -> None:
        device, (room, most), count = self.device, self._rooms, len(self.surfaces.ids)
        self._candidates = Candidates(self.surfaces, room)
        self._distance, self._thick, self._kept, self._time, self._safe = (device.zeros(room, np.float32) for _ in range(5))
        self._chosen = device.zeros(room, np.int32)
        self._both = tuple(Rows(device, count, most) for _ in range(2))
        self._contacts, self.made = self._both[0], self.made + 1

    def take(self, keys: np.ndarray, forces: np.ndarray) -> None:
        """Take over the forces of pairs in the last substep: keys (k,) int64, forces (k, 4) [N]."""
        first, partners, values = rows_of_forces(self.surfaces, keys, forces)
        if len(partners) > self._rooms[1]:
            self._rooms = self._rooms[0], int(MORE * len(partners))
            self._make_room()
        rows, device = self._both[1], self.device  # the first substep looks there
        device.update(rows.ranges.first, first)
        if len(partners):
            device.update(rows.table.partners[: len(partners)], partners)
            for column, value in enumerate(values.T):
                device.update(rows.forces[column][: len(partners)], np.ascontiguousarray(value))

    def begin_frame(self, poses: Array, rows: int) -> None:
        """poses: of collider vertices, (poses * rows, 3) [m]; rows: of one."""
        self._poses = poses, np.int32(rows)
        for array in (self._clamped, self._stalled, self._failed):
            self.device.update(array, 0)
        for ranges in (self._candidates.ranges, *(rows.ranges for rows in self._both)):
            self.device.update(ranges.most, 0)

    def find(self, motion: Motion) -> None:
        """Find the contacts of a substep."""
        s, device = self.surfaces, self.device
        device.launch(particle_poses.begin, s.count, self._particles(motion))
        self._lend(motion)
        self._candidates.find(self._x0, self._x1, self._x1, float(ACTIVATION))
        arguments = self._pairs()
        device.launch(choose, len(self._chosen), arguments)
        self._contacts, past = self._both[motion.step % 2], self._both[1 - motion.step % 2]
        ranges, count = self._contacts.ranges, len(s.ids)
        device.launch(tally, count, Tally(arguments.first, arguments.room, arguments.chosen, ranges.counts))
        ranges.sum_up()
        before = past.ranges.first, past.table.partners, past.forces
        device.launch(
            start, len(self._chosen), Begun(arguments, self._contacts.table, *before, self._allowance, self._solved)
        )

    def begin(self, motion: Motion) -> None:
        """Compute the contacts' weights, and move vertices by their initial forces."""
        arguments = self._arguments(motion)
        self.device.launch(embedded_contacts.write_weights, self._result_of, self._embedded(motion))
        self.device.launch(pair_sweeps.begin, self.surfaces.n, arguments)
        self.device.launch(embedded_points.spread, self._points, arguments)
        self._rigid.spread(arguments)
        self.device.launch(pair_sweeps.weigh, self.most, arguments)
        self.move_partners(motion)

    def move_partners(self, motion: Motion) -> None:
        """Move vertices outside the global step by their contact forces."""
        arguments = self._arguments(motion)._replace(all_move=np.int32(0))
        self._move(arguments, self._embedded(motion)._replace(pairs=arguments))

    def project(self, motion: Motion) -> None:
        """Sweep the contacts."""
        arguments, points = self._arguments(motion), self._embedded(motion)
        self._place()
        self._rigid.move(arguments)
        for _ in range(RIGID_SWEEPS if self._rigid.vertices else SWEEPS):
            self.device.launch(pair_sweeps.project, self.most, arguments)
            self._move(arguments, points)

    def _move(self, args: pair_sweeps.PairContacts, points: embedded_contacts.EmbeddedContacts) -> None:
        """Move vertices by their contacts, then the vertices coupled to them."""
        self.device.launch(embedded_contacts.collect, self._result_of, points)
        self.device.launch(pair_sweeps.move, self.surfaces.n, args)
        self._put()
        self._rigid.twist(args)
        self._rigid.move(args)

    def _place(self) -> None:
        """Set positions to prediction plus correction, and interpolate embedded points."""
        self.device.launch(place, len(self._places.x), self._places)
        self._put()

    def _put(self) -> None:
        self.device.launch(embedded_points.put, self._points, embedded_points.Placed(self._coupled, self._places.x))

    def _lend(self, motion: Motion) -> None:
        arguments = embedded_points.Lent(self._coupled, motion.x0, self._x0, self._x1)
        self.device.launch(embedded_points.lend, self._points, arguments)
        self._rigid.lend(arguments)

    def end(self, motion: Motion) -> None:
        """Let vertices go less far that would pass through something."""
        s, device, points = self.surfaces, self.device, self._points
        self._place()
        self._rigid.correct(motion)
        self._lift(motion)
        device.launch(particle_poses.end, s.n, self._particles(motion))
        self._lend(motion)
        clamp = self._clamp(motion)
        device.launch(ccd_passes.bound, s.count, clamp)
        if points:
            device.launch(embedded_ccd.lead_carriers, s.n, clamp)
        device.launch(embedded_ccd.reach, points, clamp)
        self._rigid.lead(clamp)
        self._candidates.find(self._x0, self._wanted, self._lead, float(LEAST_GAP))
        held = embedded_ccd.Held(self._rows, clamp, self._planes.arguments(motion))
        for number in range(ccd_passes.PASSES):
            clamp = clamp._replace(number=np.int32(number))
            device.launch(ccd_passes.check, len(self._chosen), clamp)
            if points:
                device.launch(embedded_ccd.write_safe_share, self._result_of, held._replace(clamp=clamp))
            self._rigid.clamp(clamp)
            device.launch(ccd_passes.clamp, s.n, clamp)
            device.launch(embedded_ccd.follow, points, clamp)
            self._rigid.follow(clamp)
        device.launch(ccd_passes.check, len(self._chosen), clamp._replace(number=np.int32(ccd_passes.PASSES)))
        device.launch(embedded_ccd.write_pushed, self._result_of, held)
        device.launch(ccd_passes.settle, s.n, clamp)
        self._rigid.settle(clamp)

    def _lift(self, motion: Motion) -> None:
        """Move vertices that crossed planes back in front of them, one body kind after the other."""
        for _ in range(min(self._planes.count, SLOTS) if self._result_of else 0):
            points = self._embedded(motion)
            self.device.launch(embedded_contacts.lift, self._result_of, points)
            if self._points:
                self.device.launch(embedded_contacts.lift_carriers, self.surfaces.n, points.pairs)
                self._put()
            self._rigid.lift(points.pairs)

    def stop(self, motion: Motion) -> None:
        """Remove the velocities of separation that projection has added."""
        arguments = self._arguments(motion)
        for _ in range(STOPS):
            self.device.launch(pair_sweeps.slow, self.most, arguments)
            self.device.launch(pair_sweeps.stop, self.surfaces.n, arguments)
        self.device.launch(ccd_passes.restart, self.surfaces.n, self._clamp(motion))

    def end_frame(self, motion: Motion) -> None:
        """After the last substep: its contacts go where the first of the next frame looks for them, and are measured."""
        s, launch, mine, wanted = self.surfaces, self.device.launch, self._contacts, self._both[1]
        launch(pair_sweeps.measure, self.most, self._arguments(motion))
        of_pairs = counts.OfPairs(mine.table, s.elements, np.int32(s.n), self._pushing.sums)
        launch(counts.count_pairs, len(of_pairs.sums), of_pairs)
        of_particles = counts.OfParticles(self._level, self._clamped, self._stalled, self._suffices, self._let_go.sums)
        launch(counts.count_clamped, len(of_particles.sums), of_particles)
        for sums in (self._pushing, self._let_go):
            sums.gather()
        if mine is not wanted:
            self.device.copy(wanted.ranges.first, mine.ranges.first)
            self.device.copy(wanted.table.partners, mine.table.partners)
            self.device.copy(wanted.forces, mine.forces)

    def trouble(self) -> tuple[CpuReason, bool]:
        """Return the reason why the frame failed, and whether next to nothing was clamped in it.

        The capacity of pairs grows if it was too small.
        """
        down, n = self.device.download, self.surfaces.n
        needed = [max(int(down(ranges.most)[0]) for ranges in ranges_of_all) for ranges_of_all in self._ranges()]
        if any(most > room for most, room in zip(needed, self._rooms, strict=True)):
            sizes = zip(needed, self._rooms, strict=True)
            self._rooms = tuple(int(MORE * most) if most > room else room for most, room in sizes)  # type: ignore[assignment]
            self._make_room()
            return CpuReason.ROOM, False
        least, self._let_go_less_far = max(STALL_COUNT, STALL_SHARE * n), self._let_go.take()
        if int(down(self._failed)[-1]):
            return CpuReason.NOT_APART, False
        if self._let_go_less_far[LET_GO.stalled] > least or self._let_go_less_far[LET_GO.suffice] > 0:
            return CpuReason.STALLED, False
        return CpuReason.NONE, bool(self._let_go_less_far[LET_GO.ever] <= least)

    def numbers(self) -> tuple[int, int, float, int]:
        """Return of a frame's last substep: number of contacts with force, candidates, the largest shortfall [m], and
        clamped particles."""
        sums, clamped = self._pushing.take(), int(self._let_go_less_far[LET_GO.last])
        candidates = int(self.device.download(self._candidates.ranges.most)[0]) // 2  # each pair is found from both sides
        return int(sums[PUSHING.count]), candidates, float(sums[PUSHING.deepest]), clamped

    def _ranges(self) -> tuple[tuple[Ranges, ...], tuple[Ranges, ...]]:
        return (self._candidates.ranges,), tuple(rows.ranges for rows in self._both)

    def keep(self) -> None:
        """Copy the data that `found` reads."""
        self._last_kept.take(self._last())

    def _last(self) -> Last:
        rows = self._both[1]
        missing = self._contacts.table.values[CONTACT.missing]
        of_rows = rows.ranges.first, rows.table.partners, rows.forces, missing
        return Last(*of_rows, self._touched, self._level, self._candidates.ranges.most)

    def download(self, from_copy: bool) -> FoundPairs:
        """Return the contacts of a frame's last substep for the host. as_kept: read the copy of `keep`."""
        last = Last._make(self._last_kept.arrays) if from_copy else self._last()
        down = self.device.download
        first = down(last.first)
        count = int(first[-1])
        partners, missing = down(last.partners[:count]), down(last.missing[:count])
        forces = np.stack([down(last.forces[k][:count]) for k in range(4)])
        keys, forces, deepest = forces_by_key(self.surfaces, first, partners, forces, missing)
        return FoundPairs(keys, forces, down(last.touched) > 0, deepest, down(last.level), int(down(last.most)[0]) // 2)

    @property
    def touched(self) -> Array:
        """Vertices that pairs pushed in the last substep, (n,): 1, or 0."""
        return self._touched

    @property
    def most(self) -> int:
        """Return the capacity in contacts."""
        return int(self._contacts.table.room)

    @property
    def for_global_step(self) -> tuple[Contacts, Array, Array, Array, Array]:
        """The contacts of this substep, the elements of each vertex, loads, and how the step knows each vertex
        (`pairs.PairContacts`)."""
        return self._contacts.table, self.surfaces.at_first, self.surfaces.at, self._load, self._solved

    def _particles(self, motion: Motion) -> particle_poses.Particles:
        return particle_poses.Particles(motion, np.int32(self.surfaces.n), *self._poses, self._x0, self._x1)

    def _pairs(self) -> Pairs:
        s, c = self.surfaces, self._candidates
        listed = c.ranges.first, c.ranges.room, c.partners, c.owners
        of_candidates = self._distance, self._thick, self._kept, self._time, self._chosen
        of_device: Any = self._x0, self._x1
        return Pairs(s.elements, s.table, SubstepMotion(*of_device), s.ties, s.solid, *listed, *of_candidates)

    def _arguments(self, motion: Motion) -> pair_sweeps.PairContacts:
        of_contacts = self._contacts.table, self._coupled, self.surfaces.at_first, self.surfaces.at
        return pair_sweeps.PairContacts(motion, *of_contacts, self._load, self._solved, np.int32(1))

    def _embedded(self, motion: Motion) -> embedded_contacts.EmbeddedContacts:
        return embedded_contacts.EmbeddedContacts(self._rows, self._arguments(motion), self._planes.arguments(motion))

    def _clamp(self, motion: Motion) -> ccd_passes.Clamp:
        s = self.surfaces
        of_vertices = self._wanted, self._lead, self._nearest, self._room, self._share, self._level, self._changed
        of_contacts = self._contacts.table, self._coupled, s.at_first, s.at
        of_frame = self._clamped, self._stalled, self._touched, self._stall, self._load
        passes = self._safe, self._failed, np.int32(0)
        return ccd_passes.Clamp(self._pairs(), motion, *of_contacts, *of_vertices, *passes, *of_frame)
