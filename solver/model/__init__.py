"""A scene as arrays: `Model` does not change while it is simulated, `State` does."""
