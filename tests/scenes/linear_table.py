"""A fabric table of plain numbers: an orthotropic sheet, whose energy is a square along each axis."""

from __future__ import annotations

import numpy as np

from solver.scene import fabric_table


def linear_table(warp=1000.0, weft=800.0, shear=100.0, bending=(1e-5, 8e-6), coupling=200.0, module=fabric_table):
    """psi = 1/2 (warp sx^2 + shear sa^2 + weft sy^2) + coupling sx sy + 1/2 tr(B II^2), within the data: a cubic spline has
    squares exactly, and a bicubic one products. module: `scene.fabric_table` of the solver that is to have it."""
    stretch, curvature = np.linspace(-0.6, 0.9, 6), np.linspace(-160, 160, 9)
    curves = tuple(
        module.Curve(knots, 0.5 * stiffness * knots**2, stiffness * knots)
        for knots, stiffness in (
            (stretch, warp), (np.linspace(-0.8, 0.8, 9), shear), (stretch, weft), (curvature, bending[0]),
            (curvature, bending[1]),
        )
    )  # fmt: skip
    u, v = np.meshgrid(stretch, stretch)
    product = np.stack([coupling * u * v, coupling * v, coupling * u, np.full_like(u, coupling)])
    return module.FabricTable(curves, {"02": module.Patch(stretch, stretch, product)}, name="linear")
