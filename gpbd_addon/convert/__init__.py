"""Blender's Cloth and Soft Body as bodies of ours: what each of their properties becomes, and what nothing answers."""
