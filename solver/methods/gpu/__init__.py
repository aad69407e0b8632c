"""Sweeps of the energies on a GPU.

    gpbd_sweeps.py  sweeps of generalized position-based dynamics
    pbng_sweeps.py  sweeps of position-based nonlinear Gauss-Seidel
    strains.py      strains at substep start

Element functions are those of `energies/`.
"""
