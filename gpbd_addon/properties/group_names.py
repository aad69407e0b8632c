"""Names for a field of weights: vertex groups of its object, and float attributes of the points of the shown mesh."""

from __future__ import annotations

import bpy


def weights_of(ob: bpy.types.Object, view_layer: bpy.types.ViewLayer | None) -> list[str]:
    """Return these names. Attributes from Geometry Nodes are those of the mesh as last evaluated in the view layer."""
    names = [group.name for group in ob.vertex_groups]
    depsgraph = None if view_layer is None else view_layer.depsgraph
    shown = ob if depsgraph is None else ob.evaluated_get(depsgraph)
    for attribute in getattr(shown.data, "attributes", ()):
        if attribute.domain == "POINT" and attribute.data_type == "FLOAT" and not attribute.is_internal:
            names.append(attribute.name)
    return list(dict.fromkeys(names))


def suggested(settings: bpy.types.bpy_struct, context: bpy.types.Context, typed: str) -> list[str]:
    """Return the names that Blender suggests in a field of these settings. Other names are accepted too."""
    return weights_of(settings.id_data, context.view_layer)
