"""One energy a file; a new energy is a new file here, found by its literals (`solver.catalog`).

An energy module has

    NAME, LABEL, ELEMENT, PARAMETERS   literals; `catalog` reads them without importing the file
    CORNERS, REST, CONSTANTS           how many corners an element has, and numbers of `rest` and `constants`
    CONSTRAINTS, ONE_SIDED             numbers of `constraints`, where there is one; whether they are limits, which act only
                                       where they are above zero
    STATE, START_STRAINS                      numbers an element keeps between sweeps, and remembers from the substep's start
    rest(x, elements, values, axes, fraction)   (n, REST) float64: what never changes of each element
    constants(values, h)               (CONSTANTS,) float64: what a whole material shares, for a substep of h seconds;
                                       first, of a solid, the stiffness of its volume over mu (`methods/untangling.py`)

and the physics of one element as functions of tuples (`@element`). corners, directions, forces: a tuple of three numbers for
each corner. w: h^2 / mass of each corner [s^2/kg]. rest, k, old, state: REST, CONSTANTS, START_STRAINS and STATE numbers.

    gradient(corners, rest, k, old) -> energy [J], its gradient at each corner [N]
    strain_at_start(corners, rest) -> old: the strains that damping compares with; only where there is a `damping`
    project(corners, w, rest, k, old, state, reprojection) -> corners, state: the local solve of `methods/gpbd.py`
    displacement(corners, rest, state) -> force that `state` stands for, at each corner [N]; moves it by w
    hessian_times(corners, rest, k, old, directions, exact) -> second derivative times directions [N], at each corner;
        exact: 1 for the true one, 0 for a positive one, without what can be negative; for `pbng` and `newton`. Both have
        the damping in them
    block(corners, rest, k, old, mine) -> gradient at one corner [N], its own positive 3x3 block [N/m], six numbers as in
        `mathlib/mat3.py`; mine: 1 for this corner, 0 for the others. Faster for `pbng` than three `hessian_times`
    undamped_block: the same where no material has damping; only where that is much faster
    constraints(corners, rest, k, old) -> values C, stiffnesses, gradients: U = 1/2 sum_i stiffness_i C_i^2; for `xpbd`;
        a tuple of CONSTRAINTS values, of stiffnesses, and of gradients (each a tuple over the corners). U is without
        damping. A limit that is not reached has a value below zero, of which U takes none

A constraint with a compliance of 0 is hard: `project` solves it exactly, in the limit of infinite stiffness, while
`gradient`, `hessian_times` and `constraints`, which need a force as a function of the positions, take the least compliance
of the energy's HARDEST in its place.

What energies act on: a triangle of a cloth; a patch, which is a triangle and its three neighbours; a hinge, an interior edge
with the two corners beside it; an edge; a tether, a vertex and a pinned vertex of its cloth; a tetrahedron; a vertex.

Loops over packs of 16 elements are written once for all energies (`element_loops.py`, `methods/`), and compiled for each
(`device/per_energy.py`). A method asks an energy for the functions it needs; one that lacks them cannot be used with it.
Energies never import one another; what several share stands in `elements/`.
"""
