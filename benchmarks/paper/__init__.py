"""Scenes of the papers at their sizes."""
