"""Kernels and threads of a device: code that depends on the place of a computation."""
