"""What a frame's report tells, measured on the device that has done the frame (`solver/report/`).

device_report.py  all of it, and what comes down
forces.py         what is left of the balance of forces, and the elastic energy
sums.py           sums over vertices, edges and tetrahedra
errors.py         how far bodies are from the solution of the last substep
intersections.py  how many edges pass through triangles
"""
