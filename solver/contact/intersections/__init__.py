"""Intersecting surfaces and their separation: intersection contours, separation constraints."""
