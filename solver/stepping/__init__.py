"""One substep from start to end: prediction, sweeps, contact, velocities."""
