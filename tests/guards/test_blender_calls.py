"""Calls of Blender's that must not be made, and why."""

from __future__ import annotations

import ast

import pytest

from tests.guards import sources


@pytest.mark.parametrize("path", sources.files("gpbd_addon"), ids=sources.name)
def test_the_scene_is_not_evaluated_by_the_context(path):
    """In Blender 4.5 `Context.evaluated_depsgraph_get` lets go of Python and then reads the dictionary of a `temp_override`:
    a segmentation fault where a worker thread lets go of Python at the same moment. `scene_in.depsgraph_of` does without."""
    calls = [node for node in ast.walk(sources.tree(path)) if isinstance(node, ast.Attribute)]
    assert not [f"line {node.lineno}" for node in calls if node.attr == "evaluated_depsgraph_get"]
