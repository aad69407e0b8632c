"""Contact on a device. A substep: find, begin, project after sweeps of the elements, end, stop (`device_contact.py`).

    pair_stages.py        launches for contacts of pairs, and exchange with the host
    plane_contacts.py     contacts with infinite planes: a thread a vertex, in the order of the CPU
    surface_arrays.py     particles and elements of all surfaces, in the order of a tree
    particle_poses.py     positions of particles, colliders interpolated within the frame
    tree_search.py        pairs of elements whose boxes meet
    pair_selection.py     choice of contacts among candidates, and their rows
    pair_sweeps.py        projection by Jacobi sweeps, friction, restitution
    ccd_passes.py         CCD clamp of particles
    embedded_points.py    scatter of loads and limits of embedded points to tetrahedron corners
    embedded_contacts.py  their weights and displacements in contact, and planes
    embedded_ccd.py       CCD clamp of their corners
    rigid_contacts.py     contacts of rigid bodies, summed over each body
    rigid_ccd.py          CCD clamp of whole bodies
    rigid_stages.py       the launches of these
    force_exchange.py     forces of contacts from and to the host
    counts.py             number of contacts; pushed.py: vertices with contact forces

Each element has its own list of partners, so that a vertex sums over its own elements: no atomics, no sorting, the same bits
in every run.
"""
