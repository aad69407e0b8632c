"""Linear algebra on a mesh's matrix of 3x3 blocks."""
