"""How a scene is advanced: steps, method, accuracy, device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from .method_choices import INTEGRATORS, METHODS

#: Methods that need no inertia.
STATIC_METHODS = ("newton", "pbng")
#: Methods that the global step goes before.
GLOBAL_STEP_METHODS = ("gpbd", "gpbd_jacobi")
#: Methods whose bodies may sleep: those that sweep elements.
SLEEP_METHODS = ("gpbd", "gpbd_jacobi", "xpbd", "pbd")
DEVICES = ("cpu",)
DTYPES = ("float32", "float64")


@dataclass(frozen=True)
class Settings:
    """How the world is advanced.

    substeps a frame and iterations (sweeps) a substep trade time for accuracy; substeps bring more. local_iterations: Newton
    steps of each element's own problem in a sweep, at most. threads: None uses all cores. reprojection: share of the stale
    direction that a local solve of solids removes, 0 (the published method) to 1. warm_start: share of the last substep's
    force displacements that the next one starts from, 0 to 1; for solids in slow motion with a Poisson ratio below 0.49.
    tolerance: sweep on until the residual is below it, up to 50 times the iterations. damping: share of the velocity that
    the air takes a second [1/s].
    global_iterations: with 1 or more, each sheet's stretch and bending are first solved as a whole, by so many conjugate
    gradient iterations; 4 is a good number, 0 leaves all to the sweeps; for gpbd and gpbd_jacobi.

    method: "gpbd"; "newton", the exact step, best in float64, where iterations are Newton steps; "pbng", vertex by vertex.
    sleep: bodies that have stayed where they are for a second are held there until something moves them (sleeping,
    `stepping/sleep.py`); for the methods that sweep elements.
    integrator: "bdf1" is backward Euler; "bdf2" keeps far more of the energy of a free motion, at the same cost. Its first
    substep, and the one after each with contact, are backward Euler; energies' own damping stays first order.
    quasi_static: no inertia; gravity, pins and colliders act, and each substep ends at rest (methods newton and pbng).
    relaxation: pbng moves a vertex this many times its step, below 2; up to 1.7 converges faster. chebyshev: estimate of the
    sweeps' convergence, 0 (none) to 0.99, by which pbng extrapolates from sweep to sweep; not beside a relaxation above 1.
    """

    fps: float = 24.0
    substeps: int = 8
    iterations: int = 10
    local_iterations: int = 1
    method: str = "gpbd"
    device: str = "cpu"
    dtype: str = "float32"
    threads: int | None = None
    tolerance: float | None = None
    reprojection: float = 0.5
    warm_start: float = 0.0
    damping: float = 0.0
    global_iterations: int = 0
    integrator: str = "bdf1"
    quasi_static: bool = False
    relaxation: float = 1.0
    chebyshev: float = 0.0
    sleep: bool = False

    def __post_init__(self) -> None:
        def check(ok: bool, name: str, wanted: str) -> None:
            if not ok:
                raise SceneError(f"Settings: {name} is {getattr(self, name)!r}; wanted {wanted}.")

        check(np.isfinite(self.fps) and self.fps > 0, "fps", "more than zero frames a second")
        check(int(self.substeps) == self.substeps and self.substeps >= 1, "substeps", "a whole number from 1")
        check(int(self.iterations) == self.iterations and self.iterations >= 1, "iterations", "a whole number from 1")
        local = int(self.local_iterations) == self.local_iterations and self.local_iterations >= 1
        check(local, "local_iterations", "a whole number from 1")
        check(self.method in METHODS, "method", f"one of {', '.join(METHODS)}")
        check(self.device in DEVICES, "device", f"one of {', '.join(DEVICES)}")
        check(self.dtype in DTYPES, "dtype", f"one of {', '.join(DTYPES)}")
        check(self.threads is None or self.threads >= 1, "threads", "None or a whole number from 1")
        check(self.tolerance is None or 0 < self.tolerance < 1, "tolerance", "None or a number between 0 and 1")
        check(0 <= self.reprojection <= 1, "reprojection", "0 to 1")
        check(0 <= self.warm_start <= 1, "warm_start", "0 to 1")
        check(np.isfinite(self.damping) and self.damping >= 0, "damping", "zero or more [1/s]")
        whole = np.isfinite(self.global_iterations) and int(self.global_iterations) == self.global_iterations
        check(whole and self.global_iterations >= 0, "global_iterations", "a whole number from 0")
        alone = self.global_iterations == 0 or self.method in GLOBAL_STEP_METHODS
        goes_with = ", ".join(GLOBAL_STEP_METHODS)
        check(alone, "global_iterations", f"0 with method '{self.method}', or one of the methods {goes_with}")
        check(self.integrator in INTEGRATORS, "integrator", f"one of {', '.join(INTEGRATORS)}")
        static = not self.quasi_static or self.method in STATIC_METHODS
        check(static, "quasi_static", f"False with method '{self.method}', or one of {', '.join(STATIC_METHODS)}")
        swept = not self.sleep or self.method in SLEEP_METHODS
        check(swept, "sleep", f"False with method '{self.method}', or one of {', '.join(SLEEP_METHODS)}")
        check(0 < self.relaxation < 2, "relaxation", "more than 0, less than 2")
        check(0 <= self.chebyshev <= 0.99, "chebyshev", "0 to 0.99")
        alone = self.chebyshev == 0 or self.relaxation <= 1
        check(alone, "chebyshev", f"0 with a relaxation of {self.relaxation}, which it would add up with, or relaxation 1")
