"""Which pairs of elements may come near each other within the next substeps."""
