"""Common parts of energies on one kind of element: rest data, and the physics around a few hooks of an energy.

`tetrahedron.py`: isotropic solids, psi = mu (shape(F) + volume(J)), and `solid_solve.py`, their local solve. A solid has

    volume(J, k) -> f, f', f''                      the part that depends on J = det F alone
    shape(F, C, k) -> energy, stress                the rest; C = F^T F (six numbers), stress = d shape / dF
    shape_change(F, C, dF, k, exact) -> stress's change; exact = 0: of a positive matrix, without negative parts
    shape_block(F, C, g, k) -> six numbers          the positive matrix on dF = v g^T, as a form of v: one vertex's block
    add_shape_hessian(H, F, C, G, k) -> H           the positive matrix on dF = F L G, as a form of L, without SQUARE's part
    SQUARE                                          the multiple of |dF|^2 that the positive matrix has beside
    SURE                                            the multiple of |dF|^2 below it for every F: bounds negative volume terms
    inversion_recovery(F, G) -> Y                   the corners move by c w_a Y g_a before the local solve (`inversion.py`)
    step_length(J, k, viscous, before, change, slope, curvature) -> share of the Newton step (`step_length.py`)
    measures(F, C, k) -> values, stiffnesses, stresses; for `constraints`: shape + volume = 1/2 sum stiffness value^2

all over mu, and binds the templates: `project = solid_solve.project(sys.modules[__name__])`. k[0] is the volume's stiffness
over mu, which damping shares, k[1] the damping share tau / h; more numbers may follow. `neo_hookean_shape.py` has the hooks
of solids whose shape is 1/2 |F|^2.

The other files: kinematics and local solves that sheets share.
"""
