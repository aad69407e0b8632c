"""Input and output of a search for pairs, as the tables that its kernels take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.layout import layout
from .tied_pairs import TieTable

Array = np.ndarray

#: Pairs of each kind whose boxes meet that are collected before they are measured.
MET = 1024
#: Rows of found pairs that a chunk takes at once.
BLOCK = 256
#: Skin of particles all of whose pairs with touching boxes are kept [m].
UNBOUNDED = 1e30

#: Of a particle. drift: how far it is off its predicted path [m]. skin [m], or UNBOUNDED. thickness: upper bound of the
#: distance that its pairs keep [m]. falls: 1 where it is expected to fall freely, else 0.
MARK = layout(drift=1, skin=1, thickness=1, falls=1)
#: Of a pair that is measured. rate, bound: see `CANDIDATE`. lost: what gravity's pull at only one element's prediction may
#: bring it nearer, -1 where nothing moves it [m]. last: age of the lists at which the first of its paths ends. least: lower
#: bound of its distance until then. kept: 1 for candidates, else -1.
BOUNDS = layout(rate=1, lost=1, bound=1, last=1, least=1, kept=1)


class Forecast(NamedTuple):
    """Expected motion of particles. x: positions now [m], (count, 4). step: of their paths [m], with the ages at their
    ends, (count, 4). marks: see `MARK`, (count, MARK.width). ties: pairs left alone, and the start. drop: by which the step
    of a falling particle grows in each substep [m]. pull: displacement of a prediction by gravity [m]. age: substeps from
    the
    beginning of the lists until now."""

    x: Array
    step: Array
    marks: Array
    ties: TieTable
    drop: np.floating
    pull: np.floating
    age: np.floating


class FoundTable(NamedTuple):
    """Pairs in blocks of `BLOCK` rows, which chunks take as they need them: most find little, few very much.

    taken: (2,) blocks taken, more than there are where the search has to be done again with more room; and pairs whose
    distance was computed. totals: pairs of each chunk, first, last: its blocks, (chunks,). following: of each block the next
    one of its chunk, (blocks,).
    corners: (rows, 4), ids: (rows, 2), values: (rows, CANDIDATE.width).
    """

    taken: Array
    totals: Array
    first: Array
    last: Array
    following: Array
    corners: Array
    ids: Array
    values: Array


class MetPairs(NamedTuple):
    """Pairs whose boxes meet: corners (MET, 4), ids (MET, 2)."""

    corners: Array
    ids: Array


class SearchScratch(NamedTuple):
    """pack: (1, 4 * 16), lanes: (16 * 16,), measured: (FOUND.width * 16,), bounds: (BOUNDS.width * 16,): of the pairs that
    are measured."""

    pack: Array
    lanes: Array
    measured: Array
    bounds: Array
