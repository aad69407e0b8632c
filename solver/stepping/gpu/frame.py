"""A frame on a device: uploads, all substeps as launches, downloads; and the reasons for which the CPU computes it instead.

The host reads nothing within a frame. Failures that only the host can handle, such as recovery of inverted elements, are
detected at the frame's end: then the CPU repeats the frame from the state that the host still has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...contact.contact import Contact
from ...contact.gpu.device_contact import DeviceContact
from ...contact.gpu.pair_selection import UNKNOWN
from ...contact.gpu.pair_stages import carriers_of
from ...device.cuda.device import Array, SerialDevice
from ...device.cuda.uploads import Uploads
from ...global_step.global_step import GlobalStep
from ...global_step.gpu import device_global_step as keep_length
from ...global_step.sheet_part import SheetPart
from ...methods.gpu.gpbd_sweeps import GpbdSweeps
from ...methods.gpu.pbng_sweeps import PbngSweeps
from ...methods.recovery.inversion_recovery import INVERTED
from ...model.gpu import placing, substep_motion
from ...model.gpu.cpu_reason import CpuReason, first_of
from ...model.gpu.rigid_bodies import DeviceRigid
from ...model.gpu.state_arrays import StateArrays
from ...model.gpu.substep_motion import NOW
from ...model.model import Model
from ...model.state import State
from ...report.gpu.device_report import DeviceReport
from ...report.intersections import IntersectionSearch
from ...report.measured import Measured
from ...scene import Response, ShapeCollider
from ..integrate import bdf2_coefficients
from ..poses import Drivers, FrameInputs, Poses
from ..pressure import PressureLoads
from ..step import Done, substep
from . import loads
from .device_stages import DeviceStages
from .samples import Samples
from .sleep_on_host import asleep
from .stitch_lengths import DeviceStitches

#: Data that stays on a device after a frame: as it is now, or as it was before the current frame.
NOW_THERE, KEPT = "now", "kept"
#: Methods that have sweeps on a device.
METHODS = ("gpbd", "gpbd_jacobi", "pbng")


@dataclass
class Clock:
    """Simulated time over that of the scene, and the accumulated loss of it [s]."""

    speed: float = 1.0
    behind: float = 0.0


def why_not(model: Model, contact: Contact | None, global_step: GlobalStep | None) -> CpuReason:
    """Return the reason why no frame of a simulation can run on a device."""
    settings = model.settings
    reasons = {
        CpuReason.METHOD: settings.method not in METHODS,
        CpuReason.PRECISION: settings.dtype != "float32",
        CpuReason.TOLERANCE: settings.tolerance is not None or settings.error_tolerance is not None,
        CpuReason.LOCAL_ITERATIONS: settings.local_iterations > 1,
        CpuReason.ROPES: any(part.kind.is_line for part in model.parts),
        CpuReason.RIGID_TIES: len(model.rigid_ties) > 0,
        CpuReason.SHAPE_MATCHING: any(part.body.kind == "shape_matched" for part in model.parts),
        CpuReason.TEARING: model.tearing is not None
        or any(
            made is not None and made.strength is not None
            for part in model.parts
            for made in (part.body.sewing, part.body.pins)
        ),
        CpuReason.CHANGING_ELEMENTS: any(batch.changes for batch in model.batches),
        CpuReason.SHAPES: any(isinstance(collider, ShapeCollider) for collider in model.scene.colliders),
    }
    return first_of(reasons) or (CpuReason.NONE if global_step is None else keep_length.why_not(global_step, contact))


class DeviceFrames:
    """Frames of one model on one device; a model with other numbers needs another one. contact, pressure, global_step: None
    without any. samples: positions within the last frame [m], (n, 3) each, without that at its end; measured: of
    that frame. why: reason for the CPU in the last frame."""

    def __init__(
        self, device: SerialDevice, model: Model, method: Any, state: State, contact: Contact | None,
        pressure: PressureLoads | None, global_step: GlobalStep | None, search: IntersectionSearch,
        swept: Sequence[SheetPart],
    ) -> None:  # fmt: skip
        """search: for intersections, by the host. swept: see `device_report.swept_parts`."""
        assert all(len(batch.clusters) == batch.packs + 1 for batch in model.batches), "a launch takes a whole colour"
        self.device, self.model = device, model
        self.state = StateArrays(device, model, state)
        if model.settings.method == "pbng":
            self.sweeps: GpbdSweeps | PbngSweeps = PbngSweeps(method, self.state)
        else:
            self.sweeps = GpbdSweeps(method, self.state, model.settings.method == "gpbd_jacobi")
        counts = [0 if part.body.pins is None else len(part.body.pins.indices) for part in model.parts]
        self._first_pins = [int(sum(counts[:k])) for k in range(len(counts))]
        self._pins = sum(counts)
        self._pin_of = device.upload(self._exact_pins())
        self._uploads = Uploads(device)
        self._rigid = DeviceRigid(device, model, state) if model.rigid else None
        self._loads = loads.DeviceLoads(device, model, self.state, pressure, self._rigid, self._uploads)
        self._stitches = DeviceStitches(device, model, self.state, self._uploads)
        self._sampled = Samples(device, model, self.state)
        self.samples: list[np.ndarray] = []
        self.measured: Measured | None = None
        self._places = placing.Places(self.state.x, self.state.x_pred, self.state.correction)
        self._of, self.why = contact, CpuReason.NONE
        self._keep_length, of_step = None, (np.full(model.n_vertices, UNKNOWN), np.zeros(model.n_vertices, bool))
        self._asleep = asleep(model, state)
        awake = [] if global_step is None else global_step.awake(state)
        if global_step is not None and isinstance(self.sweeps, GpbdSweeps):
            self.sweeps.leave_out(global_step.solves, global_step.untouched)
        if global_step is not None and any(awake):
            self._keep_length = keep_length.DeviceGlobalStep(device, model, self.state, global_step, awake, contact)
            of_step = self._keep_length.solved, global_step.inextensible_vertices
        elements = self.sweeps.elements
        self._report = DeviceReport(self.state, elements, self._asleep, self._keep_length, search, swept)
        self._search = search
        self._contact = None
        if contact is not None:
            carriers = carriers_of(model, self.state.embedded, self._rigid)
            self._contact = DeviceContact(device, model, contact, self._places, carriers, *of_step)
        parts = self._rigid, self._first_pins, self.sweeps, self._loads, self._stitches
        self._stages = DeviceStages(device, self.state, self._places, *parts, self._contact, self._keep_length)
        self._is_current, self._stays = False, ""
        self._ended = state.x[:0, :3], state.x[:0, :3]
        self._name = object()  # its launches are of its arrays

    def _exact_pins(self) -> np.ndarray:
        row_of_pin = np.full(self.state.rows, -1, np.int32)
        for part, first in zip(self.model.parts, self._first_pins, strict=True):
            row_of_pin[part.pinned] = part.pinned_rows + first
        return row_of_pin

    def is_of(self, model: Model, contact: Contact | None, state: State, search: IntersectionSearch) -> bool:
        """Return whether these frames fit the arguments: matrices are of the bodies that are awake."""
        same = self.model is model and self._of is contact and self._search is search
        return same and self._asleep == asleep(model, state)

    @property
    def quiet(self) -> bool:
        """True if the CCD clamp removed next to no motion in the last frame."""
        return self._contact is None or self._contact.quiet

    @property
    def finds_all_errors(self) -> bool:
        """True if the errors of all bodies are measured on the device."""
        return self._report.is_whole

    def forget(self) -> None:
        """The state of the host has been changed by others."""
        self._is_current, self._stays = False, ""

    def fetch(self, state: State) -> None:
        """Copy to the host's state and contact the data that has stayed on the device since its last frame."""
        if not self._stays:
            return
        from_copy, self._stays = self._stays == KEPT, ""
        self.state.write_to(state, from_copy)
        if self._contact is not None:
            self._contact.write_to(state, self._ended, from_copy)

    def advance(
        self, state: State, drivers: Drivers, inputs: FrameInputs, responses: list[Response], clock: Clock
    ) -> Done | None:
        """Advance the state by a frame; None where it has to be done by the CPU, and nothing is written then."""
        model, settings, contact, self.why = self.model, self.model.settings, self._contact, CpuReason.NONE
        times = [state.time + clock.behind]
        times += [times[0] + (k + 1) * model.h / clock.speed for k in range(settings.substeps)]
        start, last = drivers.now, drivers.at(times[-1], inputs)
        acts = self._frame(start, last, drivers, inputs, times, responses, state.frame)
        if not self._take(state, start):
            return None
        motion = self._begin(state, drivers, inputs, times, self._poses(start, last, drivers, inputs, times), acts)
        self._is_current = False  # until all has come down
        key = self._name, self._uploads.made, self._loads.key, 0 if contact is None else contact.key
        self.device.repeat(key, lambda: self._substeps(motion))
        if contact is not None and not contact.is_good():
            self.why = contact.why
            return None
        if self._has_inverted():
            self.why = CpuReason.INVERTED
            return None
        self._write_to(state, acts)
        if contact is not None:
            before = drivers.between(start, last, 1.0 - 1.0 / settings.substeps, times[-2], inputs)
            self._ended = before.collider_vertices, last.collider_vertices
        self._is_current, self._stays = True, NOW_THERE
        if settings.integrator == "bdf2":
            state.step_before = model.h
        for _ in range(settings.substeps):
            state.time += model.h
        clock.behind += settings.substeps * model.h * (1.0 / clock.speed - 1.0)
        drivers.now = last
        state.frame += 1
        return Done(settings.substeps * settings.iterations, None)

    def _take(self, state: State, start: Poses) -> bool:
        """Take over the state where the host has another one; return whether the device can go on with it."""
        contact = self._contact
        if not self._is_current:
            if contact is not None and not contact.take(state, start.collider_vertices):
                self.why = contact.why
                return False
            self.state.take(state)
            if self._rigid is not None and state.rigid is not None:
                self._rigid.take(state.rigid)
        if self._stays:  # a failure within the frame leaves the host's state complete
            self.state.keep()
            if contact is not None:
                contact.keep()
            self._stays = KEPT
        return True

    def _begin(
        self, state: State, drivers: Drivers, inputs: FrameInputs, times: list[float], poses: list[Poses], acts: loads.Frame
    ) -> substep_motion.Motion:
        """Upload the inputs of a frame, and begin all stages; return their motion."""
        table = self._table(state, drivers, inputs, times[0], len(poses) - 1)
        pins = _stacked([np.concatenate([np.zeros((0, 3)), *one.pins]) for one in poses])
        motion = self._motion(pins, self._pins, self._uploads.take("table", table))
        colliders = _stacked([one.collider_vertices for one in poses])
        self._colliders = self._uploads.take("colliders", colliders), len(colliders) // len(poses)
        if self._contact is not None:
            self._contact.begin_frame(*self._colliders)
        self._loads.begin_frame(acts, state)
        self._stitches.begin_frame(inputs.shapes)
        self.sweeps.begin_frame()
        return motion

    def _write_to(self, state: State, acts: loads.Frame) -> None:
        """Write what the host needs of each frame to its state, and measure."""
        self.state.write_positions_to(state)
        if self._rigid is not None and state.rigid is not None:
            self._rigid.write_to(state.rigid)
        self._loads.write_to(state)
        self.samples = self._sampled.positions()
        self.measured = self._report.take(state.rigid, acts.gravity, self._contact)

    def _poses(self, start: Poses, last: Poses, drivers: Drivers, inputs: FrameInputs, times: list[float]) -> list[Poses]:
        """Return poses at the frame's ends, or of every substep if a motion is not linear. times: of substeps' ends [s]."""
        count = self.model.settings.substeps
        if not drivers.bend_within(inputs):
            return [start, last]
        return [start, *(drivers.between(start, last, k / count, times[k], inputs) for k in range(1, count)), last]

    def _frame(
        self, start: Poses, last: Poses, drivers: Drivers, inputs: FrameInputs, times: list[float],
        responses: list[Response], number: int,
    ) -> loads.Frame:  # fmt: skip
        """Return the inputs of the frame's external loads. times: of the substeps' ends [s]."""
        count = self.model.settings.substeps
        fields = [last.fields]
        if last.fields.fields:
            between = [drivers.fields_between(start, last, k / count, times[k], inputs) for k in range(1, count)]
            fields = [*between, last.fields]
        return loads.Frame(drivers.gravity(inputs), fields, responses, inputs.shapes, number)

    def _table(self, state: State, drivers: Drivers, inputs: FrameInputs, began: float, intervals: int) -> np.ndarray:
        """The numbers of every substep: (substeps, NOW.width)."""
        model, settings = self.model, self.model.settings
        h, rows = model.h, np.zeros((settings.substeps, NOW.width))
        rows[:, NOW.gravity : NOW.gravity + 3] = drivers.gravity(inputs)
        rows[:, NOW.wind : NOW.wind + 3] = drivers.wind(began, inputs)
        rows[:, NOW.h], rows[:, NOW.inverse_h], rows[:, NOW.keep] = h, 1.0 / h, np.exp(-settings.damping * h)
        for k, row in enumerate(rows):
            ratio = h / (state.step_before if k == 0 else h)
            lag, share, carry = bdf2_coefficients(ratio)
            row[NOW.share], row[NOW.carry], row[NOW.more], row[NOW.ratio] = share, carry, 1.0 + lag, ratio
            row[NOW.start], row[NOW.end] = intervals * k / settings.substeps, intervals * (k + 1) / settings.substeps
        return rows.astype(np.float32)

    def _motion(self, poses: np.ndarray, rows: int, table: Array) -> substep_motion.Motion:
        s, settings = self.state, self.model.settings
        of_state = s.x, s.v, s.x0, s.x_pred, s.correction, s.remainder, s.motion, s.v_before, s.history, s.weight
        second_order = np.int32(settings.integrator == "bdf2" and not settings.quasi_static)
        pins = self._pin_of, self._uploads.take("poses", poses), np.int32(max(rows, 1))
        return substep_motion.Motion(*of_state, s.v, *pins, second_order, table, np.int32(0))

    def _substeps(self, motion: substep_motion.Motion) -> None:
        """Launch all substeps of a frame; the launches follow from the addresses of arrays and `loads.key`."""
        for step in range(self.model.settings.substeps):
            substep(self._stages.at(motion._replace(step=np.int32(step))))
            self._sampled.take(step)
        if self._contact is not None:
            self._contact.end_frame(motion._replace(step=np.int32(step)))
        self._report.measure(self._contact, *self._colliders)

    def _has_inverted(self) -> bool:
        """Return whether a solid had so many inverted elements in the frame that the CPU has to recover it."""
        for k, most in getattr(self.sweeps, "most_inverted", {}).items():
            elements = int((self.model.batches[k].element >= 0).sum())
            if int(self.device.download(most)[0]) > INVERTED * elements:
                return True
        return False


def _stacked(poses: list[np.ndarray]) -> np.ndarray:
    """Poses one after the other, (poses * rows, 3); one row of each where there is nothing to pose."""
    stacked = np.concatenate(poses)
    return stacked if len(stacked) else np.zeros((len(poses), 3))
