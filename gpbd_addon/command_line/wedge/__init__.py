"""`gpbd wedge`: one bake for each combination of settings, in processes of this machine or on a Dask cluster."""

from .command import add

__all__ = ["add"]
