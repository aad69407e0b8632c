"""Attributes of a mesh that are ours to make."""

from __future__ import annotations

from typing import Any

import bpy


def ensure(mesh: bpy.types.Mesh, name: str, kind: str, domain: str) -> Any:
    """Return the attribute of a name and kind, created if missing; an old one of another kind is replaced."""
    there = mesh.attributes.get(name)
    if there is not None and (there.data_type != kind or there.domain != domain):
        mesh.attributes.remove(there)
        there = None
    return there if there is not None else mesh.attributes.new(name, kind, domain)


def remove(mesh: bpy.types.Mesh, *names: str) -> None:
    """Remove the existing attributes."""
    for name in names:
        if name in mesh.attributes:
            mesh.attributes.remove(mesh.attributes[name])
