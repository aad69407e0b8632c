"""Kernels and threads of a device: all that knows where a computation runs."""
