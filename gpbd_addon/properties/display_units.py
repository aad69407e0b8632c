"""Display units: small SI numbers become hand-sized ones in the panels; stored values stay SI."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DisplayUnit:
    """`label` is shown after the number; one of it is `scale` of the SI unit; `decimals` are shown.

    blender: the kind of unit that Blender shows and reads by itself, as the scene has it chosen, with no label of ours.
    power: how many lengths of the scene's unit scale are in it.
    """

    label: str
    scale: float
    decimals: int = 3
    blender: str = "NONE"
    power: int = 0

    def text(self, value: float) -> str:
        """A value in SI with its unit, in a sentence."""
        scale, label = IN_WORDS.get(self.blender, (self.scale, self.label))
        return f"{value / scale:.4g} {label}".rstrip()


#: Of what Blender writes as the scene has it chosen: scale and label in a sentence.
IN_WORDS = {"LENGTH": (1e-3, "mm"), "MASS": (1.0, "kg"), "TIME_ABSOLUTE": (1.0, "s")}


#: By SI unit. Lengths, times and masses are in the units of the scene. Blender has none for the rest, and shows six decimals
#: at most, so that a bending rigidity of 8e-7 N m would read 0.000001.
DISPLAY_UNITS = {
    "m": DisplayUnit("", 1.0, 5, "LENGTH", 1),
    "kg": DisplayUnit("", 1.0, 3, "MASS", 3),
    "kg/m^2": DisplayUnit("g/m²", 1e-3, 1),
    "kg/m^3": DisplayUnit("kg/m³", 1.0, 2),
    "N m": DisplayUnit("µN·m", 1e-6, 2),
    "Pa": DisplayUnit("kPa", 1e3, 2),
    "N/m": DisplayUnit("N/m", 1.0, 1),
    "m/N": DisplayUnit("mm/N", 1e-3, 4),
    "1/N": DisplayUnit("1/kN", 1e-3, 4),
    "1/Pa": DisplayUnit("1/kPa", 1e-3, 4),
    "s": DisplayUnit("", 1.0, 5, "TIME_ABSOLUTE"),
}


def display_unit(unit: str) -> DisplayUnit:
    """Return the display unit of an SI unit; the unit itself by default."""
    return DISPLAY_UNITS.get(unit, DisplayUnit(unit, 1.0))
