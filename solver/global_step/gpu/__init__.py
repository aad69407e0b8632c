"""The global step (*Keep Length*) of sheets, with their contacts, and soft bodies on a device: `solver/global_step/`.

    rows.py                all sheets' vertices as rows, sums over the rows of each sheet, records of sheets and groups
    row_operations.py      operations of the step on each row, each sheet and each group
    matrix.py              matrices of 3x3 blocks, their rows in packs of 16
    hierarchy.py           aggregates of vertices, of these, and so on: matrices of each level, and the last one's inverse
    cycle.py               a V-cycle over these levels, the preconditioner
    conjugate_gradients.py conjugate gradients of all groups of sheets side by side
    face_elements.py, line_elements.py, patch_elements.py, volume_elements.py   forces, blocks of the matrix, rise of energy
    energy_rise.py         rise of an element's energy along a step, by its gradient
    element_launches.py    the batches of the system, and the launches of each
    contact_coupling.py    contact springs, and their coupling of both sides
    contact_forces.py      their forces at the step's end, and on vertices outside the step
    system.py              the linear system of all of these
    line_search.py         line search of each group; `convergence.py`: when a group has converged
    angular_momentum.py    the step's torque on free sheets
    force_response.py      response to forces, with the last system's matrix
    device_global_step.py  the step

A sheet here may be a soft body without contacts; its rules are those of `solver/global_step/solid_system.py`.

Host code in it builds the sparsity patterns once a simulation. All sheets share the same launches; each group, of sheets
that may touch each other, has steps, sums and an end of its own. The numbers that decide stay on the device: converged
groups have steps of length zero, and once all groups have converged, a launch does nothing.
"""
