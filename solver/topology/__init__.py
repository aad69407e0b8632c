"""Connectivity and filling of meshes: plain NumPy, done once when a simulation is built."""
