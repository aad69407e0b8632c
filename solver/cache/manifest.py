"""Type of a cache's manifest, the JSON file beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from ..json_value import JsonValue


class Change(TypedDict, total=False):
    """A continuation of a bake: from which frame and version on, and what has changed, in words."""

    frame: int
    from_version: int
    changed: list[str]


class Manifest(TypedDict, total=False):
    """Keys of a manifest (`pc2.KINDS` has the values that are accepted); a cache that is read has `pc2.REQUIRED`.

    hashes: of each frame. reports: of each frame, numbers by name. made_from: what a cache was made from, and settings: the
    solver's. changes: of the bakes that it continues, the first one first. frames: as many as hashes.
    live: whether it was played live.
    """

    format: int
    hashes: list[str]
    frames: int
    n_vertices: int
    start: float
    end: int
    samples: int
    reports: Sequence[Mapping[str, float]]
    settings: Mapping[str, JsonValue]
    made_from: Mapping[str, JsonValue]
    changes: list[Change]
    object: str
    uuid: str
    topology: str
    checkpoints: str
    quality: str
    begun: str
    version: int
    material: Mapping[str, JsonValue] | None
    solver: str
    blender: str
    name: str
    note: str
    live: bool
