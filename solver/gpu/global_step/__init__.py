"""The global step (*Keep Length*) of sheets, with their contacts, and soft bodies on a device: `solver/global_step/`.

    rows.py        all sheets' vertices as rows, sums over the rows of each sheet, records of sheets and groups
    matrix.py      matrices of 3x3 blocks, their rows in packs of 16
    hierarchy.py   aggregates of vertices, of these, and so on: matrices of each level, and the last one's inverse
    cycle.py       a V-cycle over these levels, the preconditioner
    gradients.py   conjugate gradients of all groups of sheets side by side
    faces.py, lines.py, patches.py, volumes.py   elements: forces, blocks of the matrix, rise of the potential
    touching.py    contact springs, and their coupling of both sides
    acting.py      the batches of the system, and the launches of each
    system.py      the linear system of all of these
    shares.py      line search and convergence of each group
    step.py        the step

A sheet here may be a soft body without contacts; its rules are those of `solver/global_step/solid_system.py`.

Host code in it builds the sparsity patterns once a simulation. All sheets share the same launches; each group, of sheets
that may touch each other, has steps, sums and an end of its own. The numbers that decide stay on the device: converged
groups have steps of length zero, and once all groups have converged, a launch does nothing.
"""
