"""The methods as a user chooses among them: a label and one line of help each. Importable without Numba."""

from __future__ import annotations

from dataclasses import fields

from .scene import METHODS, Settings

#: Method -> label, what to choose it for. A method that the solver does not have yet is not offered.
KNOWN = {
    "gpbd": ("GPBD", "Each element in turn: best for most shots"),
    "gpbd_jacobi": ("GPBD Jacobi", "All elements at once: slower, without an order"),
    "xpbd": ("XPBD", "Compliant constraints: quick, soft where stiff"),
    "pbd": ("PBD", "Stiffer with more iterations: for older shots"),
    "pbng": ("PBNG (vertex blocks)", "Each vertex in turn: for squashed, twisted solids"),
    "newton": ("Newton", "Everything at once: slow and exact, to compare"),
}


def choices(methods: tuple[str, ...] = METHODS) -> dict[str, tuple[str, str]]:
    """Method -> (label, one line of help), those of `Settings.method` in their order; else its name is its label."""
    return {name: KNOWN.get(name, (name, "")) for name in methods}


#: Time integrator -> label, one line of help.
INTEGRATORS = {
    "bdf1": ("Backward Euler", "Robust; takes energy out of fast motion"),
    "bdf2": ("BDF2", "Keeps swing and flutter with few substeps"),
}


def integrators() -> dict[str, tuple[str, str]]:
    """Those that `Settings` takes; the first is what it does without a choice."""
    if any(field.name == "integrator" for field in fields(Settings)):
        return INTEGRATORS
    return {"bdf1": INTEGRATORS["bdf1"]}
