"""Simulation meshes: a simple sheet that is simulated for a dense, thick garment, which follows it."""
