"""Force fields, and gravity of bodies that differs from that of the scene, at the positions of a substep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..contact.broad_phase.tree import STACK, Tree
from ..model.model import Model
from ..model.rigid_motion import RigidMotion
from ..model.state import State
from ..scene import Field, Response
from . import field_kernels
from .field_noise import PERMUTATION
from .field_poses import FieldPoses, choices_of
from .integrate import bdf2_coefficients

Array = np.ndarray


class Fields:
    """Effect of fields and bodies' own gravity on velocities. Each substep calls one of the three methods, rigid bodies
    another."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._body = model.body_of_vertex
        self._sheet = np.array([part.kind.is_sheet and not part.kind.is_line for part in model.parts])
        self._rigid_body = self._body[[shape.start for shape in model.rigid]]
        self._surfaces: dict[str, _Surface] = {}

    def push(
        self, state: State, poses: FieldPoses, responses: Sequence[Response], gravity: Array, h: float, frame: int
    ) -> None:
        """Apply the fields over h seconds to the velocities of vertices, as the integrator's own forces."""
        model, n = self._model, self._model.n_vertices
        x, v = (array[:n].astype(float) for array in (state.x, state.v))
        expected, reach, place = v, np.full(n, float(h)), x[:, :3] + model.origin
        if model.settings.integrator == "bdf2":
            _, share, carry = bdf2_coefficients(model.h / state.step_before)
            history = state.history[:n]
            expected = v + np.where(history[:, None], carry * (v - state.v_before[:n]), 0.0)
            reach = np.where(history, share * h, h)
            place = place + np.where(history[:, None], h * expected, 0.0)
        own_gravity = self._own_gravity(responses, gravity)
        vertices = x[:, 3], expected, own_gravity[self._body] + gravity, reach
        accelerations = (
            self._accelerations(poses, responses, frame, self._body, place, x, *vertices) + own_gravity[self._body]
        )
        free = (x[:, 3] > 0)[:, None]
        state.v[:n] += np.asarray(np.where(free, h * accelerations, 0.0), state.v.dtype)

    def load(self, state: State, poses: FieldPoses, responses: Sequence[Response], gravity: Array, frame: int) -> None:
        """Add to the forces of a quasi-static solve. Written: state.load [N]."""
        n = self._model.n_vertices
        x, still = state.x[:n].astype(float), np.zeros((n, 3))
        own_gravity = self._own_gravity(responses, gravity)[self._body]
        vertices = np.ones(n), still, still, np.zeros(n)
        accelerations = (
            self._accelerations(poses, responses, frame, self._body, x[:, :3] + self._model.origin, x, *vertices)
            + own_gravity
        )
        state.load[:n] += np.asarray(self._model.mass[:, None] * accelerations, state.load.dtype)

    def push_rigid(
        self, rigid: RigidMotion, poses: FieldPoses, responses: Sequence[Response], gravity: Array, h: float, frame: int
    ) -> None:
        """Apply the fields at the centres of rigid bodies over h seconds to their velocities."""
        body, awake, count = self._rigid_body, np.where(rigid.held, 0.0, 1.0), len(rigid.shapes)
        own_gravity = self._own_gravity(responses, gravity)[body]
        bodies = awake, rigid.velocity, own_gravity + gravity, np.full(count, float(h))
        place = rigid.centre + self._model.origin
        accelerations = self._accelerations(poses, responses, frame, body, place, None, *bodies) + own_gravity
        rigid.velocity += h * awake[:, None] * accelerations

    def air(self, state: State, poses: FieldPoses, responses: Sequence[Response], frame: int) -> Array | None:
        """Velocity of the air at each vertex that winds bring [m/s], (n, 3); None where there are none."""
        winds = [k for k, one in enumerate(poses.fields) if one.as_air]
        if not winds:
            return None
        n = self._model.n_vertices
        place = state.x[:n, :3].astype(float) + self._model.origin
        field_sums = self._sums(poses, winds, responses, frame, self._body, place, np.zeros((n, 3)))
        return field_sums[:, :3] + field_sums[:, 7:10]

    def _own_gravity(self, responses: Sequence[Response], gravity: Array) -> Array:
        """Return the excess of each body's gravity over that of the scene [m/s^2], (bodies, 3)."""
        return np.array([response.gravity - 1.0 for response in responses])[:, None] * gravity

    def _accelerations(
        self, poses: FieldPoses, responses: Sequence[Response], frame: int, body: Array, place: Array, x: Array | None,
        weight: Array, expected: Array, gravity: Array, reach: Array,
    ) -> Array:  # fmt: skip
        """Return the accelerations by fields that are no air [m/s^2], (n, 3)."""
        accelerations = np.zeros_like(place)
        fields = [k for k, one in enumerate(poses.fields) if not one.as_air]
        if fields:
            field_sums = self._sums(poses, fields, responses, frame, body, place, expected)
            projector = np.zeros((len(place), 6))
            if x is not None and field_sums[:, 7:].any():
                field_kernels.add_normals(x, self._model.blown, projector)
            weight, reach = np.ascontiguousarray(weight), np.ascontiguousarray(reach)
            field_kernels.solve(field_sums, projector, weight, expected, np.ascontiguousarray(gravity), reach, accelerations)
        return accelerations

    def _sums(
        self, poses: FieldPoses, which: Sequence[int], responses: Sequence[Response], frame: int, body: Array, place: Array,
        v: Array,
    ) -> Array:  # fmt: skip
        """The sum of some fields at each place, see `field_kernels`, (n, 14)."""
        field_sums, nowhere = np.zeros((len(place), 14)), np.zeros((0, 6))
        for k in which:
            one = poses.fields[k]
            numbers_of_bodies = response_numbers(one, responses, self._sheet)
            if not (numbers_of_bodies[body, field_kernels.WEIGHT] > 0).any():
                continue
            near = nowhere
            if len(one.triangles):
                near = self._surface(one).nearest(poses.points[k], place)
            field_kernels.add_field(
                poses.numbers[k], choices_of(one), poses.points[k], one.normals, near, one.grid, PERMUTATION, body,
                numbers_of_bodies, frame, place, v, field_sums,
            )  # fmt: skip
        return field_sums

    def _surface(self, one: Field) -> _Surface:
        known = self._surfaces.get(one.name)
        if known is None or not np.array_equal(known.triangles, one.triangles):
            known = self._surfaces[one.name] = _Surface(one.triangles, one.points)
        return known


