"""Live play: the bodies move when the timeline plays, without a bake. One step at a time, each input read as its frame comes."""
