"""How one substep goes from start to end: prediction, sweeps, contact, velocities."""
