"""One energy a file; a new energy is a new file here, found by its literals (`solver.catalog`).

An energy module has

    NAME, LABEL, ELEMENT, PARAMETERS   literals; `catalog` reads them without importing the file
    STATE, MEMORY                      numbers an element keeps between sweeps, and remembers from the substep's start
    rest(x, elements, values, axes, fraction)   (n, R) float64: what never changes of each element
    constants(values, h)               (K,) float64: what a whole material shares, for a substep of h seconds

the physics of one element as functions of tuples (`@element`), among them `project`, the local solve of generalized
position-based dynamics, and four loops over packs of 16 elements with one signature,

    remember(first, last, index, rest, constants, material, memory, x)
    warm_start(first, last, index, rest, constants, material, state, share, x)
    sweep(colours, clusters, index, rest, constants, material, memory, state, reprojection, x)
    add_gradient(first, last, index, rest, constants, material, memory, x, gradient) -> energy [J]

index: (packs, corners * 16) vertex indices. rest, memory, state: (packs, numbers * 16), lanes innermost.
material: (packs,) row of `constants`. x: (n, 4): position [m], h^2 / mass [s^2/kg]; 0 holds a vertex.
colours, clusters: see `model.Block`; clusters of a colour share no vertex, nor do the elements of a pack. first, last: a
range of packs. Energies never import one another.
"""
