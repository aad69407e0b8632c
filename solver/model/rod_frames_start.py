"""Material frames of the ropes of a model at frame 1, and of one that has parted.

`rod_frames.py` defines the arrays.
"""

from __future__ import annotations

import math

import numpy as np

from ..device.cpu import LANES
from ..scene import Rope
from ..topology.strands import find_strands, frames_along, joints_of
from .bodies.parted import PartedRope
from .model import ElementBatch, Model
from .rod_frames import RodFrames

Array = np.ndarray

#: Fully plastic torque of a round section over its fully plastic moment, by von Mises: pi / (2 sqrt(3)).
TORQUE = 0.5 * math.pi / math.sqrt(3.0)
#: Columns of `RodFrames.joint_rest` with the stiffness of bending, of twist and of bending about the second axis.
STIFFNESSES = [0, 1, 5]


def rod_frames(model: Model) -> RodFrames | None:
    """The frames of a model at frame 1; None without joints."""
    batches = [batch for batch in model.batches if batch.energy.ELEMENT == "joint"]
    if not batches:
        return None
    ends, first, joint_first, vertices, rests, held, at_start, at_end, bodies, tangents, across = _strands(model)
    rests[:, STIFFNESSES] = _stiffness(model, batches, vertices)
    joint_of = np.full(model.n_vertices + 4, -1)
    joint_of[vertices] = np.arange(len(vertices))
    of_element = [joint_of[batch.index.reshape(batch.packs, 3, LANES)[:, 1]].ravel() for batch in batches]
    return RodFrames(
        ends, first, joint_first, vertices, rests, held, at_start, at_end, bodies, of_element, tangents, across,
        rests[:, 2].copy(), np.zeros(len(ends)), _yields(model, batches, of_element, rests), np.zeros((len(vertices), 2)),
        rests[:, 3:5].copy(), _lengths(model, ends, first, joint_first),
    )  # fmt: skip


def renew_frames(model: Model, rods: RodFrames) -> None:
    """Continue with a model with other numbers, rest lengths or pins. Written: rods."""
    batches = [batch for batch in model.batches if batch.energy.ELEMENT == "joint"]
    rods.joint_rest[:, STIFFNESSES] = _stiffness(model, batches, rods.joint_vertex)
    rods.yields = _yields(model, batches, rods.of_element, rods.joint_rest)
    rods.held = model.fixed[rods.ends].all(1)


def torn_frames(model: Model, before: RodFrames) -> RodFrames | None:
    """The frames of a model that has parted further. before: its frames until then."""
    made = rod_frames(model)
    if made is None:
        return None
    for name in ("tangents", "across", "twist", "turned", "flowed"):
        setattr(made, name, getattr(before, name))
    made.joint_rest[:, 2:5] = before.joint_rest[:, 2:5]
    made.unbent[:] = before.unbent
    return made


def _stiffness(model: Model, batches: list[ElementBatch], vertices: Array) -> Array:
    """Return the stiffness of bending, of twist and of bending about the second axis [J] of each joint, (j, 3). batches: of
    joints. vertices: in the middle of each, (j,)."""
    stiffness = np.zeros((model.n_vertices + 4, 3))
    for batch in batches:
        rest = batch.rest.reshape(batch.packs, -1, LANES)
        middle = batch.index.reshape(batch.packs, 3, LANES)[:, 1]
        for k, place in enumerate((0, 1, getattr(batch.energy, "HARD_BENDING", 0))):
            np.add.at(stiffness[:, k], middle, rest[:, place])
    return stiffness[vertices]


def _lengths(model: Model, ends: Array, first: Array, joint_first: Array) -> Array:
    """Return the mean length at rest of both segments of each joint [m], (j,)."""
    rest = np.zeros((model.n_vertices, 3))
    for part in model.parts:
        rest[part.start : part.stop] = part.body.rest
    lengths = np.linalg.norm(rest[ends[:, 1]] - rest[ends[:, 0]], axis=1)
    counts, joints = np.diff(first), np.diff(joint_first)
    number = np.arange(joint_first[-1]) - np.repeat(joint_first[:-1], joints)
    start, count = np.repeat(first[:-1], joints), np.repeat(counts, joints)
    return 0.5 * (lengths[start + number] + lengths[start + (number + 1) % count])


