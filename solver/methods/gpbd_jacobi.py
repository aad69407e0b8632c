"""GPBD with all elements of an energy solved from the same positions (Jacobi), in place of one after the other.

Slower to converge than Gauss-Seidel by a factor of about the number of elements at a vertex, but it treats all elements
alike: it recovers solids that Gauss-Seidel leaves inverted for ever. How far each element moves: `jacobi_shares.py`.
"""

from __future__ import annotations

from .gpbd import Gpbd


class GpbdJacobi(Gpbd):
    """Sweeps by Jacobi in every substep; energies still follow one another."""

    takes_changing_elements = False

    def _by_jacobi(self, number: int) -> bool:
        return True
