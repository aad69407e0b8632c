"""Materials: density, contact and the parameters of energies, validated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import MaterialError
from . import catalog, checks


@dataclass(frozen=True)
class MaterialKind:
    """A kind of material. elements: what its energies may act on; pins bring their own energy, `attachment`. folder: of its
    presets, below `presets/` and below the user's folder."""

    density_unit: str
    elements: tuple[str, ...]
    folder: str


KINDS = {
    "fabric": MaterialKind("kg/m^2", ("triangle", "patch", "hinge", "edge", "tether"), "fabrics"),
    "solid": MaterialKind("kg/m^3", ("tetrahedron", "edge"), "solids"),
}
#: Where a user changes what is wrong with a material.
PLACE = "in the material"


@dataclass(frozen=True)
class Material:
    """Density, contact and the parameters of each energy, as continuum quantities.

    density: kg/m^2 for fabrics, kg/m^3 for solids. thickness: m (fabrics). friction: Coulomb coefficient.
    energies: energy name -> parameter name -> value; names and units are those of `catalog.energies()`.
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

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise MaterialError(f"{self.name}: kind is {self.kind!r}; wanted {' or '.join(map(repr, KINDS))}.")
        checks.positive(self.name, "density", self.density, KINDS[self.kind].density_unit, False, PLACE, MaterialError)
        checks.positive(self.name, "thickness", self.thickness, "m", False, PLACE, MaterialError)
        checks.positive(self.name, "friction", self.friction, "", True, PLACE, MaterialError)
        object.__setattr__(self, "energies", catalog.check_parameters(self.name, self.energies))

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
        warp, weft = young if isinstance(young, Sequence) else (young, young)
        bend_warp, bend_weft = bending if isinstance(bending, Sequence) else (bending, bending)
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
        """A solid: density [kg/m^3], Young's modulus [Pa], Poisson's ratio, damping [s]."""
        energies = {energy: {"young": young, "poisson": poisson, "damping": damping}}
        return Material(name, "solid", density, energies, thickness=thickness, friction=friction)

    def changed(self, **values: Any) -> Material:
        """A copy with some fields changed; the copy is validated again."""
        return replace(self, **values)
