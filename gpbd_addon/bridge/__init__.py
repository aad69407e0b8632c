"""Between Blender and the solver: scenes read in, results written out, and the bake that joins them."""
