"""The files of a bake: frames that Blender plays, and the state that it is resumed from."""
