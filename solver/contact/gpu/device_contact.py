"""Contact of a world on a device, as a frame uses it: take, begin, project, end, stop, give.

A substep finds its pairs and contacts, sweeps them with the elements, and ends with continuous collision detection. Failures
are detected at the frame's end or before it; then the CPU computes the frame (`DeviceContact.take`, `is_good`).
"""

from __future__ import annotations

import numpy as np

from ...device.cuda.device import Array, SerialDevice
from ...device.cuda.primitives import ThreadSums
from ...model.gpu.cpu_reason import CpuReason
from ...model.gpu.placing import Places
from ...model.gpu.substep_motion import Motion
from ...model.model import Model
from ...model.state import State
from ..contact import Contact
from . import counts, plane_contacts
from .counts import PUSHING
from .pair_stages import Carriers, PairStages
from .plane_contacts import PlaneContacts
from .pushed import PushedBy


class DeviceContact:
    """Contacts of pairs and with infinite planes of a world. why: see `PairStages.trouble`; quiet: whether the clamp removed
    next to no motion in the last frame."""

    def __init__(
        self,
        device: SerialDevice,
        model: Model,
        contact: Contact,
        places: Places,
        carriers: Carriers,
        solved: np.ndarray,
        inextensible: np.ndarray,
    ) -> None:
        """Allocate. places: positions of the state. solved, inextensible: see `PairStages`."""
        self._contact = contact
        is_coupled = np.zeros(model.n_vertices, bool)
        is_coupled[carriers.rows] = True
        plane = PlaneContacts(device, contact, is_coupled, model.h)
        self.planes = plane if plane.count else None
        pairs_too = contact.exchange.has_pairs() or bool(is_coupled.any())
        of_step = solved, inextensible
        self.pairs = PairStages(device, contact, places, carriers, plane, model.h, *of_step) if pairs_too else None
        self._device, self._on_planes = device, ThreadSums(device, model.n_vertices, PUSHING.width, 1)
        self.why, self.quiet = CpuReason.NONE, True

    def take(self, state: State, colliders: np.ndarray) -> bool:
        """Take over the host's contact state at a frame's start; return False if the CPU has to compute the frame.

        colliders: vertices of all [m], (m, 3).
        """
        if self.planes is not None:
            self.planes.take(*self._contact.exchange.plane_forces())
        if self.pairs is None:
            return True
        if state.clamped_pins.any() or not self._contact.exchange.is_clear(state.x, colliders):
            self.why = CpuReason.INTERSECTIONS
            return False
        self.pairs.take(*self._contact.exchange.pair_forces())
        return True

    def begin_frame(self, poses: Array, rows: int) -> None:
        """See `PairStages`."""
        if self.pairs is not None:
            self.pairs.begin_frame(poses, rows)

    def begin(self, motion: Motion) -> None:
        """After the prediction."""
        if self.pairs is not None:
            self.pairs.find(motion)
        if self.planes is not None:
            self.planes.launch(plane_contacts.begin, motion)
        if self.pairs is not None:
            self.pairs.begin(motion)

    def project(self, motion: Motion, to_come: int) -> None:
        """After a sweep of the elements. to_come: sweeps after it."""
        if self.pairs is not None and to_come % self.pairs.interval == 0:
            self.pairs.project(motion)
        if self.planes is not None:
            self.planes.launch(plane_contacts.project, motion)

    def end(self, motion: Motion) -> None:
        """Before velocities are set."""
        if self.planes is not None:
            self.planes.launch(plane_contacts.end, motion)
        if self.pairs is not None:
            self.pairs.end(motion)

    def stop(self, motion: Motion) -> None:
        """After velocities are set."""
        if self.pairs is not None:
            self.pairs.stop(motion)
        if self.planes is not None:
            self.planes.launch(plane_contacts.stop, motion)

    def end_frame(self, motion: Motion) -> None:
        """After the last substep of a frame."""
        if self.pairs is not None:
            self.pairs.end_frame(motion)
        if self.planes is not None:
            arguments = counts.OfPlanes(self.planes.arguments(motion), self._on_planes.sums)
            self._device.launch(counts.count_planes, len(arguments.sums), arguments)
            self._on_planes.gather()

    def pushed(self, nobody: PushedBy) -> PushedBy:
        """Return the vertices with contact forces in the last substep. nobody: returned without contacts."""
        pairs = nobody.pairs if self.pairs is None else self.pairs.touched
        return PushedBy(pairs, nobody.planes if self.planes is None else self.planes.for_global_step[-1])

    @property
    def key(self) -> int:
        """Changes when arrays do."""
        return 0 if self.pairs is None else self.pairs.made

    def is_good(self) -> bool:
        """Return whether the frame can be kept; else the CPU has to repeat it."""
        self.why, self.quiet = (CpuReason.NONE, True) if self.pairs is None else self.pairs.trouble()
        return not self.why

    def numbers(self) -> dict[str, float]:
        """The fields of a report that are of contact, of a frame in which all could be kept apart."""
        count, candidates, deepest, clamped = (0, 0, 0.0, 0) if self.pairs is None else self.pairs.numbers()
        if self.planes is not None:
            plane_sums = self._on_planes.take()
            count, deepest = count + int(plane_sums[PUSHING.count]), max(deepest, float(plane_sums[PUSHING.deepest]))
        return {"contacts": count, "pairs": candidates, "deepest": deepest, "clamped": clamped}

    def keep(self) -> None:
        """Copy the data that `give` reads."""
        if self.planes is not None:
            self.planes.keep()
        if self.pairs is not None:
            self.pairs.keep()

    def write_to(self, state: State, colliders: tuple[np.ndarray, np.ndarray], from_copy: bool) -> None:
        """Pass the contacts of the frame's last substep to the host. state: at the frame's end. colliders: their vertices at
        the substep's start and end [m], (m, 3). as_kept: read the copy of `keep`."""
        number, rows = (None, None) if self.planes is None else self.planes.download(from_copy)
        contacts = None if self.pairs is None else self.pairs.download(from_copy)
        self._contact.exchange.take_frame(state.x0, state.x_pred, state.x, colliders, number, rows, contacts)
