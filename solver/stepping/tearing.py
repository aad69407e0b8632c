"""Tearing at the end of a substep: the tension across edges, the edges that break, and the state of vertices that part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..device.cpu import LANES, kernel
from ..methods import potential
from ..methods.batch import add_gradient, begin_strains
from ..model.model import PADDING, ElementBatch, Model
from ..model.rod_frames_start import torn_frames
from ..model.state import State
from ..model.torn import first_edges, lips
from ..scene import Deformable, catalog, maps
from ..scene import Tearing as TearingOfBody
from ..topology.edges import pair_keys
from .crack_tips import CrackTips, crack_tips
from .cracks import Cracks
from .parting import Parting

Array = np.ndarray

#: Least strain that a modulus is taken from.
LEAST_STRAIN = 1e-6
#: Halvings of the motion of lips, at most: lips are still apart then by 4e-5 of an edge.
MOST_HALVINGS = 8
#: Strain both ways that the modulus at rest E / (1 - nu) is taken from, and the least of Young's modulus over that.
STRETCH, LEAST_OF_BOTH_WAYS = 1e-3, 0.5


class Tearing:
    """Edges of a model that may tear, under tension."""

    def __init__(self, model: Model) -> None:
        assert model.tearing is not None
        self._edges, self._model = model.tearing, model
        self._ends = model.weld[model.tearing.joints[:, 0]]
        self._held = model.fixed[self._ends].all(1)  # both sides would stay where they are
        membranes = [(k, batch) for k, batch in enumerate(model.batches) if _is_membrane(batch)]
        self._batches = [(k, batch, _apart(batch), _sides(model, batch)) for k, batch in membranes]
        self._rest = np.zeros((model.n_vertices + len(PADDING), 4))
        for part in model.parts:
            self._rest[part.start : part.stop, :3] = part.body.rest
        rest, longer = ((factor * self._rest).astype(model.settings.dtype) for factor in (1.0, 1.0 + STRETCH))
        self._height = self._pulls(rest, [np.zeros_like(rest[batch.index.ravel()]) for _, batch in membranes])[1]
        self._height = np.maximum(self._height, 1e-30)  # 0 at a rope
        strains = [np.zeros((batch.packs, batch.energy.START_STRAINS * LANES), rest.dtype) for _, batch in membranes]
        for (_, batch, apart, _), memory in zip(self._batches, strains, strict=True):
            begin_strains(apart, memory, longer[batch.index.ravel()])  # so that nothing is damped
        self._both_ways = self._pulls(longer, self._slopes(longer, strains))[0].reshape(-1, 2).mean(1) / (
            STRETCH * self._edges.length
        )
        self._strength, self._energy = _strengths(model)
        counted = (np.bincount(sides[sides >= 0], minlength=len(self._height)) for *_, sides in self._batches)
        elements = sum(counted, np.zeros(len(self._height)))  # no element where there are ropes alone
        #: Tension over strength of each edge for a force of 1 N at each corner of its faces, at most [1/N].
        self._most = np.reshape(elements, (-1, 2)).sum(1) / (self._edges.length * self._strength)
        self._tips: CrackTips | None = None  # of the model, when they are first needed
        self._corners: list[Array] = []
        self._ropes = Parting(model)

    def cracks(self, state: State) -> list[int]:
        """The numbers of the edges, and of the points of ropes, that break now."""
        return self._of_sheets(state) + self._ropes.breaks(state, self._strength)

    def _of_sheets(self, state: State) -> list[int]:
        slopes = self._slopes(state.x, [state.strains_at_start[k] for k, *_ in self._batches])
        whole = ~state.broken
        tips = self._tips_of(state) if self._energy.any() else None
        if tips is None and max(map(largest, slopes), default=0.0) * self._most[whole].max(initial=0.0) < 1:
            return []  # no force of a corner is as large as an edge of that length bears
        pull, height = self._pulls(state.x, slopes)
        tension = pull.reshape(-1, 2).mean(1) / self._edges.length
        strain = (height / self._height - 1).reshape(-1, 2).mean(1)
        ratio = tension / self._strength
        if tips is not None:
            numbers = self._moduli(tension, strain)[tips.edges], (tension * self._edges.length)[tips.edges]
            ratio = self._at_tips(tips, state, slopes, ratio, *numbers)
        ratio = np.where(self._held, 0.0, ratio)
        if not (whole & (ratio >= 1)).any():
            return []
        modulus = np.where(tension > 0, self._moduli(tension, strain), 0.0)
        reach = 2 * self._energy * modulus / (np.pi * self._strength**2)
        if tips is not None:
            reach[tips.edges] = 0.0
        x = state.x[: self._model.n_vertices, :3].astype(float)
        return Cracks(self._edges, self._ends, whole, ratio, reach, self._rim(state.broken), x).broken

    def _moduli(self, tension: Array, strain: Array) -> Array:
        """Young's modulus across each edge [N/m], infinite under pressure. tension: [N/m], strain: [1]."""
        modulus = np.maximum(tension / np.maximum(strain, LEAST_STRAIN), LEAST_OF_BOTH_WAYS * self._both_ways)
        return np.where(tension > 0, modulus, np.inf)

    def _tips_of(self, state: State) -> CrackTips | None:
        """Return the ends of tears; None where there are none."""
        if self._tips is None:
            weld, rest = self._model.weld, self._rest[: self._model.n_vertices, :3]
            self._tips = crack_tips(self._edges, weld, state.broken, self._energy > 0, rest, self._model.fixed)
            copies = [_copies(self._model, batch) for _, batch, *_ in self._batches]
            self._corners = [np.flatnonzero(np.isin(one, self._tips.copies)) for one in copies]
            self._copies = [one[rows] for one, rows in zip(copies, self._corners, strict=True)]
        return self._tips if len(self._tips) else None

    def _at_tips(
        self, tips: CrackTips, state: State, slopes: list[Array], ratio: Array, modulus: Array, across: Array
    ) -> Array:
        """Return the ratios, with those at ends of tears as their energy has them: the root, which grows with the load.
        modulus, across: of `CrackTips.rates`."""
        slope = np.zeros((self._model.n_vertices, 3))
        for one, rows, copies in zip(slopes, self._corners, self._copies, strict=True):
            np.add.at(slope, copies, one[rows, :3])
        rates = tips.rates(-slope[tips.copies], state.x[:, :3].astype(float), modulus, across)
        ratio = ratio.copy()
        ratio[tips.edges] = 0.0
        np.maximum.at(ratio, tips.edges, np.sqrt(rates / self._energy[tips.edges]))
        return ratio

    def _rim(self, broken: Array) -> Array:
        """Vertices at a border of a cloth or at a tear, and those that are held, (n,) bool."""
        rim = self._model.fixed.copy()
        rim[self._model.weld[self._edges.lips(broken)]] = True
        return rim

    def _slopes(self, x: Array, strains: list[Array]) -> list[Array]:
        """Return the gradients at the corners of the faces [N], in lanes, of each batch. strains: of each at the substep's
        start."""
        slopes = []
        for (_, batch, apart, _), memory in zip(self._batches, strains, strict=True):
            at_elements = x[batch.index.ravel()]
            slopes.append(np.zeros_like(at_elements))
            add_gradient(apart, memory, at_elements, slopes[-1])
        return slopes

    def _pulls(self, x: Array, slopes: list[Array]) -> tuple[Array, Array]:
        """Force across each side of each edge [N], and the height of its face above the edge [m], a sum over its elements,
        both (2 e,). slopes: `_slopes`."""
        pull, height = np.zeros((2, 2 * len(self._edges)))
        for (_, batch, _, sides), slope in zip(self._batches, slopes, strict=True):
            add_pulls(batch.index, sides, x[batch.index.ravel()], slope, self._model.n_vertices, pull, height)
        return pull, height


