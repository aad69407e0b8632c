"""Body springs: the contacts of one sheet with rigid bodies, in the global step's linear system.

A contact is a spring along its normal, and one across it that gives way at Coulomb's bound, between a point of the sheet and
a point of a rigid body. The body's six unknowns, its twist, are eliminated: at each motion of the sheet it is where its
inertia and its springs balance. So sheet and body exchange their momentum in one system, and the body feels the sheet as a
whole. What a contact pushes is known to its body afterwards; sweeps push only more.
Source of the friction: as of `contact_springs`, but the potential is that of a force that stays at its bound.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from ..device.cpu import kernel
from ..device.layout import layout
from ..linalg.block_matrix import Pattern
from ..linalg.followers import Followers
from ..model.rigid_motion import RigidMotion
from .contact_springs import STIFFNESS, add_contacts, add_forces, blocks

Array = np.ndarray

#: The contacts of a rigid body are at least so many times as stiff, together, as its inertia.
BODY_STIFFNESS = float(os.environ.get("BODYK", "1"))
#: Newton steps to where a body balances, halvings of each, and share of the potential at which it is found.
STEPS, HALVINGS, BALANCED = 20, 10, 1e-10
#: Bound of the friction of what sticks.
STICKS = 1e30

#: One contact: see `ContactKind`; lever: how its point moves with the body (weight, arm); stiffness of its spring [N/m];
#: bound of its friction [N].
SPRING = layout(normal=3, gap=1, drift=3, lever=4, stiffness=1, bound=1)


class BodyLoads:
    """What holds each rigid body in the global step: potential 1/2 q K q - f q of its twist q.

    stiffness K: (b, 6, 6), of its inertia and of the springs of sheets that are solved already; load f: (b, 6). inertia: of
    its mass [N/m], (b,), none of what sleeps.
    """

    def __init__(self, rigid: RigidMotion):
        count = len(rigid.shapes)
        self.held = rigid.held
        self.stiffness, self.load = np.zeros((count, 6, 6)), np.zeros((count, 6))
        awake = np.flatnonzero(~rigid.held)
        self.stiffness[rigid.held] = np.eye(6)
        self.inertia = np.where(rigid.held, 0.0, rigid.mass / rigid.h**2)
        self.stiffness[awake, :3, :3] = self.inertia[awake, None, None] * np.eye(3)
        self.stiffness[awake, 3:, 3:] = np.linalg.inv(rigid.swing[awake].astype(float))


class BodySprings:
    """corners, weights (c, CORNERS). rows: (c, SPRING.width), ordered by body. mu: (c,). first: (m + 1,), bodies: (m,)."""

    def __init__(self, source, kind, body: Array, lever: Array, pattern: Pattern, loads: BodyLoads):
        order = np.argsort(body, kind="stable")
        self.source, self.row, self.loads, self.vertices = source, kind.row[order], loads, pattern.vertices
        self.bodies, self.number = np.unique(body[order], return_inverse=True)
        self.first = np.searchsorted(self.number, np.arange(len(self.bodies) + 1))
        self.corners = kind.corners[order].astype(np.int32)
        self.weights = np.ascontiguousarray(kind.weights[order])
        self.mu = kind.mu[order]
        self.rows = np.zeros((len(order), SPRING.width))
        lever = np.where(loads.held[body[order], None], 0.0, lever[order])
        for column, numbers in ((SPRING.normal, kind.normal), (SPRING.gap, kind.gap[:, None]), (SPRING.drift, kind.drift)):
            self.rows[:, column : column + numbers.shape[1]] = numbers[order]
        self.rows[:, SPRING.lever : SPRING.lever + 4] = lever
        self.normal = np.ascontiguousarray(self.rows[:, SPRING.normal : SPRING.normal + 3])
        self.sides = _sides(lever)
        self.stiffness, self.load = loads.stiffness[self.bodies], loads.load[self.bodies]
        self.twist = np.linalg.solve(self.stiffness, self.load[:, :, None])[:, :, 0]
        self.normal_stiffness, self.friction_stiffness = np.zeros((2, len(order)))
        self.places, _ = blocks(pattern, self.corners)
        self.passes = 0

    def point(self, move: Array) -> Array:
        return np.einsum("ca,cai->ci", self.weights, move[self.corners])

    def gap_and_slip(self, point: Array) -> tuple[Array, Array]:
        """(c,), (c, 3) at the twist."""
        d = point + np.einsum("cij,cj->ci", self.sides, self.twist[self.number])
        gap = self.rows[:, SPRING.gap] + (self.normal * d).sum(1)
        slip = d - self.rows[:, SPRING.drift : SPRING.drift + 3]
        return gap, slip - (slip * self.normal).sum(1)[:, None] * self.normal

    def potential(self, move: Array) -> float:
        return self.settle(move)

    def settle(self, move: Array) -> float:
        """Moves the bodies to where they balance at a motion of the sheet; returns the potential."""
        return settle(self.first, self.rows, self.point(move), self.stiffness, self.load, self.twist)

    def activate(self, move: Array, is_prediction: bool, diagonal: Array, values: Array) -> None:
        """"""
        kappa, bound = self.rows[:, SPRING.stiffness], self.rows[:, SPRING.bound]
        if is_prediction:
            own = BODY_STIFFNESS * (values[diagonal][:, [0, 4, 8]].sum(1)[self.corners] * np.abs(self.weights)).sum(1).astype(float)
            kappa[:] = own
            gap, slip = self.gap_and_slip(self.point(move))
            expected = self.slip = np.sqrt((slip**2).sum(1))
            bound[:] = np.where((gap < 0) & (self.mu > 0), STICKS, 0.0)
            self.friction_stiffness[:] = np.where(bound > 0, kappa, 0.0)
        else:
            self.settle(move)
            gap, slip = self.gap_and_slip(self.point(move))
            stuck, size = bound == STICKS, np.sqrt((slip**2).sum(1))
            new = self.mu * np.maximum(-kappa * gap, 0.0)
            share = np.where(stuck & (kappa * size > new), 1 - new / np.maximum(kappa * size, 1e-30), 0.0)
            bound[:] = new
            self.settle(move)
            gap, slip = self.gap_and_slip(self.point(move))
            expected = np.maximum(np.sqrt((slip**2).sum(1)), self.slip * share)
            self.friction_stiffness[:] = np.where(bound > 0, np.minimum(kappa, bound / np.maximum(expected, 1e-12)), 0.0)
        self.normal_stiffness[:] = np.where(gap < 0, kappa, 0.0)
        add_contacts(self.weights, self.normal, self.normal_stiffness, self.friction_stiffness, self.places, values)

    def add_forces(self, moved: Array, force: Array) -> None:
        point = self.point(moved)
        hessian, wrench, _ = self.balance(point)
        self.twist = self.twist + np.linalg.solve(hessian, wrench[:, :, None])[:, :, 0]
        _, _, push = self.balance(point)
        np.add.at(force, self.corners, self.weights[:, :, None] * push[:, None])

    def balance(self, point: Array) -> tuple[Array, Array, Array]:
        gap, slip = self.gap_and_slip(point)
        push = -(self.normal_stiffness * gap)[:, None] * self.normal - self.friction_stiffness[:, None] * slip
        hessian, wrench = self.stiffness.copy(), self.load - np.einsum("mij,mj->mi", self.stiffness, self.twist)
        np.add.at(hessian, self.number, np.einsum("cia,cij,cjb->cab", self.sides, self._tensor(), self.sides))
        np.add.at(wrench, self.number, np.einsum("cia,ci->ca", self.sides, push))
        return hessian, wrench, push

    def _tensor(self) -> Array:
        n, across = self.normal, self.friction_stiffness
        along = self.normal_stiffness - across
        return along[:, None, None] * n[:, :, None] * n[:, None, :] + across[:, None, None] * np.eye(3)

    def followers(self, dtype) -> Followers:
        hessian, _, _ = self.balance(np.zeros((len(self.number), 3)))
        inverse = np.linalg.inv(np.linalg.cholesky(hessian))[self.number]
        across = np.einsum("cij,cjb,cdb->cid", self._tensor(), self.sides, inverse)
        on = self.normal_stiffness > 0
        rows, place = np.unique(self.corners[on], return_inverse=True)
        place = place.reshape(-1, self.corners.shape[1])
        full = np.zeros((len(rows), 3, len(self.bodies), 6))
        for a in range(place.shape[1]):
            np.add.at(full, (place[:, a], slice(None), self.number[on]), self.weights[on, a, None, None] * across[on])
        return Followers(self.vertices, rows, full.reshape(len(rows), 3, 6 * len(self.bodies)), dtype)

    def store_forces(self, move: Array) -> None:
        point = self.point(move)
        for _ in range(3):
            self.settle(move)
            gap, slip = self.gap_and_slip(point)
            force = np.maximum(-self.rows[:, SPRING.stiffness] * gap, 0.0)
            self.rows[:, SPRING.bound] = self.mu * force
        self.settle(move)
        gap, slip = self.gap_and_slip(point)
        kappa, bound = self.rows[:, SPRING.stiffness], self.rows[:, SPRING.bound]
        force = np.maximum(-kappa * gap, 0.0)
        size = np.sqrt((slip**2).sum(1))
        across = np.minimum(kappa, bound / np.maximum(size, 1e-12)) * (bound > 0)
        self.normal_stiffness[:], self.friction_stiffness[:] = np.where(gap < 0, kappa, 0), across
        hessian, wrench, push = self.balance(point)
        if self.source is None: return
        self.source.set_forces(self.row, np.concatenate([force[:, None], -across[:, None] * slip], 1), gap)
        self.loads.stiffness[self.bodies] = hessian
        self.loads.load[self.bodies] = np.einsum("mij,mj->mi", hessian, self.twist) + wrench


def _sides(lever: Array) -> Array:
    """How a point moves with its body's twist, (c, 3, 6): weight times the displacement plus turn x arm."""
    sides = np.zeros((len(lever), 3, 6))
    weight, (x, y, z) = lever[:, 0], lever[:, 1:].T
    for k in range(3):
        sides[:, k, k] = weight
    sides[:, 0, 4], sides[:, 0, 5] = z, -y
    sides[:, 1, 3], sides[:, 1, 5] = -z, x
    sides[:, 2, 3], sides[:, 2, 4] = y, -x
    return sides


