"""When a device's step is settled: it has fewer systems than the CPU's, and no estimate of its error in between.

Systems end where the force that is left could, vertex by vertex, lower the potential by less than a share of what all have,
or of what so slight an acceleration would give the sheet; with limits, where the last system has lowered it by less than a
share; of soft bodies, where it has, or where the linear model has foreseen its fall but for that share.
"""

#: Shares of the potential's fall: of sheets, of soft bodies, with limits, and of what the linear model has not foreseen.
SETTLED, SOLIDS_SETTLED = 4e-5, 1e-4
#: [m/s^2]
SLIGHT = 1.0
#: Iterations of a system of soft bodies, at most, for each of a sheet's.
ITERATIONS_OF_SOLIDS = 5
