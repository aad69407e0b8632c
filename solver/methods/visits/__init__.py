"""Work of each method at one pack of elements or vertices; `device/loops_cpu.py` has the loops that visit the packs.

Each file has named tuples of what its visits are given, and the visits, compiled for each energy. Shapes, for packs of 16:
index (packs, corners * 16), rest (packs, REST * 16), constants (materials, CONSTANTS), material (packs,), strains (packs,
START_STRAINS * 16): at the substep's start; state (packs, numbers * 16): what the method keeps of each element;
x (n + 4, 4): positions [m] and h^2 / mass [s^2/kg]. Where a method moves vertices, x is their prediction, and they are at
x + correction, (n + 4, 4) [m]: that is small, so its sum keeps the digits that a sum of positions would lose.
"""
