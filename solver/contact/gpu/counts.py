"""Counts of contacts in the last substep of a frame, and of the frame's clamped particles, on a device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.layout import layout
from ...device.uncounted import inline
from ...mathlib.vec3 import dot
from .pair_selection import CONTACT, Contacts
from .pair_sweeps import is_used
from .plane_contacts import VALUE, Planes
from .surface_arrays import EDGE, TRIANGLE, Elements, kind_of

f64 = np.float64
ZERO, ONE = f64(0), f64(1)
#: Of contacts: the largest deficit of distance [m], and the number that push.
PUSHING = layout(deepest=1, count=1)
#: Numbers of particles: clamped in the last substep, stalled in any substep of the frame, and those of them that suffice
#: alone.
LET_GO = layout(last=1, ever=1, stalled=1, suffice=1)


class OfPairs(NamedTuple):
    """contacts; elements: their elements; n: particles of bodies. sums: is written, (threads, PUSHING.width)."""

    contacts: Contacts
    elements: Elements
    n: np.int32
    sums: Array


class OfPlanes(NamedTuple):
    """planes; sums: as in `OfPairs`."""

    planes: Planes
    sums: Array


class OfParticles(NamedTuple):
    """Clamped particles. level: of all particles, clamped, stalled: of those of bodies, see `ccd.Clamp`. suffices: 1 at
    particles of which one stall suffices, (n,) int32. sums: written, (threads, LET_GO.width)."""

    level: Array
    clamped: Array
    stalled: Array
    suffices: Array
    sums: Array


@body
def count_pairs(i, args):
    """Count the contacts of every thread's elements. A pair of two bodies, found from both elements, counts once."""
    deepest, count = ZERO, ZERO
    contacts, threads = args.contacts, args.sums.shape[0]
    for e in range(i, contacts.first.shape[0] - 1, threads):
        for r in range(contacts.first[e], contacts.first[e + 1]):
            if is_used(contacts, r) and contacts.values[CONTACT.multiplier, r] > 0:
                deepest = max(deepest, f64(contacts.values[CONTACT.missing, r]))
                if counts(args, e, contacts.partners[r]):
                    count += ONE
    args.sums[i, PUSHING.deepest] = deepest
    args.sums[i, PUSHING.count] = count


@inline
def counts(args, element, partner):
    """Return whether an element is the first of a pair, or the only one with a search."""
    kind = kind_of(args.elements, element)
    second = kind == TRIANGLE or (kind == EDGE and partner < element)
    return not second or args.elements.corners[partner, 0] >= args.n


@body
def count_planes(i, args):
    """Count contacts of every thread's vertices with planes."""
    deepest, count, p = ZERO, ZERO, args.planes
    m, threads = p.motion, args.sums.shape[0]
    for v in range(i, p.number.shape[0], threads):
        for s in range(p.number[v]):
            at = s * VALUE.width
            if p.values[v, at + VALUE.multiplier] > 0:
                k = p.plane[v, s]
                moved = (m.x[v, 0] - m.x0[v, 0], m.x[v, 1] - m.x0[v, 1], m.x[v, 2] - m.x0[v, 2])
                along = dot((p.normals[k, 0], p.normals[k, 1], p.normals[k, 2]), moved)
                missing = p.values[v, at + VALUE.shortfall] - along - p.values[v, at + VALUE.gap]
                deepest = max(deepest, f64(missing))
                count += ONE
    args.sums[i, PUSHING.deepest] = deepest
    args.sums[i, PUSHING.count] = count


@body
def count_clamped(i, args):
    """Count clamped particles of every thread."""
    last, ever, stalled, suffice = ZERO, ZERO, ZERO, ZERO
    for v in range(i, args.level.shape[0], args.sums.shape[0]):
        last += ONE if args.level[v] != 0 else ZERO
        if v < args.clamped.shape[0]:
            ever += ONE if args.clamped[v] > 0 else ZERO
            if args.stalled[v] > 0:
                stalled += ONE
                suffice += f64(args.suffices[v])
    args.sums[i, LET_GO.last] = last
    args.sums[i, LET_GO.ever] = ever
    args.sums[i, LET_GO.stalled] = stalled
    args.sums[i, LET_GO.suffice] = suffice
