"""Makes an asset library of all presets, the user's own among them, for Blender's Asset Browser and asset shelf.

A preset is a material there, which a slot of a cloth takes its fabric from, as of any material that names a preset. Blender
drops materials on objects by itself; it has no asset of an add-on's own kind, and none that runs an operator when dropped.
"""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...solver.counted import counted
from ...solver.scene.presets import Preset, list_presets
from .. import picture_file
from ..identifiers import ASSET_AUTHOR, ASSET_LIBRARY
from ..read import preset_facts
from ..translations import tr
from ..user_folder import presets_library_folder, user_presets_folder

FILE, CATALOGUES = "gpbd_presets.blend", "blender_assets.cats.txt"
#: Names of catalogues get their numbers in this space.
SPACE = uuid.UUID("8f3c1f0e-5d0b-4b8e-9a43-6f1f5cf0b0a7")
#: Part of a picture that shows the material, as shares from its top and from its left.
SHOWN = (slice(0.55, 0.7), slice(0.4, 0.6))


def write(folder: Path, presets: list[Preset]) -> None:
    """The library: one material for each preset, with its picture, facts and tags, in the catalogue of its category."""
    names = [preset.name for preset in presets]
    renamed = [(old, old.name) for old in bpy.data.materials if old.name in names and old.library is None]
    made: list[Any] = []
    try:
        for old, _ in renamed:
            old.name = f"{uuid.uuid4()}"
        made += [_material(preset) for preset in presets]
        folder.mkdir(parents=True, exist_ok=True)
        bpy.data.libraries.write(str(folder / FILE), set(made), fake_user=True, compress=True)
    finally:
        for material in made:
            bpy.data.materials.remove(material)
        for old, name in renamed:
            old.name = name
    (folder / CATALOGUES).write_text("VERSION 1\n\n" + "".join(_catalogue_lines(presets)), encoding="utf-8")


def show(folder: Path) -> None:
    """Add it to the libraries of the preferences, or turns the entry of that name to it."""
    libraries: Any = bpy.context.preferences.filepaths.asset_libraries
    entry = libraries.get(ASSET_LIBRARY) or libraries.new(name=ASSET_LIBRARY, directory=str(folder))
    entry.path = str(folder)
    bpy.context.preferences.is_dirty = True


def _catalogue_lines(presets: list[Preset]) -> list[str]:
    """Catalogues of kinds and categories; Blender shows a parent that the file lacks as an unsaved change."""
    kinds = {(preset.kind, "") for preset in presets}
    parts = sorted({("", "")} | kinds | {(preset.kind, preset.category) for preset in presets})
    return [
        f"{_catalogue(*one)}:{'/'.join(filter(None, ('GPBD', one[0].title(), one[1])))}"
        f":{'-'.join(filter(None, ('GPBD', *((one[1] or one[0].title()).split()))))}\n"
        for one in parts
    ]


def _catalogue(kind: str, category: str) -> str:
    return str(uuid.uuid5(SPACE, f"{kind}/{category}"))


def _material(preset: Preset) -> bpy.types.Material:
    material: Any = bpy.data.materials.new(preset.name)
    material.gpbd_preset = preset.name if preset.kind == "fabric" else ""
    material.asset_mark()
    data = material.asset_data
    data.author, data.catalog_id = ASSET_AUTHOR, _catalogue(preset.kind, preset.category)
    data.description = "\n".join(preset_facts.facts(preset))
    for tag in preset_facts.tags(preset):
        data.tags.new(tag, skip_if_exists=True)
    path = preset_facts.picture(preset)
    if path is not None:
        pixels = picture_file.read(path)
        height, width = pixels.shape[:2]
        rows, columns = (slice(int(s.start * n), int(s.stop * n)) for s, n in zip(SHOWN, (height, width), strict=True))
        material.diffuse_color = (*np.median(pixels[rows, columns, :3].reshape(-1, 3), 0) ** 2.2, 1.0)
        preview = material.preview_ensure()
        preview.image_size = width, height
        preview.image_pixels_float.foreach_set(np.ascontiguousarray(pixels[::-1]).ravel())
    return material


class GPBD_OT_make_preset_library(bpy.types.Operator):
    """Show all presets in the Asset Browser and in the asset shelf of 3D views, as a library in your preferences. A click in the shelf sets the material of the selected bodies. A fabric dragged onto a cloth sets that of the faces there"""  # noqa: E501

    bl_idname = "gpbd.make_preset_library"
    bl_label = "Presets to Asset Browser"

    def execute(self, context):
        presets = [preset for preset in list_presets(None, user_presets_folder()) if not preset.error]
        folder = presets_library_folder()
        write(folder, presets)
        show(folder)
        refresh: Any = bpy.ops.asset.library_refresh
        if refresh.poll():
            refresh()
        where = f"in the asset library '{ASSET_LIBRARY}'"
        self.report({"INFO"}, tr(counted(len(presets), f"preset is {where}", f"presets are {where}")))
        return {"FINISHED"}
