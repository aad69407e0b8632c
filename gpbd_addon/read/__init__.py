"""Read Blender's meshes and settings as arrays and as arguments of the solver; writes nothing except the start of a body."""