def _yields(model: Model, batches: list[ElementBatch], of_element: list[Array], rests: Array):
    """Return `RodFrames.yields`. rests: `RodFrames.joint_rest`, (j, 6)."""
    radius = np.zeros(model.n_vertices + 4)
    for part in model.parts:
        if isinstance(part.body, Rope):
            radius[part.start : part.stop] = part.body.radius
    yields = np.tile([np.inf, 0.0, np.inf], (len(rests), 1))
    for batch, joint in zip(batches, of_element, strict=True):
        corners = batch.index.reshape(batch.packs, 3, LANES).transpose(0, 2, 1).reshape(-1, 3)
        material = np.repeat(batch.material, LANES)
        for number, values in enumerate(batch.values):
            lanes = np.flatnonzero((batch.element >= 0) & (material == number))
            if "yield_curvature" in values:
                rigidity = values["bending"] * 0.25 * np.pi * radius[corners[lanes]].mean(1) ** 4
                moment = values["yield_curvature"] * rigidity
                at = joint[lanes]
                yields[at, 0] = moment / np.maximum(rests[at, 0], 1e-30)
                yields[at, 1] = values["hardening"]
                yields[at, 2] = TORQUE * moment / np.maximum(rests[at, 1], 1e-30)
    return yields if np.isfinite(yields).all(1).any() else None


def _strands(model: Model) -> tuple[Array, ...]:
    """The constant arrays of `RodFrames`, without stiffness, then the unit vectors and frames of the segments at rest, which
    the first substep transports to the start."""
    ends, vertices, rests, held, body, tangents, across = ([] for _ in range(7))
    first, joint_first, starts, stops = [0], [0], [], []
    for number, part in enumerate(model.parts):
        if not isinstance(part.body, Rope):
            continue
        rope = part.body
        parted = None if rope.tearing is None else PartedRope(rope)
        for strand in find_strands(rope.whole_edges, len(rope.vertices)):
            frames, joints = frames_along(rope.rest, strand, rope.roll), joints_of(strand)
            edges = np.diff(rope.rest[strand], axis=0)
            segments = np.stack([strand[:-1], strand[1:]], 1)
            middles = joints[:, 1]
            if parted is not None:
                segments, middles = parted.at(segments), parted.at(joints[:, :2])[:, 1]
            segments, middles = model.rows(segments + part.start), model.rows(middles + part.start)
            at_rest = [_at_rest(edges, frames, k, (k + 1) % len(edges), rope.is_straight) for k in range(len(joints))]
            ends.append(segments)
            vertices.append(middles)
            rests.append(np.array(at_rest).reshape(-1, 6))
            held.append(model.fixed[segments].all(1))
            body.append(np.full(len(segments), number))
            tangents.append(edges / np.linalg.norm(edges, axis=1)[:, None])
            across.append(frames)
            starts.append(first[-1])
            first.append(first[-1] + len(segments))
            stops.append(first[-1] - 1)
            joint_first.append(joint_first[-1] + len(joints))
    count = first[-1]
    at_start, at_end = (np.isin(np.arange(count), some) for some in (starts, stops))
    return (
        np.concatenate(ends), np.array(first), np.array(joint_first), np.concatenate(vertices), np.concatenate(rests),
        np.concatenate(held), at_start, at_end, np.concatenate(body), np.concatenate(tangents), np.concatenate(across),
    )  # fmt: skip


def _at_rest(edges: Array, frames: Array, one: int, other: int, is_straight: bool) -> tuple[float, ...]:
    """The row of `RodFrames.joint_rest` of a joint, its stiffness zero."""
    t0, t1 = (edges[k] / np.linalg.norm(edges[k]) for k in (one, other))
    moved = _transported(t0, t1, frames[one])
    twist = math.atan2(np.cross(moved, frames[other]) @ t1, moved @ frames[other])
    kb = np.zeros(3) if is_straight else 2 * np.cross(t0, t1) / max(1 + t0 @ t1, 1e-3)
    return 0.0, 0.0, twist, float(kb @ frames[one]), float(kb @ np.cross(t0, frames[one])), 0.0


def _transported(a: Array, t: Array, r: Array) -> Array:
    return r - (r @ t) / max(1 + a @ t, 1e-9) * (a + t)
