"""Frames of ropes: a direction across each segment, which stretch, bending and contact do not move, and their twist.

At the start of a substep the frames are transported to the segments without spin, and then turned about them to where the
energy of twist and of the rest curvature is least: a twist wave crosses a rope far faster than any motion. Pinned segments
turn by prescribed angles. The turns of a strand's segments are the unknowns of a tridiagonal system, solved exactly; with a
rest curvature it is Newton's, without negative parts. All of it in doubles.
Source: Bergou et al. 2008, "Discrete elastic rods", section 5.2 (quasistatic material frames).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ..device.cpu import LANES, kernel
from ..scene import Rope
from .model import ElementBatch, Model

Array = np.ndarray

#: Newton steps of the turns of a strand with a rest curvature.
STEPS = 4
#: Share of a strand's largest stiffness of twist that holds segments to where they are: a strand that is free to spin has
#: no other place.
HELD = 1e-9
#: Numbers of a joint that `energies/elastic_rod.py` reads.
NUMBERS = 20


@dataclass
class RodFrames:
    """Frames of all strands of a model, one after the other.

    Constant, but for keyed numbers (`rod_frames_start.renew_frames`): ends: vertices of each segment, (s, 2). first,
    joint_first: first segment and first joint of each strand, and the end, (strands + 1,). joint_vertex: (j,). joint_rest:
    stiffness of bending and twist [J], twist at rest [rad], two components of the curvature at rest in the first segment's
    frame, and the stiffness of bending about the frame's second axis [J], (j, 6). held: segments that turn as prescribed,
    (s,) bool. of_element: for each batch of joints, in their order, the joint of each of its lanes, -1 for filling.
    yields: yield curvature binormal and hardening of each joint [1], and its yield twist [rad], (j, 3); None without joints
    that yield.
    Variable: tangents, across: (s, 3). twist: of each joint [rad], (j,). turned: prescribed turns so far [rad], (s,).
    flowed: accumulated plastic curvature binormal [1] and plastic twist [rad] of each joint, (j, 2); joint_rest has the
    plastic curvature and twist in it.
    unbent, lengths: components of the curvature at rest before anything flowed, (j, 2), and the length that each joint bends
    for [m], (j,); constant.
    """

    ends: Array
    first: Array
    joint_first: Array
    joint_vertex: Array
    joint_rest: Array
    held: Array
    at_start: Array
    at_end: Array
    body: Array
    of_element: list[Array]
    tangents: Array
    across: Array
    twist: Array
    turned: Array
    yields: Array | None = None
    flowed: Array = field(default_factory=lambda: np.zeros((0, 2)))
    unbent: Array = field(default_factory=lambda: np.zeros((0, 2)))
    lengths: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def plastic_curvature(self) -> Array:
        """Curvature that stays at each joint [1/m], (j,)."""
        return np.linalg.norm(self.joint_rest[:, 3:5] - self.unbent, axis=1) / np.maximum(self.lengths, 1e-12)

    @property
    def memory(self) -> dict[str, Array]:
        """Its variable arrays by name; a checkpoint keeps and restores them."""
        names = ["tangents", "across", "twist", "turned", *(("joint_rest", "flowed") if self.yields is not None else ())]
        return {f"rods_{name}": getattr(self, name) for name in names}

    def advance(self, model: Model, x: Array, substeps_left: int) -> None:
        """Take the frames to the segments at x, (n, 4) [m], and turn them. substeps_left: of the frame, in which prescribed
        turns are made in equal parts."""
        wanted = np.zeros(len(self.ends))
        for number, part in enumerate(model.parts):
            if isinstance(part.body, Rope):
                mine = self.body == number
                wanted[mine & self.at_start] += part.body.turn_start
                wanted[mine & self.at_end] += part.body.turn_end
        turns = np.where(self.held, (wanted - self.turned) / max(substeps_left, 1), 0.0)
        self.turned += turns
        arrays = self.ends, self.first, self.joint_first, self.joint_rest, self.held, turns
        turn_frames(x, *arrays, self.tangents, self.across, self.twist)
        if self.yields is not None:
            arrays = self.first, self.joint_first, self.tangents, self.across, self.twist, self.yields
            flow_joints(*arrays, self.joint_rest, self.flowed)

    def store(self, batches: list[ElementBatch], x: Array, memory: list[Array]) -> None:
        """Write the numbers of the start of each joint. x: (n, 4) [m]. Written: memory, of each batch."""
        numbers = np.zeros((len(self.joint_vertex), NUMBERS))
        joint_numbers(
            x, self.ends, self.first, self.joint_first, self.joint_rest, self.tangents, self.across, self.twist, numbers
        )
        of_joints = [number for number, batch in enumerate(batches) if batch.energy.ELEMENT == "joint"]
        for number, joint in zip(of_joints, self.of_element, strict=True):
            rows = numbers[joint].reshape(-1, LANES, NUMBERS).transpose(0, 2, 1)
            memory[number][:] = rows.reshape(len(rows), -1)


@kernel
def transport(a, t, r, out):
    """out = r from a to t, as `elements/rod.py`, across t and of length 1."""
    q = 0.0
    s = 0.0
    for i in range(3):
        q += a[i] * t[i]
        s += r[i] * t[i]
    s /= max(1.0 + q, 1e-9)
    along = 0.0
    for i in range(3):
        out[i] = r[i] - s * (a[i] + t[i])
        along += out[i] * t[i]
    square = 0.0
    for i in range(3):
        out[i] -= along * t[i]
        square += out[i] * out[i]
    for i in range(3):
        out[i] /= math.sqrt(max(square, 1e-30))


@kernel
def angle_about(t, u, v):
    """Angle from u to v about t [rad]; both are across it."""
    sine = (u[1] * v[2] - u[2] * v[1]) * t[0] + (u[2] * v[0] - u[0] * v[2]) * t[1] + (u[0] * v[1] - u[1] * v[0]) * t[2]
    return math.atan2(sine, u[0] * v[0] + u[1] * v[1] + u[2] * v[2])


@kernel
def cross(a, b, out):
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def curvature_at(t0, t1, out):
    """out = the curvature binormal of two unit vectors."""
    q = 1.0
    for i in range(3):
        q += t0[i] * t1[i]
    cross(t0, t1, out)
    for i in range(3):
        out[i] *= 2.0 / max(q, 1e-3)


@kernel
def turn_frames(x, ends, first, joint_first, joint_rest, held, turns, tangents, across, twist):
    """Written: tangents, across and twist, see `RodFrames.advance`."""
    t, m, kb, n = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for strand in range(len(first) - 1):
        begin = first[strand]
        count = first[strand + 1] - begin
        joints = joint_first[strand + 1] - joint_first[strand]
        for e in range(begin, begin + count):
            square = 0.0
            for i in range(3):
                t[i] = float(x[ends[e, 1], i]) - float(x[ends[e, 0], i])
                square += t[i] * t[i]
            if square > 0:
                for i in range(3):
                    t[i] /= math.sqrt(square)
                transport(tangents[e], t, across[e], m)
                for i in range(3):
                    tangents[e, i] = t[i]
                    across[e, i] = m[i]
        is_curved = False
        most = 0.0
        for k in range(joints):
            j = joint_first[strand] + k
            one = begin + k
            other = begin + (k + 1) % count
            transport(tangents[one], tangents[other], across[one], m)
            change = angle_about(tangents[other], m, across[other]) - twist[j]
            twist[j] += change - 2.0 * math.pi * math.floor(change / (2.0 * math.pi) + 0.5)
            most = max(most, joint_rest[j, 1])
            is_curved |= joint_rest[j, 0] > 0 and (joint_rest[j, 3] != 0 or joint_rest[j, 4] != 0)
            is_curved |= joint_rest[j, 5] != joint_rest[j, 0]
        diagonal, right = np.empty(count), np.empty(count)
        lower = np.zeros(count)  # of row e with row e - 1; of the first one with the last, of a ring
        for step in range(STEPS if is_curved else 1):
            for e in range(count):
                diagonal[e] = HELD * most + 1e-30
                right[e] = 0.0
                lower[e] = 0.0
            for k in range(joints):
                j = joint_first[strand] + k
                other = (k + 1) % count
                torque = joint_rest[j, 1] * (twist[j] - joint_rest[j, 2])
                diagonal[k] += joint_rest[j, 1]
                diagonal[other] += joint_rest[j, 1]
                right[k] += torque
                right[other] -= torque
                lower[other] -= joint_rest[j, 1]
                if is_curved:
                    curvature_at(tangents[begin + k], tangents[begin + other], kb)
                    cross(tangents[begin + k], across[begin + k], n)
                    sine = 0.0
                    cosine = 0.0
                    about = 0.0
                    across_it = 0.0
                    for i in range(3):
                        about += kb[i] * across[begin + k, i]
                        across_it += kb[i] * n[i]
                        r = joint_rest[j, 3] * across[begin + k, i] + joint_rest[j, 4] * n[i]
                        turned = joint_rest[j, 3] * n[i] - joint_rest[j, 4] * across[begin + k, i]
                        cosine += kb[i] * r
                        sine += kb[i] * turned
                    right[k] += joint_rest[j, 0] * sine
                    diagonal[k] += joint_rest[j, 0] * math.sqrt(cosine * cosine + sine * sine)
                    # A bound of the second derivative is Newton's own where the hard axis is straight.
                    more = joint_rest[j, 5] - joint_rest[j, 0]
                    right[k] += more * (across_it - joint_rest[j, 4]) * about
                    square = about * about + across_it * across_it
                    diagonal[k] += abs(more) * (square + abs(joint_rest[j, 4]) * math.sqrt(square))
            for e in range(count):
                if held[begin + e]:
                    diagonal[e] = 1e30
                    right[e] = 1e30 * turns[begin + e] if step == 0 else 0.0
            solve_ring(diagonal, lower, right)
            for k in range(joints):
                twist[joint_first[strand] + k] += right[(k + 1) % count] - right[k]
            for e in range(count):
                spin(tangents[begin + e], right[e], across[begin + e])


@kernel
def flow_joints(first, joint_first, tangents, across, twist, yields, joint_rest, flowed):
    """Let joints that are bent or twisted beyond their yield flow, see `energies/yielding_rod.py`. Written: joint_rest,
    flowed."""
    m, kb, n = np.empty(3), np.empty(3), np.empty(3)
    for strand in range(len(first) - 1):
        count = first[strand + 1] - first[strand]
        for j in range(joint_first[strand], joint_first[strand + 1]):
            one = first[strand] + j - joint_first[strand]
            other = first[strand] + (j - joint_first[strand] + 1) % count
            curvature_at(tangents[one], tangents[other], kb)
            for i in range(3):
                m[i] = across[one, i]
            cross(tangents[one], m, n)
            x = kb[0] * m[0] + kb[1] * m[1] + kb[2] * m[2] - joint_rest[j, 3]
            y = kb[0] * n[0] + kb[1] * n[1] + kb[2] * n[2] - joint_rest[j, 4]
            bend = math.sqrt(x * x + y * y)
            grown = max(bend - yields[j, 0] - yields[j, 1] * flowed[j, 0], 0.0) / (1.0 + yields[j, 1])
            if grown > 0.0:
                joint_rest[j, 3] += grown / bend * x
                joint_rest[j, 4] += grown / bend * y
                flowed[j, 0] += grown
            turn = twist[j] - joint_rest[j, 2]
            grown = max(abs(turn) - yields[j, 2] - yields[j, 1] * flowed[j, 1], 0.0) / (1.0 + yields[j, 1])
            if grown > 0.0:
                joint_rest[j, 2] += math.copysign(grown, turn)
                flowed[j, 1] += grown


@kernel
def spin(t, angle, m):
    """Turn m, which is across t, about t."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = t[1] * m[2] - t[2] * m[1], t[2] * m[0] - t[0] * m[2], t[0] * m[1] - t[1] * m[0]
    m[0] = c * m[0] + s * x
    m[1] = c * m[1] + s * y
    m[2] = c * m[2] + s * z


