"""Recovery of solids from inverted elements."""