@kernel
def settle(first, rows, point, stiffness, load, twist):
    """Newton."""
    total = 0.0
    hessian, wrench, step, trial = np.empty((6, 6)), np.empty(6), np.empty(6), np.empty(6)
    for b in range(len(first) - 1):
        begin, end = first[b], first[b + 1]
        for i in range(6):
            trial[i] = twist[b, i]
        energy = balance(begin, end, rows, point, stiffness[b], load[b], trial, hessian, wrench)
        for _ in range(STEPS):
            solve(hessian, wrench, step)
            expected = 0.0
            for i in range(6):
                expected += wrench[i] * step[i]
            share, now = 1.0, energy
            for _ in range(HALVINGS):
                for i in range(6):
                    trial[i] = twist[b, i] + share * step[i]
                now = balance(begin, end, rows, point, stiffness[b], load[b], trial, hessian, wrench)
                if now <= energy:
                    break
                share *= 0.5
            if now > energy:
                break
            for i in range(6):
                twist[b, i] = trial[i]
            energy = now
            if expected <= BALANCED * (abs(energy) + 1e-12):
                break
        total += energy
    return total


@kernel
def balance(begin, end, rows, point, stiffness, load, twist, hessian, wrench):
    """The potential of a body at a twist; writes its second derivative and its force."""
    total = 0.0
    for i in range(6):
        wrench[i] = load[i]
        for j in range(6):
            hessian[i, j] = stiffness[i, j]
            wrench[i] -= stiffness[i, j] * twist[j]
            total += 0.5 * twist[i] * stiffness[i, j] * twist[j]
        total -= load[i] * twist[i]
    d, n, s, f = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    tensor, side = np.empty((3, 3)), np.zeros((3, 6))
    for c in range(begin, end):
        r = rows[c]
        kappa, bound, weight = r[SPRING.stiffness], r[SPRING.bound], r[SPRING.lever]
        x, y, z = r[SPRING.lever + 1], r[SPRING.lever + 2], r[SPRING.lever + 3]
        side[0, 0], side[1, 1], side[2, 2] = weight, weight, weight
        side[0, 4], side[0, 5], side[1, 3], side[1, 5], side[2, 3], side[2, 4] = z, -y, -z, x, y, -x
        gap, along = r[SPRING.gap], 0.0
        for i in range(3):
            n[i] = r[SPRING.normal + i]
            d[i] = point[c, i]
            for j in range(6):
                d[i] += side[i, j] * twist[j]
            gap += n[i] * d[i]
            s[i] = d[i] - r[SPRING.drift + i]
            along += n[i] * s[i]
        size = 0.0
        for i in range(3):
            s[i] -= along * n[i]
            size += s[i] * s[i]
        size = np.sqrt(size)
        normal = kappa if gap < 0 else 0.0
        total += 0.5 * normal * gap * gap
        across, turn = 0.0, 0.0
        if bound > 0:
            if kappa * size <= bound:
                across = kappa
                total += 0.5 * kappa * size * size
            else:
                across = bound / size
                turn = across / (size * size)
                total += bound * (size - 0.5 * bound / kappa)
        if normal == 0 and across == 0:
            continue
        for i in range(3):
            f[i] = -normal * gap * n[i] - across * s[i]
            for j in range(3):
                tensor[i, j] = (normal - across) * n[i] * n[j] - turn * s[i] * s[j]
            tensor[i, i] += across
        for a in range(6):
            for i in range(3):
                wrench[a] += side[i, a] * f[i]
                for j in range(3):
                    for b in range(6):
                        hessian[a, b] += side[i, a] * tensor[i, j] * side[j, b]
    return total


@kernel
def solve(a, b, x):
    """x = a^-1 b of a positive definite matrix, (6, 6), which is overwritten by its factor."""
    for i in range(6):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            a[i, j] = np.sqrt(total) if i == j else total / a[j, j]
    for i in range(6):
        total = b[i]
        for k in range(i):
            total -= a[i, k] * x[k]
        x[i] = total / a[i, i]
    for r in range(6):
        i = 5 - r
        total = x[i]
        for k in range(i + 1, 6):
            total -= a[k, i] * x[k]
        x[i] = total / a[i, i]