def make_tearing(model: Model) -> Tearing | None:
    """None where nothing may tear."""
    return Tearing(model) if model.tearing is not None and len(model.tearing) else None


def part_vertices(weld: Array, model: Model, state: State) -> None:
    """Start the vertices that have parted. weld: before they did. Written: state."""
    n = model.n_vertices
    if state.rods is not None:
        state.rods = torn_frames(model, state.rods)
    rows = np.flatnonzero((model.weld == np.arange(n)) & (weld != np.arange(n)))
    source = weld[rows]
    vectors = state.x, state.v, state.x0, state.x_pred, state.correction, state.remainder, state.motion, state.v_before
    for values in (*vectors, state.history, state.load, state.clamped_pins):
        values[rows] = values[source]
    if state.sleep is not None:
        for values in (state.sleep.held, state.sleep.total, state.sleep.low, state.sleep.high, state.sleep.mean):
            values[rows] = values[source]
    lip = np.union1d(rows, source)
    lip = lip[~model.fixed[lip]]
    _move_lips(model, state, lip, lips(model, state.x[:n, :3].astype(float), lip))


def _move_lips(model: Model, state: State, rows: Array, motion: Array) -> None:
    """Move vertices by (k, 3) [m], or by less until this adds no energy. Written: state.x."""
    slope, start = np.empty_like(state.x), state.x[rows, :3].copy()
    energy = potential.elastic(model, state, state.x, slope)
    for halvings in range(MOST_HALVINGS + 1):
        state.x[rows, :3] = start + (motion / 2**halvings).astype(start.dtype)
        if potential.elastic(model, state, state.x, slope) <= energy:
            return


