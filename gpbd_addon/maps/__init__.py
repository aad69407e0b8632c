"""Maps of a bake on a body's mesh: colours, selected faces, curves."""
