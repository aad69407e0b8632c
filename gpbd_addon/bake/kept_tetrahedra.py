"""Tetrahedra of soft bodies, kept beside their caches: TetWild never makes the same tetrahedra twice, so an unchanged body
is baked again with its former ones, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ...solver.errors import CacheError
from ..body_kinds import BODY_KINDS
from ..read import filling
from ..read.body_input import BodyInput
from ..read.scene_input import World
from . import cache_path

#: How names begin of the arrays that a checkpoint keeps beside the solver's own.
TETRAHEDRA = "tetrahedra."


def taking(call: Callable[..., Generator[bool, None, Any]], folder: Path, world: World) -> Generator[bool, None, None]:
    """Give soft bodies the kept tetrahedra of the same mesh and choices, read by the worker; the bake fills the others."""
    for body in world.bodies:
        path = cache_path.tetrahedra(folder, body.uuid)
        if BODY_KINDS[body.kind].is_filled and body.tetrahedra is None and path.exists():
            try:
                arrays, identity = yield from call("read", str(path))
            except CacheError:
                world.warnings.append(f"{path.name}: is damaged. {body.name} is filled anew.")
                continue
            if identity == {"key": _key(body)}:
                body.tetrahedra = _of_arrays(arrays)


def assign(world: World, arrays: Mapping[str, np.ndarray]) -> None:
    """Give soft bodies the tetrahedra that a checkpoint has."""
    for k, body in enumerate(world.bodies):
        of_body = {key.removeprefix(_prefix(k)): value for key, value in arrays.items() if key.startswith(_prefix(k))}
        if of_body:
            body.tetrahedra = _of_arrays(of_body)


def files(folder: Path, world: World) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the file of each kept soft body: prefix of its arrays in `of_world`, and their identity."""
    return {
        str(cache_path.tetrahedra(folder, body.uuid)): (_prefix(k), {"key": _key(body)})
        for k, body in enumerate(world.bodies)
        if body.tetrahedra is not None
    }


def of_world(world: World) -> dict[str, np.ndarray]:
    """Return the tetrahedra of a world's soft bodies, as a checkpoint has them."""
    return {
        _prefix(k) + key: value
        for k, body in enumerate(world.bodies)
        if body.tetrahedra is not None
        for key, value in asdict(body.tetrahedra).items()
        if value is not None
    }


def _of_arrays(arrays: Mapping[str, Any]) -> filling.Tetrahedralization:
    return filling.Tetrahedralization(**{"volume_fraction": None, **arrays})


def _prefix(number: int) -> str:
    return f"{TETRAHEDRA}{number}."


def _key(body: BodyInput) -> str:
    return filling.key(body.vertices, body.triangles, body.tet_method.lower(), body.edge_fraction)
