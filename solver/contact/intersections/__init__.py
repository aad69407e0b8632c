"""Surfaces that pass through each other, and what takes them apart: intersection contours, separation constraints."""
