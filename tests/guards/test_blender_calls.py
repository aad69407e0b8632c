"""Calls of Blender's that must not be made, and why."""

from __future__ import annotations

import ast

from tests.guards import sources


def test_the_scene_is_not_evaluated_by_the_context():
    """In Blender 4.5 `Context.evaluated_depsgraph_get` lets go of Python and then reads the dictionary of a `temp_override`:
    a segmentation fault where a worker thread lets go of Python at the same moment. `scene_in.depsgraph_of` does without."""
    assert not [
        f"{sources.name(path)}, line {node.lineno}"
        for path in sources.files("gpbd_addon")
        for node in ast.walk(sources.tree(path))
        if isinstance(node, ast.Attribute) and node.attr == "evaluated_depsgraph_get"
    ]
