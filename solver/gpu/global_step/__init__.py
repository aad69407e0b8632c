"""The global step (*Keep Length*) of sheets, with their contacts, and soft bodies on a device: `solver/global_step/`.

    rows.py        all sheets' vertices as rows, sums over the rows of each sheet, what is known of each sheet
    matrix.py      matrices of 3x3 blocks, their rows in packs of 16
    hierarchy.py   aggregates of vertices, of these, and so on: matrices of each level, and the last one's inverse
    cycle.py       a V-cycle over these levels, the preconditioner
    gradients.py   conjugate gradients of all groups of sheets side by side
    faces.py, lines.py, patches.py, volumes.py   what elements add: forces, blocks of the matrix, how the potential rises
    touching.py    what contacts add, and how one side of them pushes the other
    acting.py      the batches that the step solves for, and the launches of each
    system.py      the linear system of all of these
    shares.py      how far each group goes along its step, and when it is settled
    step.py        the step

A sheet here may be a soft body that nothing touches, whose rules are those of `solver/global_step/solid_system.py`.

Host code in it finds places and lists once a simulation. All sheets are in the same launches; each group, of sheets
that may touch each other, has steps, sums and an end of its own. The numbers that decide stay on the device: what is
settled has steps of length zero, and once all groups are, a launch does nothing.
"""
