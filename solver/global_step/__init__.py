"""One implicit step of each sheet as a whole, before the sweeps."""
