"""The exact state of a simulation as arrays by name: content of a checkpoint, and the start of a repeated frame."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..contact.contact import Contact
from ..errors import CacheError
from ..model.model import Model
from ..model.rod_frames_start import renew_frames
from ..model.state import State
from . import plastic_numbers
from .field_poses import FieldPoses
from .poses import Drivers, Poses
from .sleep import hold_rigid_bodies

Array = np.ndarray


def snapshot(model: Model, state: State, drivers: Drivers, contact: Contact | None, lists: bool = True) -> dict[str, Array]:
    """Copies of the state that a substep continues from: it gives the same bits as without a stop. Without
    neighbour lists, which are large, pairs are searched for anew, as they are when the substep's length changes."""
    arrays = {"x": state.x, "remainder": state.remainder, "v": state.v}
    arrays |= {"frame": np.array(state.frame), "time": np.array(state.time)}
    arrays |= {"inversion_recovery": state.inversion_recovery, "clamped_pins": state.clamped_pins}
    arrays["flat_compression"] = state.flat_compression
    arrays["stall_stayed"], arrays["times"] = np.array(state.stall_stayed), np.array(state.times)
    stays = [k for k, batch in enumerate(model.batches) if not batch.changes]  # others are found anew
    arrays |= {f"displacements_{k}": state.displacements[k] for k in stays}
    arrays |= {f"strains_at_start_{k}": state.strains_at_start[k] for k in stays}
    arrays |= plastic_numbers.kept(model, state.strains_at_start)
    arrays |= {f"pins_{i}": p for i, p in enumerate(drivers.now.pins)}
    arrays["collider_vertices"] = drivers.now.collider_vertices
    arrays |= drivers.now.fields.arrays()
    if model.settings.device != "cpu":
        arrays[OF_DEVICE] = np.array(True)
    if model.settings.integrator == "bdf2":
        arrays |= {"motion": state.motion, "v_before": state.v_before, "history": state.history}
        arrays["step_before"] = np.array(state.step_before)
    if contact is not None:
        arrays |= contact.state(lists)
    if state.rigid is not None:
        arrays |= state.rigid.memory
    if state.sleep is not None:
        arrays |= state.sleep.memory
    if state.rods is not None:
        arrays |= state.rods.memory
    if len(state.pressure):
        arrays["pressure"] = state.pressure
    if len(state.broken):
        arrays[BROKEN], arrays[BOUND] = state.broken, state.bound
    if len(state.let_go):
        arrays[LET_GO] = state.let_go
    return {key: np.array(value) for key, value in arrays.items()}


def restore(saved: Mapping[str, Array], model: Model, state: State, drivers: Drivers, contact: Contact | None) -> None:
    """Take over a snapshot of the same scene and settings. Written: state, drivers.now, contact.

    Raises: CacheError if it does not fit; then nothing is written.
    """
    _check(saved, snapshot(model, state, drivers, contact))
    take_back(saved, model, state, drivers, contact)


def is_of_device(saved: Mapping[str, Array]) -> bool:
    """Return whether a snapshot is of a simulation whose elements are packed for a GPU, in another order than for the
    CPU."""
    return isinstance(saved, Mapping) and OF_DEVICE in saved


def fitted(
    saved: Mapping[str, Array], model: Model, state: State, drivers: Drivers, contact: Contact | None
) -> dict[str, Array]:
    """A snapshot of the same meshes and colliders under other settings, as one of these: positions and motions
    are taken over, and other arrays where they fit; the rest begins as at a start.

    Raises: CacheError if positions, velocities or colliders do not fit.
    """
    mine = snapshot(model, state, drivers, contact)
    _check({key: saved[key] for key in PLACE if key in saved}, {key: mine[key] for key in PLACE}, "meshes have")
    fits = {key for key, value in mine.items() if _fits(key, saved.get(key), value)}
    for group in _groups(mine, contact):
        if not group <= fits:
            fits -= group
    if is_of_device(saved) != is_of_device(mine):
        fits -= {key for key in mine if key.startswith(OF_ELEMENTS)}
    arrays = {key: np.array(saved[key]) if key in fits else value for key, value in mine.items()}
    strains = [arrays.get(f"strains_at_start_{k}", NOTHING) for k in range(len(model.batches))]
    plastic_numbers.give(saved, model, strains)  # plastic strain outlives another order of packs
    arrays["x"][:, 3] = mine["x"][:, 3]  # weights, which are of the settings
    arrays["v"][: model.n_vertices][model.fixed] = 0
    for k, part in enumerate(model.parts):
        if f"pins_{k}" not in fits and part.body.pins is not None:
            arrays[f"pins_{k}"] = arrays["x"][part.start + part.body.pins.indices, :3].astype(mine[f"pins_{k}"].dtype)
    arrays["times"], arrays["stall_stayed"] = np.array(1), np.array(False)
    return arrays


