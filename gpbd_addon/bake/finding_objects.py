"""Objects that a finding of *Check Scene* names: a line goes with them, and follows their names."""

from __future__ import annotations

import re

import bpy


def named(text: str, scene: bpy.types.Scene) -> dict[str, int]:
    """Return the name and session uid of each object of the scene in the subject of a message, or in its quotation marks."""
    subject, colon, rest = text.partition(": ")
    places = [subject if colon else "", *re.findall(r"'([^']*)'", rest)]
    uids: dict[str, int] = {}
    for ob in sorted(scene.objects, key=lambda ob: -len(ob.name_full)):  # a name may be part of a longer one
        pattern = _pattern(ob.name_full)
        if any(re.search(pattern, place) for place in places):
            uids[ob.name_full] = ob.session_uid
            places = [re.sub(pattern, "", place) for place in places]
    return uids


def names_now(uids: dict[str, int], scene: bpy.types.Scene) -> dict[str, str] | None:
    """Return the former and the present name of each object; None if the scene has lost one."""
    if not uids:
        return {}
    there = {ob.session_uid: ob.name_full for ob in scene.objects}
    return {name: there[uid] for name, uid in uids.items()} if set(uids.values()) <= there.keys() else None


def as_now(text: str, names: dict[str, str]) -> str:
    """Replace former names in a text."""
    for name, present in names.items():
        if present != name:
            text = re.sub(_pattern(name), present.replace("\\", r"\\"), text)
    return text


def _pattern(name: str) -> str:
    """Pattern of a whole name: `Cube` is not found in `Cube.001`."""
    return rf"(?<!\w){re.escape(name)}(?!\w|\.\d)"