@kernel
def solve_ring(diagonal, lower, right):
    """Solve a symmetric tridiagonal system in place, whose first row is coupled to the last one by lower[0]. Written: right,
    the solution; diagonal."""
    n = len(diagonal)
    corner = lower[0]
    if n == 1:
        right[0] /= diagonal[0] + 2.0 * corner
        return
    if n == 2:
        lower[1] += corner
        corner = 0.0
    column = np.zeros(n)  # Sherman and Morrison: the corners are a product of one vector with itself
    if corner != 0.0:
        diagonal[0] += corner
        diagonal[n - 1] += corner
        column[0] = 1.0
        column[n - 1] = -1.0
    for i in range(1, n):
        share = lower[i] / diagonal[i - 1]
        diagonal[i] -= share * lower[i]
        right[i] -= share * right[i - 1]
        column[i] -= share * column[i - 1]
    right[n - 1] /= diagonal[n - 1]
    column[n - 1] /= diagonal[n - 1]
    for i in range(n - 2, -1, -1):
        right[i] = (right[i] - lower[i + 1] * right[i + 1]) / diagonal[i]
        column[i] = (column[i] - lower[i + 1] * column[i + 1]) / diagonal[i]
    if corner != 0.0:
        share = corner * (right[0] - right[n - 1]) / (1.0 - corner * (column[0] - column[n - 1]))
        for i in range(n):
            right[i] += share * column[i]


@kernel
def joint_numbers(x, ends, first, joint_first, joint_rest, tangents, across, twist, numbers):
    """Set the numbers of each joint, see `elastic_rod.START_STRAINS`."""
    m, kb, n = np.empty(3), np.empty(3), np.empty(3)
    for strand in range(len(first) - 1):
        count = first[strand + 1] - first[strand]
        for j in range(joint_first[strand], joint_first[strand + 1]):
            one = first[strand] + j - joint_first[strand]
            other = first[strand] + (j - joint_first[strand] + 1) % count
            transport(tangents[one], tangents[other], across[one], m)
            curvature_at(tangents[one], tangents[other], kb)
            cross(tangents[one], across[one], n)
            elastic = twist[j] - joint_rest[j, 2]
            for i in range(3):
                numbers[j, i] = tangents[one, i]
                numbers[j, 3 + i] = across[one, i]
                numbers[j, 6 + i] = tangents[other, i]
                numbers[j, 9 + i] = m[i]
                numbers[j, 13 + i] = joint_rest[j, 3] * across[one, i] + joint_rest[j, 4] * n[i]
                numbers[j, 16 + i] = kb[i]
            numbers[j, 12] = elastic
            numbers[j, 19] = elastic
