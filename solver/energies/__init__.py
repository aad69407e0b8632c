"""One energy a file; a new energy is a new file, here or in a folder of your own, and no other file changes.

The environment variable GPBD_ENERGIES names a folder of your own (`scene/catalog.py`). Its files count as files of this
package: copy one from here, change NAME and the physics, and leave the relative imports as they are. The material panel, the
presets, all methods whose functions it has, the residual, the reports and the global step then include it, and compiled
kernels follow edits of the file. These tests check the contract:

    GPBD_ENERGIES=/home/me/energies python -m pytest tests/solver/energies -k its_name

Literals, which `catalog` reads without importing the file:

    NAME, LABEL, ELEMENT               NAME is the file's own; ELEMENT is its kind of element, see below
    PARAMETERS                         name -> (label, unit, default, low, high, whether low is not allowed, description);
                                       one named `damping` is a time [s] of Rayleigh damping
    TABLE                              optional, True: its material has a table (`scene/fabric_table.py`), in values["table"]
                                       of `rest` and `constants`
    LIMIT                              optional: a whole number; limits are swept after all other energies, in ascending
                                       order

    ELEMENT_KIND                       optional: of a new kind of element, which this file brings with `find_elements`, the
                                       fields of `scene/element_kinds.py` that are not its defaults, such as
                                       {"sweep": "bending", "materials": ("fabric",), "map": "bending"}

Further numbers of a module:

    CORNERS, REST, CONSTANTS           number of corners of an element, of `rest` and of `constants`; with
                                       CONSTANTS of 0 k is the row itself, an array to look up in
    STATE                              numbers an element keeps between sweeps
    START_STRAINS                      numbers an element keeps from the substep's start; 0 without damping
    PROPOSAL                           with `propose`: number of its proposed numbers
    CONSTRAINTS, ONE_SIDED             with `constraints`: their number, and whether they are inequalities, which act
                                       only above zero

Functions of NumPy arrays:

    rest(x, elements, values, axes, fraction) -> (n, REST) float64: constant data of each element. x: rest positions
        [m], (n_vertices, 3). elements: (n, CORNERS), -1 for none. values: parameters. axes: unit vectors of warp and weft
        in each face's plane, (n, 2, 3). fraction: share of the stiffness of each element, (n,)
    find_elements(x, cells, values) -> (k, CORNERS) vertices of a body: with ELEMENT_KIND. x: rest positions [m], (n, 3);
        where elements change, those at the substep's start. cells: triangles, segments or tetrahedra of it, (m, corners)
    constants(values, h) -> (CONSTANTS,) float64: common data of a material, for a substep of h seconds; first, of a
        solid, the stiffness of its volume over mu (`methods/recovery/`)

The physics of one element as functions of tuples (`@element`). corners, directions, forces: a tuple of three numbers for
each corner. w: h^2 / mass of each corner [s^2/kg]. rest, k, old, state: REST, CONSTANTS, START_STRAINS and STATE numbers.
Required:

    gradient(corners, rest, k, old) -> energy [J], its gradient at each corner [N]; both with the damping's
    project(corners, w, rest, k, old, state, reprojection) -> change of the force at each corner [N], which moves it by w,
        and the new state: the local solve of `methods/gpbd.py`
    displacement(corners, rest, state) -> force of `state` at each corner [N]; moves it by w

Optional:

    strain_at_start(corners, rest) -> old: reference strains of damping; with a parameter `damping`
    flow_at_start(corners, rest, k, old) -> old, START_STRAINS numbers: of a plastic energy, those of a substep that starts
        here. It takes the place of `strain_at_start`, which gives the first of them only; the others are its plastic
        numbers, zero at first
    plastic_strain(rest, old) -> of a plastic energy, its strain that stays [1/m]
    excess_at_start(corners, rest, k, old, state) -> old, START_STRAINS numbers: of a limit, its
        excess at substep start (`elements/excess.py`); it may keep the strains of `old`. state: at the end of the last
        substep. In all functions the limit begins beyond the excess; zeros are the limit of the parameters
    propose(corners, w, rest, k, old, state, reprojection) -> change of the force at each corner [N], and PROPOSAL numbers,
        the first of them the change of the state; share_taken(rest, k, old, proposal) -> share of both that is taken.
        Together they are `project`, in two loops, for a long one, which as one loop takes minutes to compile
    hessian_times(corners, rest, k, old, directions, exact) -> second derivative times directions [N], at each corner;
        exact: 1 for the true one, 0 for a positive one, without negative parts; for `pbng`, `newton` and the error in the
        report. Both include the damping
    block(corners, rest, k, old, mine) -> gradient at one corner [N], its own positive 3x3 block [N/m], six numbers as in
        `mathlib/mat3.py`; mine: 1 for this corner, 0 for the others. Faster for `pbng` than three `hessian_times`
    undamped_block(corners, rest, k, old, mine) -> the same without damping in all materials; only if that is much faster
    constraints(corners, rest, k, old) -> values C, stiffnesses, gradients: U = 1/2 sum_i stiffness_i C_i^2; for `xpbd`;
        a tuple of CONSTRAINTS values, of stiffnesses, and of gradients (each a tuple over the corners). U is without
        damping. An inequality that is not active has a value below zero, of which U takes none
    equilibrium_state(corners, rest, k, old) -> state: that of which the displacement is the element's own force. With it
        and `hessian_times` an energy of tetrahedra is in the global step

Optional, for the global step (*Keep Length*); an energy of a cloth without `linearise` or `bending_matrix` is left to the
sweeps, with a warning:

    linearise(strain, rest, k, old) -> of an energy of stretch, its positive linearisation. It has `strain_at_start`, and
        strain and old are what that gives. On triangles: strain the Green strain (E00, E11, 2 E01); `rest` begins as
        `elements/triangle.py` has it, and `displacement` is the one there; the result is the second Piola-Kirchhoff stress
        with the damping's (00, 11, 01), its positive derivative by the strain (00, 01, 11, 22), both over the stiffness in
        rest, and a factor that the derivative is to be multiplied by for damping, 1 where that is in it already. On edges:
        strain the length, (l,), `displacement` that of `elements/segment.py`; the result is the tension [N] and the
        stiffness [N/m], with the damping's.
        Of a limit (ONE_SIDED), which never pushes: on triangles the stress, a positive derivative that is at least the true
        one (00, 01, 02, 11, 12, 22), and the energy, all over the area; on tethers, of the length, the tension [N], a
        stiffness at least the true one [N/m] and the energy [J]. Strain and result are doubles. The stiffness may begin a
        little below the limit
    solved_rest(rest) -> numbers of `rest` of springs for the global step, (n, REST): as stiff as few iterations can solve
    solved_constants(constants, is_pushed) -> constants of a limit of triangles for the global step, (CONSTANTS,), likewise;
        is_pushed: whether rigid bodies push the sheet
    bending_matrix(x, elements, rest) -> of an energy of bending, (n, CORNERS, CORNERS) [N/m]: a constant positive matrix
        that bounds the second derivative for motion along the normal of a flat sheet, without damping. With it comes an
        `equilibrium_state`
    stiffness_ratio(x, elements, rest, w) -> h^2 k / m of each element, (n,), a bound: elements soft against inertia are
        swept less often, and start from their last displacement. w: h^2 / mass of each vertex [s^2/kg]

The last four take NumPy arrays: rest positions [m], elements, and what `rest` returned. Names that are no part of this
begin with an underscore.

A constraint with a compliance of 0 is hard: `project` solves it exactly, in the limit of infinite stiffness, while
`gradient`, `hessian_times` and `constraints`, which need a force as a function of the positions, take the least compliance
of the energy's HARDEST in its place.

Kinds of elements: a triangle of a cloth, or two that make a quadrilateral, as a face with four corners, the last of a
triangle -1 (`elements/triangle.py`); a patch, which is a triangle and its three neighbours; a hinge, an interior edge with
the two corners beside it; an edge; a tether, a vertex and a pinned vertex of its cloth; a stitch, two vertices of a cloth;
a tetrahedron; a vertex; a tie. Another kind is brought by ELEMENT_KIND. Where it `changes`, its elements are found anew at
each substep, and sweeps of the method gpbd act on them; such an energy keeps nothing of the last substep, and is no part of
the global step.

Loops over packs of 16 elements are written once for all energies (`methods/`), and compiled for each
(`device/per_energy.py`). A method needs some functions of an energy; an energy without them cannot be used with it.
Energies never import one another; common parts are in `elements/`.
"""

from ..scene.catalog import folders

__path__.extend(str(folder) for folder in folders()[1:])
