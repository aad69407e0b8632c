"""The launches of rigid bodies in contact on a device, in the order of a substep."""

from __future__ import annotations

import numpy as np

from ...device.cuda.device import SerialDevice
from ...model.gpu.rigid_bodies import DeviceRigid, Moved, correct
from ...model.gpu.substep_motion import Motion
from . import rigid_ccd, rigid_contacts
from .ccd_passes import Clamp
from .embedded_points import Lent
from .pair_sweeps import PairContacts
from .rigid_ccd import HeldBodies
from .rigid_contacts import BodyContacts, LentBodies


class RigidStages:
    """Rigid bodies of a world, if there are any: their launches in `PairStages`."""

    def __init__(self, device: SerialDevice, rigid: DeviceRigid | None, count: int) -> None:
        """count: particles."""
        self.device, self.rigid = device, rigid
        self.vertices = 0 if rigid is None else rigid.vertices
        if rigid is None:
            return
        zeros, b = device.zeros, rigid.count
        rows, owner = device.download(rigid.table.rows), device.download(rigid.table.owner)
        self._runs = rigid_contacts.runs_of(device, np.bincount(owner, minlength=b).tolist())
        self._count, self._run_count = b, len(self._runs.sums)
        self._bound, self._totals = zeros(rigid.vertices, np.float32), zeros((b, 2), np.float32)
        body = np.full(count, -1, np.int32)
        body[rows] = owner
        poses = zeros((b, 3), np.float64), zeros((b, 4), np.float64)
        numbers = zeros((b, 3), np.float32), zeros(b, np.float32), zeros(b, np.float32)
        levels = zeros(b, np.int32), zeros(b, np.int32)
        self._of_bodies = device.upload(body), *poses, *numbers, *levels

    def lend(self, lent: Lent) -> None:
        """Write the weights of vertices."""
        if self.rigid is not None:
            self.device.launch(rigid_contacts.lend, self.vertices, LentBodies(self.rigid.table, lent))

    def spread(self, pairs: PairContacts) -> None:
        """Set the loads of vertices from the weights in `point_value`."""
        if self.rigid is not None:
            arguments = self._contacts(pairs)
            self.device.launch(rigid_contacts.bound, self.vertices, arguments)
            self.device.launch(rigid_contacts.add_weights, self._run_count, arguments)
            self.device.launch(rigid_contacts.add_body_weights, self._count, arguments)
            self.device.launch(rigid_contacts.spread, self.vertices, arguments)

    def twist(self, pairs: PairContacts) -> None:
        """Move bodies by the contact forces on their vertices."""
        if self.rigid is not None:
            arguments = self._contacts(pairs)
            self.device.launch(rigid_contacts.add_pushes, self._run_count, arguments)
            self.device.launch(rigid_contacts.twist, self._count, arguments)

    def move(self, pairs: PairContacts) -> None:
        """Write vertices where the twists have moved them."""
        if self.rigid is not None:
            self.device.launch(rigid_contacts.move, self.vertices, self._contacts(pairs))

    def correct(self, motion: Motion) -> None:
        """After the last sweep: twists become poses and momenta."""
        if self.rigid is not None:
            self.device.launch(correct, self._count, Moved(self.rigid.table, motion))
            self.rigid.place(motion.x)

    def lift(self, pairs: PairContacts) -> None:
        """Move bodies that crossed planes back in front of them, by the displacements of their vertices."""
        if self.rigid is not None:
            arguments = self._contacts(pairs)
            self.device.launch(rigid_contacts.lift_run, self._run_count, arguments)
            self.device.launch(rigid_contacts.lift_body, self._count, arguments)
            self.rigid.place(pairs.motion.x)

    def lead(self, clamp: Clamp) -> None:
        """Before the search of continuous collision detection."""
        if self.rigid is not None:
            arguments = self._held(clamp)
            self.device.launch(rigid_ccd.lead_run, self._run_count, arguments)
            self.device.launch(rigid_ccd.lead_body, self._count, arguments)
            self.device.launch(rigid_ccd.reach, self.vertices, arguments)
            self.device.launch(rigid_ccd.longest_run, self._run_count, arguments)
            self.device.launch(rigid_ccd.longest_body, self._count, arguments)

    def clamp(self, clamp: Clamp) -> None:
        """Clamp bodies in one pass, after pairs are tested and before other vertices are clamped."""
        if self.rigid is not None:
            arguments = self._held(clamp)
            self.device.launch(rigid_ccd.write_safe_share, self.vertices, arguments)
            self.device.launch(rigid_ccd.least_run, self._run_count, arguments)
            self.device.launch(rigid_ccd.clamp_body, self._count, arguments)

    def follow(self, clamp: Clamp) -> None:
        """After that."""
        if self.rigid is not None:
            self.device.launch(rigid_ccd.follow, self.vertices, self._held(clamp))

    def settle(self, clamp: Clamp) -> None:
        """After the last pass."""
        if self.rigid is not None:
            self.device.launch(rigid_ccd.settle, self._count, self._held(clamp))

    def _contacts(self, pairs: PairContacts) -> BodyContacts:
        assert self.rigid is not None
        return BodyContacts(self.rigid.table, self._runs, pairs, self._bound, self._totals)

    def _held(self, clamp: Clamp) -> HeldBodies:
        assert self.rigid is not None
        return HeldBodies(self.rigid.table, self._runs, clamp, *self._of_bodies)
