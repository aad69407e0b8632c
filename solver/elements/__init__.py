"""What several energies of one kind of element share, in tuples: kinematics and local solves."""
