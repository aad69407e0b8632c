"""Small vectors and matrices as tuples of numbers, for kernels."""
