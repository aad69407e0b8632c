"""Broad phase: pairs of elements that may come near each other within the next substeps."""
