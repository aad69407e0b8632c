"""What a body's mesh shows of a bake: colours, selected faces, curves."""
