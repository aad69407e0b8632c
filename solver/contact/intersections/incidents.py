"""Incidents of two surfaces that intersect."""

from __future__ import annotations

from typing import NamedTuple

from ..constraints.tables import Array


class Incidents(NamedTuple):
    """Pairs of elements between which something is wrong. one, other: numbers of their objects, (k,). points: where each is
    [m], (k, 3)."""

    one: Array
    other: Array
    points: Array
