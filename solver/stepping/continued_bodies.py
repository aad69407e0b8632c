"""Bodies of one simulation that continue in another, which has other bodies beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..model.model import PADDING, Model
from ..model.rigid_motion import matrix, quaternion
from ..model.state import State
from . import plastic_numbers
from .snapshot import BROKEN, LET_GO, OF_DEVICE

Array = np.ndarray

#: Arrays of vertices in a snapshot, beside those of the integrator that remembers the substep before.
OF_VERTICES = "x", "remainder", "v", "motion", "v_before", "history"
#: Numbers of the whole scene.
OF_SCENE = "frame", "time", "step_before", "numbers", OF_DEVICE
#: Arrays of the segments and of the joints of ropes.
OF_SEGMENTS = "rods_tangents", "rods_across", "rods_turned"
OF_JOINTS = "rods_twist", "rods_joint_rest", "rods_flowed"
#: Rows of no body.
NOBODY = -1


@dataclass(frozen=True)
class Side:
    """A simulation and its snapshot."""

    model: Model
    state: State
    arrays: Mapping[str, Array]


def continued(before: Side, after: Side, kept: Mapping[str, str]) -> dict[str, Array]:
    """Return a snapshot of the second simulation, at its start, in which bodies are as in the first.

    kept: name of each of these bodies in the second simulation -> its name in the first; their meshes are the same. The
    others are at their start. Left out: what a sweep begins with, contact and sleep, which begin anew.
    """
    numbers = _numbers(before.model, after.model, kept)
    old, new = _owners(before), _owners(after)
    was, arrays = _at_origin(before, after), {key: np.array(after.arrays[key]) for key in ("x", "remainder", "v")}
    arrays |= {key: was[key] for key in OF_SCENE if key in was}
    for key in new.keys() & old.keys() & was.keys() & after.arrays.keys():
        arrays[key] = np.array(after.arrays[key])
        for mine, its in numbers.items():
            rows, source = np.flatnonzero(new[key] == mine), np.flatnonzero(old[key] == its)
            if len(rows) == len(source) and arrays[key].shape[1:] == was[key].shape[1:]:
                arrays[key][rows] = was[key][source]
    for mine, its in numbers.items():
        arrays[f"pins_{mine}"] = was[f"pins_{its}"]
    _turn(before.model, after.model, numbers, arrays)
    return arrays


def _numbers(before: Model, after: Model, kept: Mapping[str, str]) -> dict[int, int]:
    """Return the number of each body that is kept, and its number before."""
    known = {part.body.name: number for number, part in enumerate(before.parts)}
    return {number: known[kept[part.body.name]] for number, part in enumerate(after.parts) if part.body.name in kept}


def _owners(side: Side) -> dict[str, Array]:
    """Return the number of the body of each row of the arrays of a snapshot, by their names."""
    model, rods = side.model, side.state.rods
    of_vertices = np.append(model.body_of_vertex, np.full(len(PADDING), NOBODY))
    owners = dict.fromkeys(OF_VERTICES, of_vertices) | {LET_GO: model.body_of_vertex}
    owners["pressure"] = np.arange(len(model.parts))
    if side.state.rigid is not None:
        of_rigid = of_vertices[[shape.start for shape in model.rigid]]
        owners |= dict.fromkeys(side.state.rigid.memory, of_rigid)
    if rods is not None:
        owners |= dict.fromkeys(OF_SEGMENTS, rods.body) | dict.fromkeys(OF_JOINTS, of_vertices[rods.joint_vertex])
    if model.tearing is not None:
        owners[BROKEN] = model.tearing.body
    return owners | {key: of_vertices[vertices] for key, vertices in plastic_numbers.first_vertices(model).items()}


def _at_origin(before: Side, after: Side) -> dict[str, Array]:
    """Return the arrays of the first simulation, with positions from the origin of the second [m]."""
    shift, arrays = before.model.origin - after.model.origin, dict(before.arrays)
    place = arrays["x"][:, :3].astype(float) + arrays["remainder"] + shift
    arrays["x"] = np.array(arrays["x"])
    arrays["x"][:, :3] = place
    arrays["remainder"] = (place - arrays["x"][:, :3]).astype(arrays["remainder"].dtype)
    for key in [one for one in arrays if one.startswith("pins_")]:
        arrays[key] = arrays[key] + shift
    if "rigid_centre" in arrays:
        arrays["rigid_centre"] = arrays["rigid_centre"] + shift
    return arrays


def _turn(before: Model, after: Model, numbers: Mapping[int, int], arrays: dict[str, Array]) -> None:
    """Express the turn of rigid bodies in the principal axes of the second simulation: those of a cube are any. Written:
    arrays."""
    of_vertices = after.body_of_vertex, before.body_of_vertex
    ours, theirs = (
        {int(of[shape.start]): (row, shape) for row, shape in enumerate(model.rigid)}
        for of, model in zip(of_vertices, (after, before), strict=True)
    )
    for mine, its in numbers.items():
        if mine in ours:
            (row, shape), (_, was) = ours[mine], theirs[its]
            turn = matrix(arrays["rigid_turn"][row : row + 1])[0] @ was.axes.T @ shape.axes
            arrays["rigid_turn"][row] = quaternion(turn)