def response_numbers(one: Field, responses: Sequence[Response], sheets: Array) -> Array:
    """Return the numbers of each body for a field's kernel: weight, charge, size [m] and whether it is a sheet,
    (bodies, 4)."""
    rows = [[response.weight(one.kind, one.name), response.charge, response.size] for response in responses]
    return np.column_stack([np.array(rows), sheets])


class _Surface:
    """Triangles (t, 3) with a search for the nearest points on them."""

    def __init__(self, triangles: Array, x: Array) -> None:
        self.triangles, count = triangles, len(triangles)
        self._tree = Tree(triangles, np.zeros(len(x), np.int64), x, np.dtype(float))
        self._zeros, self._ones, self._stack = np.zeros(count, np.int64), np.ones(count), np.zeros(STACK, np.int64)

    def nearest(self, x: Array, place: Array) -> Array:
        """The nearest point and the normal there, (n, 6). x: (k, 3), place: (n, 3) [m]."""
        x, near, table = np.ascontiguousarray(x, float), np.zeros((len(place), 6)), self._tree.table
        self._tree.fit(x, x, np.ones(len(x), bool))
        arguments = self.triangles, table.order, table.leaves, table.nodes, self._zeros, self._ones, self._stack
        field_kernels.find_nearest(place, x, *arguments, near)
        return near
