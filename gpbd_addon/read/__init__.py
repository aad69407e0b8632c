"""Blender's meshes and settings as arrays and as what the solver takes; nothing is written but the start of a body."""
