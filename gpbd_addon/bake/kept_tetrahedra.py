"""What soft bodies were filled with, kept beside their caches: TetWild never makes the same tetrahedra twice, so a body that
has not changed is baked again with those that it had, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ...solver.cache import checkpoint
from ...solver.errors import CacheError
from ..body_kinds import BODY_KINDS
from ..read import filling
from ..read.body_input import BodyInput
from ..read.scene_input import World
from . import cache_path

#: Names of the arrays that a checkpoint keeps beside the solver's own.
TETRAHEDRA = "tetrahedra"


def take(folder: Path, world: World) -> None:
    """Gives soft bodies the tetrahedra that are kept of the same mesh and choices; the others are filled by the bake."""
    for body in world.bodies:
        path = cache_path.tetrahedra(folder, body.uuid)
        if BODY_KINDS[body.kind].is_filled and body.tetrahedra is None and path.exists():
            try:
                arrays, identity = checkpoint.read(path)
            except CacheError:
                world.warnings.append(f"{path.name}: is damaged. {body.name} is filled anew.")
                continue
            if identity == {"key": _key(body)}:
                body.tetrahedra = of_arrays(arrays)


def keep(folder: Path, world: World, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes those of a checkpoint's arrays, where others or none are there. Raises: CacheError."""
    for k, body in enumerate(world.bodies):
        path, own = cache_path.tetrahedra(folder, body.uuid), of_body(k, arrays)
        if not own:
            continue
        identity = {"key": _key(body)}
        if _identity(path) != identity:
            checkpoint.write(path, own, identity)


def _identity(path: Path) -> dict[str, Any] | None:
    try:
        return checkpoint.read(path)[1] if path.exists() else None
    except CacheError:
        return None  # damaged: it is written anew


def of_world(world: World) -> dict[str, np.ndarray]:
    """Those of its soft bodies, as a checkpoint has them."""
    return {
        f"{TETRAHEDRA}.{k}.{key}": value
        for k, body in enumerate(world.bodies)
        if body.tetrahedra is not None
        for key, value in asdict(body.tetrahedra).items()
        if value is not None
    }


def of_body(number: int, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The tetrahedra of a body among the arrays of a checkpoint; nothing for a body without."""
    own = f"{TETRAHEDRA}.{number}."
    return {key.removeprefix(own): value for key, value in arrays.items() if key.startswith(own)}


def of_arrays(arrays: Mapping[str, Any]) -> filling.Tetrahedralization:
    """The opposite, from those of a body."""
    return filling.Tetrahedralization(**{"volume_fraction": None, **arrays})


def _key(body: BodyInput) -> str:
    return filling.key(body.vertices, body.triangles, body.tet_method.lower(), body.edge_fraction)
