"""Homogenisation of fabrics: from a pattern and yarns to a table of the sheet's energy over its six strains.

A periodic patch of yarns is bent and stretched as a whole, its yarns relax under that, and energy and slopes of the relaxed
patch are a table that `solver/energies` reads. Nothing here runs during a bake. SI units, float64.

Order of the files: `yarn.py` and `pattern.py` (input), `weave_paths.py` and `knit_paths.py` (centre lines), `patch.py`
(arrays), `cylinder.py`, `frames.py`, `rods.py`, `neighbours.py` (energy and gradient), `tangent.py`, `minimise.py` (the
solve), `rest.py`, `samples.py`, `plan.py`, `fit.py`, `checks.py`, `stored_samples.py`, `compute.py`.

Sources: Sperl, Narain and Wojtan 2020, "Homogenized Yarn-Level Cloth" (a patch under a constant first and second fundamental
form, its energy as a sum of terms of one and of two strains); Kaldor, James and Marschner 2008, "Simulating Knitted Cloth at
the Yarn Level" (contact of yarns as an energy of pairs of points); Bergou et al. 2008, "Discrete Elastic Rods" (material
frames on the edges of a centre line). There is no friction between yarns: they slide along each other freely.
"""
