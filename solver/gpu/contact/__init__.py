"""Contact on a device. A substep: find, begin, project after sweeps of the elements, end, stop (`device_contact.py`).

    pair_stages.py      the launches of pairs, and what the host is told of them
    planes.py           contacts with infinite planes: a thread a vertex, in the order of the CPU
    surface_arrays.py   particles and elements of all surfaces, in the order of a tree
    particles.py        where particles are, colliders interpolated within the frame
    candidates.py       pairs of elements whose boxes meet
    selection.py        which of these are contacts, and their rows
    pairs.py            projection by Jacobi sweeps, friction, restitution
    ccd.py              what keeps surfaces from passing through each other
    coupled.py          points that tetrahedra carry; what they tell their corners
    coupled_contacts.py what these weigh and push, and how planes hold them
    coupled_ccd.py      and what holds their corners
    rigid_contacts.py   contacts of rigid bodies, added up over each
    rigid_ccd.py        bodies that are let go less far as a whole
    rigid_stages.py     the launches of these
    forces.py           forces of contacts from and to the host
    counts.py           contacts in numbers; pushed.py: which vertices they push

Each element has its own list of what it touches, so a vertex adds up what its own elements are pushed by: no atomics, no
sorting, the same bits in every run.
"""
