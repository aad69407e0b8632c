"""The methods and integrators that there are, with a label and one line of help each. Importable without Numba."""

from __future__ import annotations

#: `Settings.method` -> label, purpose.
METHODS = {
    "gpbd": ("GPBD", "Each element in turn: best for most shots"),
    "gpbd_jacobi": ("GPBD Jacobi", "All elements at once: slower, without an order"),
    "xpbd": ("XPBD", "Compliant constraints: quick, soft where stiff"),
    "pbd": ("PBD", "Stiffer with more iterations: for older shots"),
    "pbng": ("PBNG", "Each vertex in turn: for squashed, twisted solids"),
    "newton": ("Newton", "Everything at once: slow and exact, to compare"),
}

#: `Settings.integrator` -> label, purpose.
INTEGRATORS = {
    "bdf1": ("Damped", "Takes energy out of fast motion: backward Euler"),
    "bdf2": ("Lively", "Keeps swing and flutter with few substeps: BDF2"),
}
