"""Surfaces that pass through each other, and what takes them apart."""
