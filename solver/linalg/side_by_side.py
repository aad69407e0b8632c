"""Parts of linear systems that share no unknowns, put side by side as parts of one system; of a single one, that itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from .block_matrix import Pattern
from .coarse_space import CoarseSpace, begins
from .nested import FRONTS, side_by_side
from .second_ring import SecondRingCouplings

Array = np.ndarray


def patterns(parts: list[Pattern]) -> Pattern:
    if len(parts) == 1:
        return parts[0]
    vertices, blocks = [part.vertices for part in parts], [len(part.columns) for part in parts]
    return Pattern(
        begins([part.rows for part in parts]),
        _shifted([part.columns for part in parts], vertices),
        _shifted([part.diagonal for part in parts], blocks),
        _shifted([part.mirror for part in parts], blocks),
    )


def strips(parts: list[Array], vertices: list[int]) -> Array:
    """See `strips.strips_of`; vertices: of each part."""
    return np.concatenate(_each_shifted(parts, vertices))


def second_rings(parts: list[SecondRingCouplings]) -> tuple[Array, Array, Array]:
    """See `SecondRingCouplings.arrays`."""
    if len(parts) == 1:
        return parts[0].arrays
    rows, columns, weights = zip(*(part.arrays for part in parts), strict=True)
    return begins(list(rows)), _shifted(list(columns), [len(row) - 1 for row in rows]), np.concatenate(weights)


def coarse_spaces(parts: list[CoarseSpace]) -> tuple[Any, ...]:
    """Concatenate `CoarseSpace.arrays`; results of `CoarseSpace.factorise` are copied by `copy_factors`."""
    if len(parts) == 1:
        return parts[0].arrays
    shares, members, work, products = zip(*(part.arrays for part in parts), strict=True)
    aggregates, vertices = [len(begin) - 1 for begin, _, _ in members], [len(first) - 1 for first, _, _ in shares]
    return (
        (
            begins([first for first, _, _ in shares]),
            _shifted([aggregate for _, aggregate, _ in shares], aggregates),
            np.concatenate([share for _, _, share in shares]),
        ),
        (
            begins([begin for begin, _, _ in members]),
            _shifted([vertex for _, vertex, _ in members], vertices),
            np.concatenate([share for _, _, share in members]),
        ),
        (side_by_side([factors for factors, _ in work], aggregates), np.zeros(3 * sum(aggregates))),
        (
            begins([begin for begin, _, _ in products]),
            _shifted([vertex for _, vertex, _ in products], vertices),
            np.concatenate([blocks for _, _, blocks in products]),
        ),
    )


def copy_factors(parts: list[CoarseSpace], arrays: tuple[Any, ...]) -> None:
    """Copy the results of `CoarseSpace.factorise` in all parts to `arrays`."""
    if len(parts) > 1:
        np.concatenate([part.fronts for part in parts], out=arrays[2][0][FRONTS])
        np.concatenate([part.products for part in parts], out=arrays[3][2])


def _shifted(parts: list[Array], sizes: list[int]) -> Array:
    return np.concatenate(_each_shifted(parts, sizes))


def _each_shifted(parts: list[Array], sizes: list[int]) -> list[Array]:
    """Return the numbers of each part, shifted by the sizes of the parts before it."""
    firsts = np.cumsum([0, *sizes[:-1]])
    return [(part + first).astype(part.dtype) for part, first in zip(parts, firsts, strict=True)]
