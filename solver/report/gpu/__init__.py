"""A frame's report, measured on the device that has computed the frame (`solver/report/`).

device_report.py       all measurements, and the downloads
residual_forces.py     residual of the balance of forces, and the elastic energy
sums.py                sums over vertices, edges and tetrahedra
body_errors.py         distance of bodies from the solution of the last substep
intersection_count.py  number of edges that pass through triangles
"""
