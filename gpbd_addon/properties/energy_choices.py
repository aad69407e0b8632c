"""Energies that the material panel offers, placed by the elements they act on, so that a new one appears by itself.

Stretch and bend models, or the model of a solid, are chosen one at a time; limits, which are swept last (`LIMIT` in
their files), and edges inside a solid are added to them.
"""

from __future__ import annotations

from ...solver.scene import catalog
from ..body_kinds import material_of

STRETCH, BEND, SOLID, SHAPE, ADDED = "stretch", "bend", "solid", "shape", "added"
#: Models that reproduce a publication: for scripts. A choice offers them only where they are in use already.
FOR_SCRIPTS = ("paper_neo_hookean",)
#: What a fresh body is made of.
DEFAULTS = ("stvk_membrane", "discrete_shell", "stable_neo_hookean", "rod_stretch", "elastic_rod", "shape_matching")
#: Kind of material -> its places in the order in which they are drawn.
PLACES = {"fabric": (STRETCH, BEND, ADDED), "solid": (SOLID, ADDED), "rope": (STRETCH, BEND, ADDED), "shape": (SHAPE,)}
#: Items of a choice beside the energies: none of them, several at once.
NONE, SEVERAL = "NONE", "SEVERAL"


def role(energy: catalog.Energy, kind: str) -> str:
    """The place of an energy in the material of a kind, of `KINDS`."""
    if energy.limit is not None:
        return ADDED
    if kind == "solid":
        return SOLID if energy.element == "tetrahedron" else ADDED
    if kind == "shape":
        return SHAPE
    return BEND if catalog.element_kinds()[energy.element].sweep == "bending" and not energy.has_table else STRETCH


def offered(kind: str, place: str) -> list[str]:
    """The energies of a kind that have this place, the default first, then by name."""
    usable = [energy for energy in catalog.energies().values() if energy.element in catalog.elements_of(kind)]
    names = [energy.name for energy in usable if energy.parameters and role(energy, kind) == place]
    return sorted(names, key=lambda name: (name not in DEFAULTS, name))


def possible(body_type: str) -> list[str]:
    """All energies that a body of this type can use, as they are drawn; empty for no body."""
    kind = material_of(body_type)
    return [] if kind is None else [name for place in PLACES[kind] for name in offered(kind, place)]
