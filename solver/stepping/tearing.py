"""Tearing at the end of a substep: the tension across edges, the edges that break, and the state of vertices that part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..device.cpu import LANES, kernel
from ..methods.batch import add_gradient
from ..model.model import PADDING, ElementBatch, Model
from ..model.rod_frames_start import torn_frames
from ..model.state import State
from ..model.torn import first_edges, lips
from ..scene import Deformable, catalog, maps
from .cracks import Cracks
from .parting import Parting

Array = np.ndarray

#: [rad] Angle between the borders of a sheet at a vertex, from which on it is the end of a tear or a notch: half way between
#: a straight border and a tear.
TIP = 1.5 * np.pi * (1 - 1e-6)
#: [1] Tension of the faces beside the first edge after a tear, over the mean along that edge of the field around its end
#: (0.82, 0.79 and 0.76 for 4, 8 and 16 edges in a tear).
FACE_MEAN = 0.79
#: Least strain that a modulus is taken from.
LEAST_STRAIN = 1e-6


class Tearing:
    """Edges of a model that may tear, under tension."""

    def __init__(self, model: Model) -> None:
        assert model.tearing is not None
        self._edges, self._model = model.tearing, model
        self._ends = model.weld[model.tearing.joints[:, 0]]
        membranes = [(k, batch) for k, batch in enumerate(model.batches) if _is_membrane(batch)]
        self._batches = [(k, batch, _apart(batch), _sides(model, batch)) for k, batch in membranes]
        rest = np.zeros((model.n_vertices + len(PADDING), 4))
        for part in model.parts:
            rest[part.start : part.stop, :3] = part.body.rest
        self._height = np.maximum(self._pulls(rest.astype(model.settings.dtype), None)[1], 1e-30)  # 0 at a rope
        self._strength, self._energy = _strengths(model)
        self._ropes = Parting(model)

    def cracks(self, state: State) -> list[int]:
        """The numbers of the edges, and of the points of ropes, that break now."""
        return self._of_sheets(state) + self._ropes.breaks(state, self._strength)

    def _of_sheets(self, state: State) -> list[int]:
        pull, height = self._pulls(state.x, state.strains_at_start)
        tension = pull.reshape(-1, 2).mean(1) / self._edges.length
        ratio = tension / self._strength
        strain = (height / self._height - 1).reshape(-1, 2).mean(1)
        compliance = np.maximum(strain, LEAST_STRAIN) / np.maximum(tension, 1e-30)  # m/N
        whole = ~state.broken
        if not (whole & (ratio >= 1)).any() and not self._energy.any():
            return []
        rim = self._rim(state.broken)
        reach = np.where(self._energy > 0, 2 * self._energy / (np.pi * compliance * self._strength**2), 0.0)
        tip = self._tips(rim)[self._ends].any(1) & (self._energy > 0) & (tension > 0)
        coarse = np.sqrt(self._edges.length / np.where(tip, reach, 1.0))
        ratio = np.where(tip, ratio * np.maximum(coarse, 1.0) / FACE_MEAN, ratio)
        x = state.x[: self._model.n_vertices, :3].astype(float)
        return Cracks(self._edges, self._ends, whole, ratio, reach, rim, x).broken

    def _rim(self, broken: Array) -> Array:
        """Vertices at a border of a cloth or at a tear, (n,) bool."""
        weld = self._model.weld
        rim = np.zeros(len(weld), bool)
        rim[weld[self._edges.rim]] = True
        rim[weld[self._edges.joints[broken]]] = True
        return rim

    def _tips(self, rim: Array) -> Array:
        return rim & (np.bincount(self._model.weld, self._edges.angle, len(rim)) > TIP)

    def _pulls(self, x: Array, strains: list[Array] | None) -> tuple[Array, Array]:
        """Force across each side of each edge [N], and the height of its face above the edge [m], a sum over its elements,
        both (2 e,). strains: at the substep's start; None for heights alone."""
        pull, height = np.zeros((2, 2 * len(self._edges)))
        for k, batch, apart, sides in self._batches:
            at_elements = x[batch.index.ravel()]
            slope = np.zeros_like(at_elements)
            if strains is not None:
                add_gradient(apart, strains[k], at_elements, slope)
            add_pulls(batch.index, sides, at_elements, slope, self._model.n_vertices, pull, height)
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
    state.x[lip, :3] += lips(model, state.x[:n, :3].astype(float), lip).astype(state.x.dtype)


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
            strength[mine], energy[mine] = np.maximum(tearing.strength * of_edge, 1e-6), tearing.fracture_energy * of_edge
    return strength, energy


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
