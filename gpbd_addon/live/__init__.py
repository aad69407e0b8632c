"""Live play: the bodies move when the timeline plays, without a bake; inputs are read as their frame comes."""
