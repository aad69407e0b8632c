"""Convergence of a device's step: it has fewer systems than the CPU's, and does not estimate its error in between.

Systems end if the residual force, vertex by vertex, could lower the potential by less than a share of the fall so far, or of
that of a slight acceleration of the sheet; with limits, if the last system has lowered it by less than a share; for soft
bodies, if it has, or if the linear model has predicted its fall within that share.
"""

#: Shares of the potential's fall: of sheets, and of soft bodies.
SETTLED, SOLIDS_SETTLED = 4e-5, 1e-4
#: [m/s^2]
SLIGHT = 1.0
#: Iterations of a system of soft bodies, at most, for each of a sheet's.
ITERATIONS_OF_SOLIDS = 5
