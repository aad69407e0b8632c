"""Report of a frame: residual, stretch, volume, energy, momentum, contact."""
