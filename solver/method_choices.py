"""The methods as a user chooses among them: a label and one line of help each. Importable without Numba."""

from __future__ import annotations

from dataclasses import fields

from .scene import METHODS, Settings

#: Method -> label, what to choose it for. A method that the solver does not have yet is not offered.
KNOWN = {
    "gpbd": ("GPBD", "Elements solve for their own force, one after the other: cloth and solids, the best for most shots"),
    "gpbd_jacobi": ("GPBD Jacobi", "Elements solve at once and share the step: slower, but free of any order"),
    "xpbd": ("XPBD", "Compliant constraints: quick and robust; stiff materials need many substeps"),
    "pbd": ("PBD", "Classic projection: looks stiffer with more iterations; for comparisons with older shots"),
    "pbng": ("PBNG (vertex blocks)", "Vertices solve in turn: robust for strongly squashed and twisted solids"),
    "newton": ("Newton", "All at once, the reference: slow and exact; for checking what the others do"),
}


def choices(methods: tuple[str, ...] = METHODS) -> dict[str, tuple[str, str]]:
    """Method -> (label, one line of help), those of `Settings.method` in their order; else its name is its label."""
    return {name: KNOWN.get(name, (name, "")) for name in methods}


#: Time integrator -> label, one line of help.
INTEGRATORS = {
    "bdf1": ("Backward Euler", "First order: robust, takes energy out of fast motion"),
    "bdf2": ("BDF2", "Second order: keeps swing and flutter alive with few substeps; first order where contact begins"),
}


def integrators() -> dict[str, tuple[str, str]]:
    """Those that `Settings` takes; the first is what it does without a choice."""
    if any(field.name == "integrator" for field in fields(Settings)):
        return INTEGRATORS
    return {"bdf1": INTEGRATORS["bdf1"]}
