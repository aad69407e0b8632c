"""What a frame is told as: residual, stretch, volume, energy, momentum, contact."""