def _is_membrane(batch: ElementBatch) -> bool:
    known = catalog.energies()[batch.energy.NAME]
    return known.element == "triangle" and known.limit is None and any(g.across is not None for g in batch.groups)


def _apart(batch: ElementBatch) -> ElementBatch:
    """The batch with rows of its own for each element."""
    return replace(batch, index=np.arange(batch.index.size, dtype=np.int32).reshape(batch.index.shape))


def _sides(model: Model, batch: ElementBatch) -> Array:
    """The side of an edge, twice its number and 1 for the second, at each side of the face in each lane, -1 for none,
    (packs * 16, 4)."""
    first = first_edges(model)
    rows = [
        np.full((len(group.elements), 4), -1)
        if group.across is None
        else np.where(group.across >= 0, group.across + 2 * first[group.first_vertex], -1)
        for group in batch.groups
    ]
    return np.where(batch.element[:, None] >= 0, np.concatenate(rows)[batch.element], -1).astype(np.int32)


def _copies(model: Model, batch: ElementBatch) -> Array:
    """The copy at each corner of the face in each lane, -1 for none, in the order of the lanes' rows, (packs * 4 * 16,)."""
    rows = [
        np.full((len(group.elements), 4), -1)
        if group.copies is None
        else np.where(group.copies >= 0, group.copies + group.first_vertex, -1)
        for group in batch.groups
    ]
    of_lanes = np.where(batch.element[:, None] >= 0, np.concatenate(rows)[batch.element], -1)
    return of_lanes.reshape(batch.packs, LANES, 4).transpose(0, 2, 1).ravel()


def _strengths(model: Model) -> tuple[Array, Array]:
    """Strength [N/m], of a rope [N], and fracture energy [J/m] of each edge, (e,)."""
    edges = model.tearing
    assert edges is not None
    strength, energy = np.zeros((2, len(edges)))
    for number, part in enumerate(model.parts):
        body, mine = part.body, edges.body == number
        tearing = getattr(body, "tearing", None)
        if tearing is not None and isinstance(body, Deformable):
            factor = maps.factors(body.maps, "tear_strength", len(body.vertices))
            of_edge = factor[edges.joints[mine, 0] - part.start].mean(1)
            of_edge[_are_precut(edges.joints[mine, 0] - part.start, tearing, part.count)] *= tearing.precut_share
            strength[mine], energy[mine] = np.maximum(tearing.strength * of_edge, 1e-6), tearing.fracture_energy * of_edge
    return strength, energy


def _are_precut(ends: Array, tearing: TearingOfBody, count: int) -> Array:
    """Return which edges of a body are cut in advance, (e,) bool. ends: copies, (e, 2). count: vertices."""
    if tearing.precut is None:
        return np.zeros(len(ends), bool)
    weld = tearing.weld(count)
    one, other = (np.moveaxis(weld[pairs], -1, 0) for pairs in (ends, tearing.precut))
    return np.isin(pair_keys(*one), pair_keys(*other))


@kernel
def largest(vectors):
    """Return the largest length of vectors, (k, 3 or more)."""
    most = 0.0
    for i in range(len(vectors)):
        square = 0.0
        for k in range(3):
            square += float(vectors[i, k]) ** 2
        most = max(most, square)
    return np.sqrt(most)


@kernel
def add_pulls(index, sides, x, slope, n, pull, height):
    """Add the forces that faces pull their edges with [N], at right angles, and the heights of their other corners [m].

    A uniform stress pulls half an edge with as much as the corner of a triangle beyond it, a whole one as both of a
    quadrilateral's. index: of the batch. sides: (packs * 16, 4). x, slope: of the corners in lanes, (packs * corners * 16,
    4). n: number of vertices. Written: pull, height (2 e,).
    """
    corners = index.shape[1] // LANES
    for pack in range(len(index)):
        for lane in range(LANES):
            triangle = index[pack, 3 * LANES + lane] >= n
            count = 3 if triangle else 4
            first = pack * corners * LANES + lane
            for side in range(count):
                s = sides[pack * LANES + lane, side]
                if s < 0:
                    continue
                a, b = first + side * LANES, first + (side + 1) % count * LANES
                c = first + (side + 2) % count * LANES
                d = c if triangle else first + (side + 3) % count * LANES
                along, across, dot = 0.0, 0.0, 0.0
                for k in range(3):
                    edge = float(x[b, k]) - x[a, k]
                    to = x[a, k] - 0.5 * (float(x[c, k]) + x[d, k])
                    along += edge * edge
                    dot += edge * to
                share = dot / along
                force = 0.0
                for k in range(3):
                    to = x[a, k] - 0.5 * (float(x[c, k]) + x[d, k]) - share * (float(x[b, k]) - x[a, k])
                    across += to * to
                    force -= to * (float(slope[c, k]) + slope[d, k])
                up = np.sqrt(across)
                pull[s] += force / up
                height[s] += up
