"""Distances of pairs, and how fast they may change."""
