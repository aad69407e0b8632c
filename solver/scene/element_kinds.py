"""Kinds of elements, each in one row: its place in a sweep, the materials whose energies act on it, its painted map.

An energy file may bring a kind of its own, by its literal ELEMENT_KIND (`energies/__init__.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..errors import MaterialError
from . import checks

#: Places in a sweep: soft energies first, because the last ones are satisfied best.
SWEEP = ("world", "bending", "stretch", "tie")
#: Maps that scale the stiffness.
MAPS = ("", "stretch", "bending")


@dataclass(frozen=True)
class ElementKind:
    """A kind of element.

    sweep: place in a sweep, of `SWEEP`. materials: kinds of material whose energies act on it. map: map that scales their
    stiffness, "" for none. rests_on_padding: whether an element on the padding vertices is at rest. solved_as: kind of
    elements whose part of the global step takes it; "" for its own. changes: whether its elements are found anew at each
    substep. brought_by: energy whose `find_elements` finds its elements; "" where bodies have them.
    """

    sweep: str
    materials: tuple[str, ...] = ()
    map: str = ""
    rests_on_padding: bool = True
    solved_as: str = ""
    changes: bool = False
    brought_by: str = ""


KINDS = {
    "vertex": ElementKind("world", ("shape",)),
    "patch": ElementKind("bending", ("fabric",), "bending"),
    "hinge": ElementKind("bending", ("fabric",), "bending", rests_on_padding=False),
    "joint": ElementKind("bending", ("rope",), "bending", rests_on_padding=False),
    "edge": ElementKind("stretch", ("fabric", "solid"), "stretch"),
    "segment": ElementKind("stretch", ("rope",), "stretch"),
    "triangle": ElementKind("stretch", ("fabric",), "stretch", rests_on_padding=False),
    "tetrahedron": ElementKind("stretch", ("solid",), "stretch"),
    "tether": ElementKind("stretch", ("fabric",)),
    "stitch": ElementKind("stretch", rests_on_padding=False),
    "tie": ElementKind("tie", rests_on_padding=False),
}
#: Fields that an energy file may set.
LITERALS = tuple(field.name for field in fields(ElementKind) if field.name != "brought_by")


def kind_of_literal(owner: str, energy: str, literal: Mapping[str, Any]) -> ElementKind:
    """Return the kind of elements that an energy file describes. owner: the file. Raises: MaterialError."""
    values = dict(checks.mapping(owner, "ELEMENT_KIND", literal, MaterialError))
    for name in values:
        checks.one_of(owner, "a key of ELEMENT_KIND", name, LITERALS, MaterialError)
    kind = ElementKind(**{"sweep": "stretch", **values}, brought_by=energy)
    checks.one_of(owner, "ELEMENT_KIND['sweep']", kind.sweep, SWEEP, MaterialError)
    checks.one_of(owner, "ELEMENT_KIND['map']", kind.map, MAPS, MaterialError)
    return kind
