"""Materials: density, contact and the parameters of energies, validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..errors import MaterialError
from . import catalog, checks
from .fabric_table import FabricTable


@dataclass(frozen=True)
class MaterialKind:
    """A kind of material; `catalog.elements_of` has the elements of its energies. folder: of its presets, below `presets/`
    and below the user's folder."""

    density_unit: str
    folder: str


KINDS = {
    "fabric": MaterialKind("kg/m^2", "fabrics"),
    "solid": MaterialKind("kg/m^3", "solids"),
    "shape": MaterialKind("kg/m^2", "shapes"),
    "rope": MaterialKind("kg/m^3", "ropes"),
}
#: Place where a user repairs a material.
PLACE = "in the material"


@dataclass(frozen=True)
class Material:
    """Density, contact and the parameters of each energy, as continuum quantities.

    density: kg/m^2 for fabrics and shapes, kg/m^3 for solids and ropes. thickness: m (fabrics). friction: Coulomb
    coefficient. energies: energy name -> parameter name -> value; names and units are those of `catalog.energies()`. table:
    of an energy with one (`catalog.Energy.has_table`).
    """

    name: str
    kind: str  # of `KINDS`
    density: float
    energies: Mapping[str, Mapping[str, float]]
    thickness: float = 0.001
    friction: float = 0.4
    category: str = ""
    grade: str = "estimated"
    source: str = ""
    table: FabricTable | None = None

    def __post_init__(self) -> None:
        owner = checks.text("Material", "name", self.name, MaterialError)
        checks.one_of(owner, "kind", self.kind, KINDS, MaterialError)
        for name, unit, within in (
            ("density", KINDS[self.kind].density_unit, checks.POSITIVE),
            ("thickness", "m", checks.POSITIVE),
            ("friction", "", checks.NOT_NEGATIVE),
        ):
            value = checks.number(owner, name, getattr(self, name), unit, within, PLACE, MaterialError)
            object.__setattr__(self, name, value)
        for name in ("category", "grade", "source"):
            checks.text(owner, name, getattr(self, name), MaterialError, empty=True)
        object.__setattr__(self, "energies", catalog.check_parameters(owner, self.energies))
        self._check_table(owner)

    def _check_table(self, owner: str) -> None:
        wants = [name for name in self.energies if catalog.energies()[name].has_table]
        if self.table is not None:
            checks.instance(owner, "table", self.table, FabricTable, "Give what read_table returns.", MaterialError)
        if wants and self.table is None:
            raise MaterialError(
                f"{owner}: the energy '{wants[0]}' has no table; wanted that of a fabric. Choose a fabric made of yarns, or "
                "another stretch model."
            )

    @staticmethod
    def fabric(
        density: float,
        young: float | tuple[float, float],
        shear: float,
        poisson: float = 0.2,
        bending: float | tuple[float, float] = 1e-5,
        damping: float = 0.0,
        bend_damping: float | None = None,
        thickness: float = 0.001,
        friction: float = 0.4,
        name: str = "fabric",
    ) -> Material:
        """A woven sheet: density [kg/m^2], Young's moduli of warp and weft and shear [N/m], bending [N m], damping [s]."""
        warp, weft = _warp_and_weft(name, "young", young)
        bend_warp, bend_weft = _warp_and_weft(name, "bending", bending)
        membrane = {"young_warp": warp, "young_weft": weft, "shear": shear, "poisson": poisson, "damping": damping}
        shell = {
            "bending_warp": bend_warp,
            "bending_weft": bend_weft,
            "damping": damping if bend_damping is None else bend_damping,
        }
        energies = {"stvk_membrane": membrane, "discrete_shell": shell}
        return Material(name, "fabric", density, energies, thickness=thickness, friction=friction)

    @staticmethod
    def solid(
        density: float,
        young: float,
        poisson: float,
        energy: str = "stable_neo_hookean",
        damping: float = 0.0,
        thickness: float = 0.001,
        friction: float = 0.4,
        name: str = "solid",
    ) -> Material:
        """A solid: density [kg/m^3], Young's modulus [Pa], Poisson's ratio, damping [s]; other parameters of the energy are
        their defaults."""
        checks.text(checks.text("Material", "name", name, MaterialError), "energy", energy, MaterialError)
        known = catalog.energies().get(energy)
        more = {} if known is None else {key: parameter.default for key, parameter in known.parameters.items()}
        energies = {energy: more | {"young": young, "poisson": poisson, "damping": damping}}
        return Material(name, "solid", density, energies, thickness=thickness, friction=friction)

    @staticmethod
    def shape(
        density: float,
        frequency: float,
        damping_ratio: float = 0.1,
        linear: float = 0.2,
        thickness: float = 0.001,
        friction: float = 0.4,
        name: str = "shape",
    ) -> Material:
        """A body that returns to its shape: density [kg/m^2], frequency [Hz] at which it swings about it, damping over
        critical damping, share of linear deformation of a cluster."""
        numbers = {"frequency": frequency, "damping_ratio": damping_ratio, "linear": linear}
        return Material(name, "shape", density, {"shape_matching": numbers}, thickness=thickness, friction=friction)

    @staticmethod
    def rope(
        density: float,
        young: float,
        bending: float = 0.0,
        twist: float = 0.0,
        damping: float = 0.0,
        bend_damping: float | None = None,
        friction: float = 0.4,
        name: str = "rope",
    ) -> Material:
        """A rope: density of its whole cross section [kg/m^3], moduli of stretch, bending and twist [Pa], damping [s].

        Without bending and twist it is a chain.
        """
        energies = {"rod_stretch": {"young": young, "damping": damping}}
        if bending or twist:
            rod_damping = damping if bend_damping is None else bend_damping
            energies["elastic_rod"] = {"bending": bending, "twist": twist, "damping": rod_damping}
        return Material(name, "rope", density, energies, friction=friction)

    def changed(self, **values: Any) -> Material:
        """A copy with some fields changed; the copy is validated again."""
        known = [field.name for field in fields(self)]
        for name in values:
            checks.one_of(self.name, "the field to change", name, known, MaterialError)
        return replace(self, **values)


def _warp_and_weft(owner: str, what: str, value: float | tuple[float, float]) -> tuple[float, float]:
    """A number of each direction; a single one is both."""
    if not isinstance(value, (list, tuple, np.ndarray)) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value, value
    if len(value) != 2:
        shown, remedy = checks.shown(value), f"Change it {PLACE}."
        raise checks.wrong(owner, what, shown, "a number, or one for the warp and one for the weft", remedy, MaterialError)
    return value[0], value[1]
