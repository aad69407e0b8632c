"""Attributes of a mesh that are ours to make."""

from __future__ import annotations

import bpy


def ensure(mesh: bpy.types.Mesh, name: str, kind: str, domain: str) -> bpy.types.Attribute:
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
