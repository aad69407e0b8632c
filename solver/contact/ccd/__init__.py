"""Continuous collision detection: no pair passes through another in a substep."""
