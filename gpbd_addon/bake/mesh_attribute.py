"""Attributes of a mesh that are ours to make."""

from __future__ import annotations

from typing import Any


def ensure(mesh: Any, name: str, kind: str, domain: str) -> Any:
    """The attribute of this name and kind, made if it is not there; an old one of another kind gives way."""
    there = mesh.attributes.get(name)
    if there is not None and (there.data_type != kind or there.domain != domain):
        mesh.attributes.remove(there)
        there = None
    return there if there is not None else mesh.attributes.new(name, kind, domain)


def remove(mesh: Any, *names: str) -> None:
    """Takes those away that are there."""
    for name in names:
        if name in mesh.attributes:
            mesh.attributes.remove(mesh.attributes[name])
