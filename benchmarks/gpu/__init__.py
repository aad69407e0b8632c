"""Checks and timings of a GPU, without interaction: `python3 dev.py gpu`."""
