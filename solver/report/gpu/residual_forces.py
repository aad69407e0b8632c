"""Residual of the balance of forces at a frame's end, for its report, on a device (`report/residual.py`).

Three passes over all elements: at the positions, at the prediction, and at the prediction moved by its last digits. Each
vertex sums its elements in their order; the energy is the sum of a fixed tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.cuda.body import body
from ...device.cuda.device import Array
from ...device.cuda.element_tuples import constants_of, places_of, rest_of, strains_of, vertices_of, written_out
from ...device.cuda.primitives import RUN, Tree
from ...device.per_energy import GIVEN, per_energy
from ...methods.gpu.gpbd_sweeps import Elements, Numbers, Sums, add_moves, clear
from ...model.gpu.state_arrays import BatchArrays, StateArrays

CORNERS = GIVEN
gradient = GIVEN

ZERO = f32(0)
#: Factor of a number that rounds to one unit of its last digit.
LAST_DIGIT = f32(0.6 * 2.0**-23)


def _keep(corners: int) -> str:
    """rows[first + k] = forces[k], of each corner."""
    lines = [f"    rows[first + {k}, {i}] = forces[{k}][{i}]" for k in range(corners) for i in range(3)]
    return "\n".join(["def keep(rows, first, forces):", *lines, ""])


keep = written_out(_keep, "CORNERS")


class Slopes(NamedTuple):
    """elements: of which x is where to look. moves: gradients at the corners, are written, (packs * 16 * corners, 4) [N];
    energies: likewise, (packs * 16,) [J]."""

    elements: Elements
    moves: Array
    energies: Array


class Balance(NamedTuple):
    """x, correction, load: as in `State`; corrected: 1, or 0 for a prediction; inertia: 1, or 0. out: (n + 4, 4) [N]."""

    x: Array
    correction: Array
    load: Array
    corrected: np.int32
    inertia: np.float32
    out: Array


class Rounded(NamedTuple):
    """x: (n + 4, 4) [m]. out: is written, likewise."""

    x: Array
    out: Array


@per_energy(body)
def keep_gradient(i, args):
    """Energy and gradient of an element."""
    e, pack, lane = args.elements, i // LANES, i % LANES
    energy, slopes = gradient(
        places_of(e.x, vertices_of(e.corners, pack, lane)),
        rest_of(e.rest, pack, lane),
        constants_of(e.constants[e.material[pack]]),
        strains_of(e.strains, pack, lane),
    )
    args.energies[i] = energy
    keep(args.moves, i * CORNERS, slopes)


@body
def add_inertia(i, args):
    """Add inertia and load to the gradient at a vertex, none where nothing moves (`methods/potential.py`)."""
    w = args.x[i, 3]
    for k in range(3):
        if w > ZERO:
            moved = args.correction[i, k] if args.corrected > 0 else ZERO
            args.out[i, k] += args.inertia * moved / w - args.load[i, k]
        else:
            args.out[i, k] = ZERO


@body
def move_last_digits(i, args):
    """Move positions by their last digits, as `residual.add_last_digits`."""
    for k in range(3):
        x = args.x[i, k]
        digit = (x + abs(x) * LAST_DIGIT) - x
        args.out[i, k] = x + digit if ((3 * i + k) * 2654435761 >> 16) & 1 else x - digit
    args.out[i, 3] = args.x[i, 3]


class DeviceForces:
    """Forces of the last substep of a model's frame. left: residual at x, (n + 4, 4) [N]."""

    def __init__(self, state: StateArrays, elements: list[Elements]) -> None:
        self.device, self._state, self._elements = state.device, state, elements
        settings, shape = state.model.settings, (state.rows, 4)
        self._inertia = np.float32(0.0 if settings.quasi_static else 1.0)
        self.left, self._begun, self._beside, self._rounded = (self.device.zeros(shape, np.float32) for _ in range(4))
        self._elastic = self.device.zeros(shape, np.float32) if settings.quasi_static else None
        most = max((batch.threads for batch in state.batches), default=1)
        self._energies, self._tree = self.device.zeros(most, np.float32), Tree(self.device, max(most, RUN), np.float32)
        self._totals = self.device.zeros(max(len(state.batches), 1), np.float32)

    def measure(self) -> None:
        """After the last substep of a frame."""
        s = self._state
        self._force(s.x_pred, self._begun, corrected=False)
        self.device.launch(move_last_digits, s.rows, Rounded(s.x_pred, self._rounded))
        self._force(self._rounded, self._beside, corrected=False)
        self._force(s.x, self.left, corrected=True)

    def _force(self, x: Array, out: Array, corrected: bool) -> None:
        s = self._state
        self.device.launch(clear, out.size, Numbers(out.reshape(-1)))
        for number, (batch, elements) in enumerate(zip(s.batches, self._elements, strict=True)):
            self._add(number, batch, elements._replace(x=x), out)
        if self._elastic is not None and x is s.x_pred:
            self.device.copy(self._elastic, out)
        arguments = Balance(x, s.correction, s.load, np.int32(corrected), self._inertia, out)
        self.device.launch(add_inertia, s.rows, arguments)

    def _add(self, number: int, batch: BatchArrays, elements: Elements, out: Array) -> None:
        energies = self._energies[: batch.threads]
        self.device.launch(keep_gradient(batch.host.energy), batch.threads, Slopes(elements, batch.moves, energies))
        self.device.launch(add_moves, batch.n, Sums(*batch.gathered, batch.moves, out))
        self.device.copy(self._totals[number : number + 1], self._tree.sum(energies))

    @property
    def parts(self) -> tuple[Array, Array, Array, Array]:
        """Return forces at the prediction, beside it, at x, and elastic ones at a prediction without inertia, (n +
        4, 4) [N]."""
        return self._begun, self._beside, self.left, self._begun if self._elastic is None else self._elastic

    def elastic_energy(self) -> float:
        """Return the energy at x [J]."""
        return float(self.device.download(self._totals).sum(dtype=float))