#: Of a snapshot, what no settings change.
PLACE = "x", "remainder", "v", "frame", "time", "collider_vertices"
#: Which belong together: of the integrator that remembers the substep before, and of sleep.
OF_DEVICE = "of_device"
#: Edges that are broken: the model is torn there.
BROKEN = "broken_edges"
#: Copies that pins keep together there.
BOUND = "bound_copies"
#: Vertices whose pins hold no longer.
LET_GO = "let_go"
#: Arrays kept of each element, in the order of the packs.
OF_ELEMENTS = "displacements_", "strains_at_start_"
NOTHING = np.zeros((0, 0))
HISTORY = {"motion", "v_before", "history", "step_before"}


def _groups(mine: Mapping[str, Array], contact: Contact | None) -> list[set[str]]:
    """Arrays that are taken over together or not at all."""
    prefixes = *OF_ELEMENTS, "sleep_", "rigid_"
    batches = {"inversion_recovery", *(key for key in mine if key.startswith(prefixes[:2]))}
    of_contact = set() if contact is None else set(contact.state())
    return [batches, HISTORY & set(mine), of_contact, *({key for key in mine if key.startswith(p)} for p in prefixes[2:])]


def take_back(saved: Mapping[str, Array], model: Model, state: State, drivers: Drivers, contact: Contact | None) -> None:
    """As `restore`, of a snapshot that is known to fit."""
    state.x[:], state.remainder[:], state.v[:] = saved["x"], saved["remainder"], saved["v"]
    state.frame, state.time = int(saved["frame"]), float(saved["time"])
    state.inversion_recovery[:], state.clamped_pins[:] = saved["inversion_recovery"], saved["clamped_pins"]
    state.flat_compression[:] = saved["flat_compression"]
    state.stall_stayed, state.times = bool(saved["stall_stayed"]), int(saved["times"])
    for i, batch in enumerate(model.batches):
        if not batch.changes:
            state.displacements[i][:] = saved[f"displacements_{i}"]
            state.strains_at_start[i][:] = saved[f"strains_at_start_{i}"]
    pins = [np.array(saved[f"pins_{i}"]) for i in range(len(drivers.now.pins))]
    drivers.now = Poses(pins, np.array(saved["collider_vertices"]), FieldPoses.from_arrays(saved))
    if model.settings.integrator == "bdf2":
        state.motion[:], state.v_before[:], state.history[:] = saved["motion"], saved["v_before"], saved["history"]
        state.step_before = float(saved["step_before"])
    if len(state.pressure):
        state.pressure[:] = saved["pressure"]
    if len(state.broken):
        state.broken[:], state.bound[:] = saved[BROKEN], saved[BOUND]
    if len(state.let_go):
        state.let_go[:] = saved[LET_GO]
    if contact is not None:
        contact.restore(saved)
    if state.rigid is not None:
        for key, array in state.rigid.memory.items():
            array[:] = saved[key]
    if state.sleep is not None:
        for key, array in state.sleep.memory.items():
            array[:] = saved[key]
        hold_rigid_bodies(model, state)
    if state.rods is not None:
        for key, array in state.rods.memory.items():
            array[:] = saved[key]
        renew_frames(model, state.rods)


def _fits(key: str, other: object, value: Array) -> bool:
    free = 1 if key.startswith(("pair_", "fields_")) else 0  # fields, and pairs of surfaces that are near, come and go
    return isinstance(other, np.ndarray) and other.shape[free:] == value.shape[free:] and other.dtype == value.dtype


def _check(saved: Mapping[str, Array], mine: Mapping[str, Array], what: str = "scene or its settings have") -> None:
    if not isinstance(saved, Mapping):
        raise CacheError(f"Checkpoint: is a {type(saved).__name__}; wanted arrays by name. Give what `snapshot` returned.")
    for key, value in mine.items():
        other = saved.get(key)
        if _fits(key, other, value):
            continue
        description = f"a {type(other).__name__}"
        if isinstance(other, np.ndarray):
            description = f"of shape {other.shape} and type {other.dtype}"
        raise CacheError(
            f"Checkpoint: '{key}' is {'missing' if other is None else description}; wanted shape {value.shape} and type "
            f"{value.dtype}. The {what} changed since it was written: clear the cache and bake again."
        )
    for key in ("x", "remainder", "v"):
        bad = np.flatnonzero(~np.isfinite(saved[key]).all(1))
        if len(bad):
            raise CacheError(
                f"Checkpoint: '{key}' is not finite in {len(bad)} rows (first: row {bad[0]}); wanted finite numbers. "
                "Clear the cache and bake again."
            )
