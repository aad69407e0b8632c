"""The version of the extension, and so of its solver, which every bake is marked with."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path


@functools.cache
def version() -> str:
    """As in the manifest of the extension."""
    manifest = Path(__file__).parents[2] / "blender_manifest.toml"
    return tomllib.loads(manifest.read_text(encoding="utf-8"))["version"]
