"""Settings of a simulation: steps, method, accuracy, device."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from . import checks
from .checks import NOT_NEGATIVE, POSITIVE, SHARE, Range
from .method_choices import INTEGRATORS, METHODS
from .qualities import QUALITIES

#: Methods that need no inertia.
STATIC_METHODS = ("newton", "pbng")
#: Methods with a global step before their sweeps.
GLOBAL_STEP_METHODS = ("gpbd", "gpbd_jacobi")
#: Methods with sleep: those that sweep elements.
SLEEP_METHODS = ("gpbd", "gpbd_jacobi", "xpbd", "pbd")
#: Devices. "cuda:1" is the second of several; SERIAL, for tests, runs the code of CUDA on one thread of the CPU.
DEVICES = ("cpu", "cuda", "auto")
SERIAL = "cuda-serial"
DEVICE_BY_NUMBER = re.compile(r"cuda:(0|[1-9]\d{0,3})")
DTYPES = ("float32", "float64")

OWNER, OWN_PLACE = "Settings", "in the settings"
#: Ranges of numbers, minima of whole numbers, and choices of texts.
NUMBERS = {
    "fps": POSITIVE, "reprojection": SHARE, "warm_start": SHARE, "damping": NOT_NEGATIVE, "chebyshev": Range(0.0, 0.99),
    "relaxation": Range(0.0, 2.0, low_open=True, high_open=True),
}  # fmt: skip
TOLERANCE = Range(0.0, 1.0, low_open=True, high_open=True)
WHOLE = {"substeps": 1, "iterations": 1, "local_iterations": 1, "global_iterations": 0, "samples": 1}
CHOICES = {"method": METHODS, "integrator": INTEGRATORS, "dtype": DTYPES}


@dataclass(frozen=True)
class Settings:
    """Settings of a simulation. Without arguments in the quality *Production* of the panel; `quality` gives the others.

    substeps a frame and iterations (sweeps) a substep trade time for accuracy; substeps have more effect. local_iterations:
    Newton steps of each element's own problem in a sweep, at most. threads: None uses all cores. reprojection: share of the
    stale direction that a local solve of solids removes, 0 (the published method) to 1. warm_start: share of the last
    substep's force displacements that the next one starts from, 0 to 1; for solids in slow motion with a Poisson ratio below
    0.49.
    error_tolerance: sweep on until the error (`report/error.py`) is below so many metres, up to 50 times the iterations.
    tolerance: the same until the residual is below it. damping: rate at which the air removes velocity [1/s].
    global_iterations: *Keep Length*: each sheet's stretch and bending are first solved globally, by so many conjugate
    gradient iterations, up to eight times as many for a large residual, in at most 1.5 times as many linear systems, and
    soft bodies that sweeps would leave unconverged by up to five times as many; 0 leaves all to sweeps. None: 4 for gpbd
    and gpbd_jacobi, which have it, else 0.

    method: "gpbd"; "newton", the exact step, best in float64, where iterations are Newton steps; "pbng", vertex by vertex.
    sleep: bodies at rest for a second are held until something moves them (sleeping, `stepping/sleep.py`); for the methods
    that sweep elements.
    integrator: "bdf2", of second order; the first substep, and those with possible contact of a vertex, are backward Euler
    there, and energies' own damping stays first order. "bdf1" is backward Euler, which damps fast motion, at the same cost.
    quasi_static: no inertia; gravity, pins and colliders act, and each substep ends at rest (methods newton and pbng).
    relaxation: pbng moves a vertex this many times its step, below 2; up to 1.7 converges faster. chebyshev: estimate of the
    sweeps' convergence, 0 (none) to 0.99, by which pbng extrapolates from sweep to sweep; not beside a relaxation above 1.
    device: "cpu"; "cuda", the first GPU that can be used, "cuda:1" the second there is; "auto", a GPU if there is one and
    the scene is large enough for it (`device/cuda/choice.py`). Bits are those of the device. samples: poses of each frame,
    at equal steps of time, the last at its end (`Frame.samples`).
    """

    fps: float = 24.0
    substeps: int = 24
    iterations: int = 4
    local_iterations: int = 1
    method: str = "gpbd"
    device: str = "cpu"
    dtype: str = "float32"
    threads: int | None = None
    error_tolerance: float | None = None
    tolerance: float | None = None
    reprojection: float = 0.5
    warm_start: float = 0.0
    damping: float = 0.0
    global_iterations: int = None  # type: ignore[assignment]
    integrator: str = "bdf2"
    quasi_static: bool = False
    relaxation: float = 1.0
    chebyshev: float = 0.0
    sleep: bool = False
    samples: int = 1

    @classmethod
    def quality(cls, quality: str, **others: Any) -> Settings:
        """Return the settings of a quality of the panel: "interactive", "draft", "production", "reference", "adaptive".

        others: further fields, or other values for the same ones. Raises: SceneError.
        """
        name = checks.one_of(OWNER, "quality", checks.text(OWNER, "quality", quality).upper(), QUALITIES)
        substeps, iterations, error, keep_length = QUALITIES[name]
        numbers: dict[str, Any] = {"substeps": substeps, "iterations": iterations, "error_tolerance": 1e-3 * error or None}
        if others.get("method", cls.method) in GLOBAL_STEP_METHODS:
            numbers["global_iterations"] = keep_length
        return cls(**numbers | others)

    def __post_init__(self) -> None:
        if self.global_iterations is None:
            self._set("global_iterations", QUALITIES["PRODUCTION"][3] if self.method in GLOBAL_STEP_METHODS else 0)
        for name, within in NUMBERS.items():
            self._set(name, checks.number(OWNER, name, getattr(self, name), "", within, OWN_PLACE))
        for name, low in WHOLE.items():
            none = name == "global_iterations"
            self._set(name, checks.whole(OWNER, name, getattr(self, name), low, OWN_PLACE, none=none))
        for name, choices in CHOICES.items():
            checks.one_of(OWNER, name, getattr(self, name), choices)
        self._check_device()
        self._set("quasi_static", checks.flag(OWNER, "quasi_static", self.quasi_static))
        self._set("sleep", checks.flag(OWNER, "sleep", self.sleep))
        if self.threads is not None:
            self._set("threads", checks.whole(OWNER, "threads", self.threads, 1, OWN_PLACE, none=True))
        if self.error_tolerance is not None:
            error = checks.number(OWNER, "error_tolerance", self.error_tolerance, "m", POSITIVE, OWN_PLACE)
            self._set("error_tolerance", error)
        if self.tolerance is not None:
            self._set("tolerance", checks.number(OWNER, "tolerance", self.tolerance, "", TOLERANCE, OWN_PLACE))
        self._check_together()

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_device(self) -> None:
        """Raises: SceneError."""
        known = isinstance(self.device, str) and (
            self.device in (*DEVICES, SERIAL) or DEVICE_BY_NUMBER.fullmatch(self.device) is not None
        )
        if not known:
            wanted = f"one of {', '.join(DEVICES)}, or cuda:1 for the second GPU"
            raise checks.wrong(OWNER, "device", checks.shown(self.device), wanted, "Name one of these.")

    def _check_together(self) -> None:
        """Check dependencies between settings. Raises: SceneError."""

        def check(ok: bool, name: str, wanted: str) -> None:
            if not ok:
                raise checks.wrong(
                    OWNER, name, checks.shown(getattr(self, name)), wanted, f"Change one of them {OWN_PLACE}."
                )

        alone = self.global_iterations == 0 or self.method in GLOBAL_STEP_METHODS
        goes_with = ", ".join(GLOBAL_STEP_METHODS)
        check(alone, "global_iterations", f"0 with method '{self.method}', or one of the methods {goes_with}")
        static = not self.quasi_static or self.method in STATIC_METHODS
        check(static, "quasi_static", f"False with method '{self.method}', or one of {', '.join(STATIC_METHODS)}")
        swept = not self.sleep or self.method in SLEEP_METHODS
        check(swept, "sleep", f"False with method '{self.method}', or one of {', '.join(SLEEP_METHODS)}")
        alone = self.chebyshev == 0 or self.relaxation <= 1
        with_it = f"0 with a relaxation of {self.relaxation:g}, which it would add up with, or relaxation 1"
        check(alone, "chebyshev", with_it)
