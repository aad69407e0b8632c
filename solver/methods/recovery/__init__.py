"""What brings solids back from inverted elements."""
