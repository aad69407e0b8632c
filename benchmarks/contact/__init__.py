"""Contact scenes, run with every frame checked for intersections, and timed."""
