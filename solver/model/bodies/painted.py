"""Painted elements of a body: materials at the corners of the range of its maps, each with a share.

Stress is linear in the stiffness, and viscous stress in stiffness times damping; a yield between two is that of both side by
side. So an element with numbers between two
materials equals two elements on the same corners, each with a share: if a map scales the shear alone, those of a material
with its lowest and its highest shear. If all of a material's stiffness scales alike, one element with a share is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from ...scene import catalog
from ...scene.maps import Map

Array = np.ndarray

#: Remainder of a number that must be positive, if it is painted to zero [1].
LEAST = 1e-6


@dataclass(frozen=True)
class Share:
    """Share of one material in each element: the sum of terms. Each is a factor, and for maps, by name, the end of the range
    that counts, 1 for the weight 1."""

    terms: tuple[tuple[float, tuple[tuple[str, int], ...]], ...]

    def at(self, maps: Mapping[str, Map], corners: Array) -> Array:
        """Return the share of each element [1], (k,). corners: its vertices, (k, corners), -1 for a missing one."""
        means = {name: _at_elements(maps[name].weights, corners) for name, _ in self.terms[0][1]}
        parts = [
            np.prod([means[name] if end else 1.0 - means[name] for name, end in ends], axis=0) for _, ends in self.terms
        ]
        return np.sum([part * factor for part, (factor, _) in zip(parts, self.terms, strict=True)], axis=0)


def scaled_by(energy: catalog.Energy) -> dict[str, str]:
    """Parameter -> the map that is a factor of it; limits have none."""
    map_of_parameter = {}
    stiffness = catalog.element_kinds()[energy.element].map
    if energy.limit is None and stiffness:
        for name, parameter in energy.parameters.items():
            if name == "damping":
                map_of_parameter[name] = "damping"
            elif name.startswith("yield_"):
                map_of_parameter[name] = "yield"
            elif _is_stiffness(parameter):
                map_of_parameter[name] = "shear" if name == "shear" else stiffness
    return map_of_parameter


def _is_stiffness(parameter: catalog.Parameter) -> bool:
    return parameter.unit in ("N/m", "N m", "Pa")


def scaled(energy: catalog.Energy, values: Mapping[str, float], factors: Mapping[str, float]) -> dict[str, float]:
    """The parameters times these factors."""
    changed = dict(values)
    for name, factor in factors.items():
        changed[name] = values[name] * (max(factor, LEAST) if energy.parameters[name].low_open else factor)
    return changed


def materials_of(energy: catalog.Energy, maps: Mapping[str, Map]) -> Iterator[tuple[dict[str, float], Share | None]]:
    """Factors of parameters, and the share of each element that has these; None for all of it. Maps that are painted alike
    count as one."""
    by = {parameter: name for parameter, name in scaled_by(energy).items() if name in maps}
    if not by:
        yield {}, None
        return
    axes: list[str] = []  # one of the maps that are painted alike
    axis_of = {}
    for name in dict.fromkeys(by.values()):
        known = [k for k, other in enumerate(axes) if maps[name].is_as(maps[other])]
        axis_of[name] = known[0] if known else len(axes)
        if not known:
            axes.append(name)
    terms = []
    for ends in product((0, 1), repeat=len(axes)):
        factors = {p: maps[name].high if ends[axis_of[name]] else maps[name].low for p, name in by.items()}
        terms.append((factors, tuple(zip(axes, ends, strict=True))))
    stiffness = [p for p, parameter in energy.parameters.items() if _is_stiffness(parameter)]
    if all(_is_alike(energy, factors, stiffness) for factors, _ in terms):
        yield {}, Share(tuple((max(factors[stiffness[0]], LEAST), ends) for factors, ends in terms))
        return
    yield from ((factors, Share(((1.0, ends),))) for factors, ends in terms)


def _is_alike(energy: catalog.Energy, factors: Mapping[str, float], stiffness: list[str]) -> bool:
    """Return whether all of the stiffness has one factor, and other numbers none."""
    others = [factor for p, factor in factors.items() if p not in stiffness]
    return len({factors.get(p, 1.0) for p in stiffness}) == 1 and all(factor == 1.0 for factor in others)


def _at_elements(weights: Array, corners: Array) -> Array:
    """The mean of each element's corners, (k,)."""
    there = corners >= 0
    return (weights[corners] * there).sum(1) / there.sum(1)
