"""One substep of a scene: the list of its stages, which every device implements. Read this first.

`cpu_stages.py` has the stages of the CPU, `stepping/gpu/device_stages.py` those of a GPU, as launches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Done:
    """Outcome of a substep. sweeps: its iterations. converged: within the tolerances of the settings; None where there are
    none."""

    sweeps: int
    converged: bool | None


class Stages(Protocol):
    """Stages of one substep on a device. Arrays of the state stay there."""

    @property
    def iterations(self) -> int:
        """Return the number of sweeps in a round."""

    def begin_elements(self) -> None:
        """Set the numbers of elements that belong to the substep's start: strains, limits, closed stitches."""

    def predict(self) -> None:
        """Move everything to its position without energies and contacts; keep the start, and the prediction."""

    def find_contacts(self) -> None:
        """Find the contacts that are possible on the way to the prediction."""

    def solve_globally(self) -> None:
        """Start the displacements of elements, and take the global step."""

    def equilibrate_pressure(self, of_step: bool) -> None:
        """Adjust the pressure of gas to the volume. of_step: after the global step, else after the sweeps."""

    def sweep(self, iteration: int) -> bool:
        """Sweep all elements once; return whether another sweep would change nothing."""

    def project_contacts(self, iterations_left: int) -> bool:
        """Project the contacts; return whether there are any. iterations_left: sweeps of this round that follow."""

    def outcome(self, sweeps: int, unchanged: bool) -> Done | None:
        """Return the outcome after a round; None where a tolerance requires another one. sweeps: so far."""

    def end(self) -> None:
        """Clamp the motion by continuous collision detection, and set the velocities."""


def substep(stages: Stages) -> Done:
    """Advance the state by h."""
    stages.begin_elements()
    stages.predict()
    stages.find_contacts()
    stages.solve_globally()
    stages.equilibrate_pressure(of_step=True)
    done = iterate(stages)
    stages.equilibrate_pressure(of_step=False)
    stages.end()
    return done


def iterate(stages: Stages) -> Done:
    """Sweep elements and contacts in turn, in rounds, until the stages have an outcome."""
    sweeps = 0
    while True:
        for iteration in range(stages.iterations):
            unchanged = stages.sweep(iteration)
            unchanged = not stages.project_contacts(stages.iterations - 1 - iteration) and unchanged
            if unchanged:
                break
        sweeps += iteration + 1
        done = stages.outcome(sweeps, unchanged)
        if done is not None:
            return done
