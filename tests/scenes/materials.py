"""Materials that scenes are made of: keyword arguments of `Material.fabric` and `Material.solid`, SI units."""

from __future__ import annotations

from typing import Any

#: The sheets' fabric: an isotropic membrane of about the stiffness of a net of 2000 N/m springs along the edges.
FABRIC = {"density": 0.2, "young": 2000.0, "shear": 750.0, "poisson": 1 / 3, "bending": 1e-5}
#: The same sheet as springs along its edges [N/m].
SPRING = 2000.0
NET = {"stiffness": SPRING, "damping": 0.0}
#: Soft blocks that touch each other: kg/m^3, Pa, s.
SOFT = {"density": 1000.0, "young": 3e4, "poisson": 0.4, "damping": 0.01}
#: The blocks' rubber: kg/m^3, Pa.
SOLID = {"density": 1000.0, "young": 1e5, "poisson": 0.45}


def spring_material(package: Any) -> Any:
    """A fabric of springs with the sheets' density and bending."""
    bending = {"bending_warp": FABRIC["bending"], "bending_weft": FABRIC["bending"], "damping": 0.0}
    energies = {"spring": NET, "discrete_shell": bending}
    return package.Material("springs", "fabric", FABRIC["density"], energies)
