"""Quality measures of a frame. Nothing here imports Numba: the add-on reads reports that a worker has made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .location import Location
from .work import Work

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Report:
    """Quality of one frame, over all bodies.

    errors: of each elastic body by name, distance of the last substep's result from the solution of the substep's equations
    [m], the largest over its vertices; an estimate (`error.py`). error: the largest of them.
    residual: force of imbalance in the integrator's equation M (x - x_pred) / h^2 + grad U at the end of the last substep,
    over that at its prediction, which is the elastic force there; both as root mean squares over vertices free of pins and
    contact, with contact forces added to the latter. A quasi-static solve has no inertia in it, but gravity, and starts from
    the last pose with the pins in their new places. It is 0 if the only force is that of rounded positions (`residual.py`).
    converged: whether all substeps of the frame ended within `Settings.error_tolerance` and `Settings.tolerance`; None
    without both.
    max_stretch, mean_stretch: extension of the edges of cloth and tetrahedra over their rest length (compression counts as
    0). volume_change: of the soft body with the largest, signed. plastic_curvature: the largest of
    sheets [1/m]; plastic_strain: of solids (`plasticity.py`). tension: the largest of a rope's
    segments [N] (`tension.py`). kinetic_energy, elastic_energy, gravity_energy (0 at the
    world's origin): J. momentum: kg m/s; angular_momentum: kg m^2/s about the world's origin; both as (x, y, z), without
    pinned vertices.
    contacts: with force in the last substep. pairs: candidates for contact. deepest: largest shortfall of a kept distance in
    the last substep [m]. clamped: vertices that the last substep clamped (CCD). intersections: edges that pass through
    triangles at the frame's end, also without contact (`intersections.py`); intersection_locations: their places.
    unresolved: pairs that the frame's substeps could not keep apart, because of pinching, and those without room between
    colliders in the last one; unresolved_locations: their places. asleep: bodies that sleep at the frame's end.
    clamped_pins: pinned vertices that contact keeps from their targets at the frame's end (CCD). torn_edges: of
    cloths, since frame 1. released_pins: pinned points that have let go, since frame 1. substeps: of the frame at its end,
    more than in the settings if surfaces stalled. iterations:
    sweeps of the frame. seconds: wall time of the frame. device: that has computed it; fallback: why that was the CPU, if
    the settings have another device. launches: of kernels, bytes_moved: to the device and back, in the frame. work: counts
    of the CPU's work.
    """

    error: float = 0.0
    errors: Mapping[str, float] = field(default_factory=dict)
    residual: float = 0.0
    converged: bool | None = None
    max_stretch: float = 0.0
    mean_stretch: float = 0.0
    volume_change: float = 0.0
    plastic_curvature: float = 0.0
    plastic_strain: float = 0.0
    tension: float = 0.0
    kinetic_energy: float = 0.0
    elastic_energy: float = 0.0
    gravity_energy: float = 0.0
    momentum: Vector = (0.0, 0.0, 0.0)
    angular_momentum: Vector = (0.0, 0.0, 0.0)
    contacts: int = 0
    pairs: int = 0
    deepest: float = 0.0
    clamped: int = 0
    intersections: int = 0
    intersection_locations: tuple[Location, ...] = ()
    unresolved: int = 0
    unresolved_locations: tuple[Location, ...] = ()
    asleep: int = 0
    clamped_pins: int = 0
    torn_edges: int = 0
    released_pins: int = 0
    substeps: int = 0
    iterations: int = 0
    seconds: float = 0.0
    device: str = "cpu"
    fallback: str = ""
    launches: int = 0
    bytes_moved: int = 0
    work: Work = field(default_factory=Work)

    @property
    def energy(self) -> float:
        """Kinetic, elastic and gravity's [J]."""
        return self.kinetic_energy + self.elastic_energy + self.gravity_energy
