"""Shapes of cloths and ropes frame by frame: changing rest shapes, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import SceneError
from ..model.model import Model
from ..model.reshape import Rest, with_rests
from ..scene import Cloth, Pressure, Rope, ShapeInputs, checks
from ..scene.shares import each
from ..scene.shrink import checked_shrink

Array = np.ndarray


#: Name in a snapshot, before the number of the body.
KEY = "shrink_"


class Shapes:
    """Shapes of cloths and ropes from a caller. now: of the frame, by name, in working types."""

    def __init__(self, model: Model) -> None:
        self._shaped = {part.body.name: part.body for part in model.parts if isinstance(part.body, Cloth | Rope)}
        self._numbers = {k: part.body.name for k, part in enumerate(model.parts) if part.body.name in self._shaped}
        self._rests: dict[str, Rest] = {}
        self._before: dict[str, Array] = {}  # share by which a rope was shorter, where that changes in the frame
        self.now: dict[str, ShapeInputs] = {}

    def take(self, shapes: Mapping[str, ShapeInputs]) -> bool:
        """The shapes of the frame to come. Returns whether rest shapes are not those of the frame before.

        Raises: SceneError, naming the body, for what does not fit it.
        """
        self.now = {name: self._checked(name, shape) for name, shape in shapes.items()}
        rests = {}
        for name, shape in self.now.items():
            if shape.rest_vertices is not None or shape.shrink is not None:
                body = self._shaped[name]
                rest = body.rest if shape.rest_vertices is None else shape.rest_vertices
                shrink = body.shrink if shape.shrink is None else checked_shrink(name, shape.shrink, len(rest))
                if not (_equal(rest, body.rest) and _equal(shrink, body.shrink)):
                    rests[name] = rest, shrink
        same, before = _same(rests, self._rests), {name: self._shrink(name) for name in self._ropes().values()}
        self._rests = rests
        self._before = {name: share for name, share in before.items() if not np.array_equal(share, self._shrink(name))}
        return not same

    @property
    def is_shortening(self) -> bool:
        """Return whether the length of a rope changes in the frame."""
        return bool(self._before)

    def shaped(self, model: Model, share: float = 1.0) -> Model:
        """A model, as built but for its numbers, with the rest shapes of the frame to come, or of ropes on the way there.
        share: of the frame."""
        rests = dict(self._rests)
        if share < 1:
            for name, before in self._before.items():
                rests[name] = self._shaped[name].rest, before + share * (self._shrink(name) - before)
        return with_rests(model, rests)

    @property
    def memory(self) -> dict[str, Array]:
        """Return shares by which ropes are shorter, (n,), where they differ from the scene, by names in a snapshot."""
        return {f"{KEY}{k}": self._shrink(name) for k, name in self._ropes().items() if name in self._rests}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Take over the memory of a snapshot."""
        self._rests = {}
        for k, name in self._ropes().items():
            share, rest = saved.get(f"{KEY}{k}"), self._shaped[name].rest
            if isinstance(share, np.ndarray) and share.shape == (len(rest),):
                self._rests[name] = rest, share

    def _ropes(self) -> dict[int, str]:
        """Return the names of the ropes, by the numbers of their bodies."""
        return {k: name for k, name in self._numbers.items() if isinstance(self._shaped[name], Rope)}

    def _shrink(self, name: str) -> Array:
        """Return the share by which a rope is shorter, of each vertex, (n,)."""
        body = self._shaped[name]
        shrink = self._rests[name][1] if name in self._rests else body.shrink
        return np.zeros(len(body.vertices)) if shrink is None else shrink

    def _checked(self, name: str, shape: ShapeInputs) -> ShapeInputs:
        body = self._shaped.get(name)
        if body is None:
            raise SceneError(
                f"FrameInputs: shapes: '{name}' is no cloth or rope of the scene; wanted one of "
                f"{', '.join(self._shaped) or 'none'}. Name one of these."
            )
        checks.instance(name, "shape", shape, ShapeInputs, "Use ShapeInputs(...).")
        rest, weight, count = shape.rest_vertices, shape.sewing_weight, len(body.vertices)
        if rest is not None:
            if isinstance(body, Rope):
                raise SceneError(
                    f"{name}: is given a rest shape in a frame, and is a rope, whose joints keep theirs; wanted a shrink. "
                    "Leave rest_vertices out."
                )
            rest = checks.vertices(name, "rest_vertices", rest, (count, 3))
            _check_areas(name, rest, body.triangles)
        if shape.pressure is not None:
            checks.instance(name, "pressure", shape.pressure, Pressure, "Use Pressure(...).").weights(name, count)
            if body.pressure is None:
                raise SceneError(
                    f"{name}: is given a pressure in a frame, but has none in the scene; wanted Cloth(pressure=Pressure()) "
                    "there. Give it one."
                )
        if weight is not None:
            if body.sewing is None:
                raise SceneError(f"{name}: sewing_weight is given, but it has no sewing; wanted Cloth(sewing=...). Give it.")
            weight = each(name, "sewing_weight", weight, len(body.sewing.edges), noun="stitch")
        return ShapeInputs(rest, shape.shrink, shape.pressure, weight)


def _check_areas(name: str, x: Array, triangles: Array) -> None:
    """Raises: SceneError if a triangle has no area, so that it has no directions."""
    area = np.linalg.norm(np.cross(x[triangles[:, 1]] - x[triangles[:, 0]], x[triangles[:, 2]] - x[triangles[:, 0]]), axis=1)
    flat = np.flatnonzero(area <= 1e-12 * area.max())
    if len(flat):
        raise SceneError(
            f"{name}: {len(flat)} triangles of its rest shape have no area (first: triangle {flat[0]}); wanted some. Repair "
            "the shape there."
        )


def _same(one: Mapping[str, Rest], other: Mapping[str, Rest]) -> bool:
    return one.keys() == other.keys() and all(
        _equal(a, b) for name in one for a, b in zip(one[name], other[name], strict=True)
    )


def _equal(a: Array | None, b: Array | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)
