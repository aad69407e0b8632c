"""Force fields and bodies' own gravity on a device: a thread a vertex, a launch a field (`stepping/fields.py`).

The laws of fields are those of `stepping/field_kernels.py`, in single precision: places of a scene of a hundred metres are
known to 8e-6 m. Poses of fields are uploaded once a frame, for every substep.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from ...contact.broad_phase.tree import Tree
from ...device.cpu import f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice
from ...device.cuda.single import single
from ...device.cuda.uploads import Uploads
from ...device.uncounted import inline
from ...mathlib.vec3 import add, add_scaled
from ...model.gpu.substep_motion import NOW, Motion
from ...model.model import Model
from ...scene import Field, Response
from .. import field_kernels
from ..field_kernels import ALONG_NORMAL, WEIGHT
from ..field_noise import PERMUTATION
from ..field_poses import FieldPoses, choices_of
from ..fields import response_numbers

add_at, acceleration_at = single(field_kernels.add_at), single(field_kernels.acceleration)
nearest_at, squares_of_normal = single(field_kernels.nearest_at), single(field_kernels.squares_of_normal)

ZERO, ONE = f32(0), f32(1)
#: A field of the frame: its number, arrays of its surface, arrays of its own.
Arrays: TypeAlias = dict[str, Any]
Found = tuple[int, Arrays | None, Arrays]
#: Columns of the sum of fields (`stepping/field_kernels.py`).
COLUMNS = 14


class Place(NamedTuple):
    """Arguments of places. motion: see there. before: velocities that fields read, (n + 4, 3). origin: of the model [m],
    (3,). ahead: 1 if fields act at the expected state of the substep's end, 0 at its start."""

    motion: Motion
    before: Array
    origin: Array
    ahead: np.int32


class Surface(NamedTuple):
    """place; of a tree of triangles, of each of its poses: points (poses, k, 3), nodes (poses, m, 12); moving: 1 where each
    substep has a pose, else 0. triangles (t, 3), order (t,), leaves; zeros, ones: (t,); stack: (n, depth). near: (n, 6)."""

    place: Place
    points: Array
    nodes: Array
    moving: Array
    triangles: Array
    order: Array
    leaves: Array
    zeros: Array
    ones: Array
    stack: Array
    near: Array


class OneField(NamedTuple):
    """Arguments of one field. place; of the field: numbers (substeps, 31), choices (7,), points (poses, k, 3) and moving as
    in `Surface`, normals, near, grid. permutation: of noise. body: of each vertex, (n,); responses: of each body,
    (bodies, 4). seed: of the frame, (1,). begins: 1 if sums start here. sums: written, (n, 14).
    """

    place: Place
    numbers: Array
    choices: Array
    points: Array
    moving: Array
    normals: Array
    near: Array
    grid: Array
    permutation: Array
    body: Array
    responses: Array
    seed: Array
    begins: np.int32
    sums: Array


class Normals(NamedTuple):
    """Arguments of vertex normals. x: (n, 4). triangles: (t, 3); first, incident: those at each vertex. projector: written,
    (n, 6)."""

    x: Array
    triangles: Array
    first: Array
    incident: Array
    projector: Array


class FieldResponse(NamedTuple):
    """Arguments of the response to fields. place; acts: 1 if there are fields with forces. sums, projector: of them.
    body: of each vertex, gravity: of each body beyond that of the scene, (bodies, 3) [m/s^2]. load: [N], (n + 4, 3)."""

    place: Place
    acts: np.int32
    sums: Array
    projector: Array
    body: Array
    gravity: Array
    load: Array


class Local(NamedTuple):
    """sums: of winds, (n, 14). air: velocity that they bring, is written, (n + 4, 3)."""

    sums: Array
    air: Array


@inline
def expected(args, i):
    """The velocity at the substep's end without forces, a tuple."""
    m, v = args.motion, (args.before[i, 0], args.before[i, 1], args.before[i, 2])
    carry = m.now[m.step, NOW.carry] if m.history[i] else ZERO
    change = (v[0] - m.v_before[i, 0], v[1] - m.v_before[i, 1], v[2] - m.v_before[i, 2])
    return add_scaled(v, carry, change)


@inline
def place_of(args, i, v):
    """Return the position of a vertex in the world at which fields act [m]. v: of `expected`."""
    m = args.motion
    ahead = m.now[m.step, NOW.h] if args.ahead > 0 and m.history[i] else ZERO
    here = add((m.x[i, 0], m.x[i, 1], m.x[i, 2]), (args.origin[0], args.origin[1], args.origin[2]))
    return add_scaled(here, ahead, v)


@body
def find_nearest(i, args):
    """The nearest point of a field's surface, and the normal there."""
    at, step = args.place, args.place.motion.step * args.moving
    p = place_of(at, i, expected(at, i))
    x, nodes, stack = args.points[step], args.nodes[step], args.stack[i]
    nearest_at(i, p, x, args.triangles, args.order, args.leaves, nodes, args.zeros, args.ones, stack, args.near)


@body
def add_field(i, args):
    """Add a field's action on a vertex."""
    at, step = args.place, args.place.motion.step
    if args.begins > 0:
        for k in range(COLUMNS):
            args.sums[i, k] = ZERO
    v = expected(at, i)
    add_at(
        i,
        args.numbers[step],
        args.choices,
        args.points[step * args.moving],
        args.normals,
        args.near,
        args.grid,
        args.permutation,
        args.responses[args.body[i]],
        args.seed[0],
        place_of(at, i, v),
        v,
        args.sums,
    )


@body
def average_normals(i, args):
    """See `field_kernels.add_normals`."""
    squares, products, area = (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO), ZERO
    for j in range(args.first[i], args.first[i + 1]):
        t = args.incident[j]
        a, b, c = args.triangles[t, 0], args.triangles[t, 1], args.triangles[t, 2]
        more, mixed, twice = squares_of_normal(
            (args.x[a, 0], args.x[a, 1], args.x[a, 2]),
            (args.x[b, 0], args.x[b, 1], args.x[b, 2]),
            (args.x[c, 0], args.x[c, 1], args.x[c, 2]),
        )
        squares, products, area = add(squares, more), add(products, mixed), area + twice
    inverse = ONE / area if area > ZERO else ZERO
    for k in range(3):
        args.projector[i, k] = inverse * squares[k]
        args.projector[i, k + 3] = inverse * products[k]


@inline
def acceleration_of(i, args, reach, v):
    """Return the acceleration of a vertex by fields and its body's own gravity [m/s^2].

    reach, v: see `field_kernels.solve`.
    """
    m, b = args.place.motion, args.body[i]
    own_gravity = (args.gravity[b, 0], args.gravity[b, 1], args.gravity[b, 2])
    if args.acts == 0:
        return own_gravity
    now = m.now[m.step]
    gravity = add((now[NOW.gravity], now[NOW.gravity + 1], now[NOW.gravity + 2]), own_gravity)
    return add(acceleration_at(i, args.sums, args.projector, v, gravity, reach), own_gravity)


@body
def push(i, args):
    """Set `blown`, the velocity of a vertex with fields."""
    at, m = args.place, args.place.motion
    now, acceleration = m.now[m.step], (ZERO, ZERO, ZERO)
    if m.weight[i] > ZERO:
        reach = now[NOW.share] * now[NOW.h] if m.history[i] else now[NOW.h]
        acceleration = acceleration_of(i, args, reach, expected(at, i))
    for k in range(3):
        m.blown[i, k] = at.before[i, k] + now[NOW.h] * acceleration[k]


@body
def load(i, args):
    """Add fields to the load of a vertex at rest."""
    m = args.place.motion
    if m.weight[i] > ZERO:
        acceleration = acceleration_of(i, args, ZERO, (ZERO, ZERO, ZERO))
        h = m.now[m.step, NOW.h]
        for k in range(3):
            args.load[i, k] += h * h / m.weight[i] * acceleration[k]


@body
def take_air(i, args):
    """The velocity of the air that winds bring."""
    for k in range(3):
        args.air[i, k] = args.sums[i, k] + args.sums[i, k + 7]


class DeviceFields:
    """Fields on the vertices of a model, or on other points of it, on a device."""

    def __init__(
        self, device: SerialDevice, model: Model, body_of: np.ndarray, blown: dict[str, Array] | None, uploads: Uploads
    ) -> None:
        """Allocate. body_of: number of the body of each point, (n,); blown: triangles, first, incident of the surface
        exposed to wind, None without one."""
        self.device, self._body_of, self._blown, self._uploads = device, body_of, blown, uploads
        self._sheet = np.array([part.kind.is_sheet and not part.kind.is_line for part in model.parts])
        self._n = len(body_of)
        self._origin = device.upload(model.origin, np.float32)
        self._body = device.upload(body_of, np.int32)
        self._arrays: dict[str, Array] = {}
        self._trees: dict[str, tuple[Field, Tree]] = {}
        self._pushing: list[Found] = []
        self._blowing: list[Found] = []
        self._own: Array
        self._by_normals = False

    def _zeros(self, name: str, shape: tuple[int, ...], dtype: DTypeLike = np.float32) -> Array:
        if name not in self._arrays:
            self._arrays[name] = self.device.zeros(shape, dtype)
        return self._arrays[name]

    def begin_frame(
        self, poses: Sequence[FieldPoses], responses: Sequence[Response], gravity: np.ndarray, frame: int
    ) -> bool:
        """poses: of every substep. frame: its number. Returns whether anything is to be done in it."""
        take = self._uploads.take
        more = np.array([response.gravity - 1.0 for response in responses])
        self._own = take("own gravity", more[:, None] * gravity)
        seed = take("seed", np.array([frame]), np.int32)
        self._pushing, self._blowing, self._by_normals = [], [], False
        for k, one in enumerate(poses[-1].fields):
            of_bodies = response_numbers(one, responses, self._sheet)
            if (of_bodies[self._body_of, WEIGHT] > 0).any():
                of_this_field = {
                    "responses": take(f"responses {k}", of_bodies),
                    "seed": seed,
                    **self._of_field(k, one, poses),
                }
                field = k, self._surface(k, one, poses) if len(one.triangles) else None, of_this_field
                (self._blowing if one.as_air else self._pushing).append(field)
                bound = self._blown is not None and self._sheet.any() and not one.as_air
                bound = bound and any(p.numbers[k, ALONG_NORMAL] > 0 for p in poses)
                self._by_normals = self._by_normals or bool(bound)
        return bool(self._pushing or self._blowing or more.any())

    @property
    def key(self) -> tuple:
        """Return a key that changes with the launches of a frame, apart from addresses of arrays."""
        both = self._pushing, self._blowing
        of_fields = [tuple((k, surface is None, int(one["moving"])) for k, surface, one in some) for some in both]
        return (*of_fields, self._by_normals)

    def _of_field(self, k: int, one: Field, poses: Sequence[FieldPoses]) -> Arrays:
        take, numbers = self._uploads.take, np.array([p.numbers[k] for p in poses])
        points, moving = _poses_of_points(k, poses)
        return {
            "numbers": take(f"numbers {k}", numbers),
            "choices": take(f"choices {k}", choices_of(one), np.int32),
            "points": take(f"points {k}", points),
            "moving": np.int32(moving),
            "normals": take(f"normals {k}", one.normals if len(one.normals) else np.zeros((1, 3))),
            "near": self._zeros(f"near {k}" if len(one.triangles) else "nowhere", (self._n if len(one.triangles) else 1, 6)),
            "grid": take(f"grid {k}", one.grid),
        }

    def _surface(self, k: int, one: Field, poses: Sequence[FieldPoses]) -> Arrays:
        """Return the arrays of a field's surface for nearest-point queries."""
        known, take = self._trees.get(one.name), self._uploads.take
        if known is None or not np.array_equal(known[0].triangles, one.triangles):
            tree = Tree(one.triangles, np.zeros(len(one.points), np.int64), one.points, np.dtype(np.float32))
            known = self._trees[one.name] = one, tree
        tree, table = known[1], known[1].table
        points, moving = _poses_of_points(k, poses)
        nodes = []
        for x in points.astype(np.float32):
            tree.fit(x, x, np.ones(len(x), bool))
            nodes.append(table.nodes.copy())
        count, depth = len(one.triangles), int(table.leaves).bit_length() + 1
        return {
            "points": take(f"points {k}", points),
            "nodes": take(f"nodes {k}", np.array(nodes)),
            "moving": np.int32(moving),
            "triangles": take(f"triangles {k}", one.triangles, np.int32),
            "order": take(f"order {k}", table.order, np.int32),
            "leaves": np.int32(table.leaves),
            "zeros": self._zeros(f"zeros {count}", (count, 1), np.int32).reshape(-1),
            "ones": take(f"ones {k}", np.ones(count)),
            "stack": self._zeros(f"stack {depth}", (self._n, depth), np.int32),
            "near": self._zeros(f"near {k}", (self._n, 6)),
        }

    def _place(self, motion: Motion, before: Array, ahead: bool) -> Place:
        return Place(motion, before, self._origin, np.int32(ahead))

    def _add(self, which: list[Found], place: Place) -> Array:
        """Return the sums of some fields at each point, (n, 14)."""
        sums, permutation = self._zeros("sums", (self._n, COLUMNS)), self._permutation
        for number, (_, surface, field) in enumerate(which):
            if surface is not None:
                self.device.launch(find_nearest, self._n, Surface(place=place, **surface))
            begins = np.int32(number == 0)
            arguments = OneField(place=place, permutation=permutation, body=self._body, begins=begins, sums=sums, **field)
            self.device.launch(add_field, self._n, arguments)
        return sums

    @property
    def _permutation(self) -> Array:
        if "permutation" not in self._arrays:
            self._arrays["permutation"] = self.device.upload(PERMUTATION, np.int32)
        return self._arrays["permutation"]

    def air(self, motion: Motion) -> Array | None:
        """Velocity of the air that winds bring to each vertex [m/s], (n + 4, 3); None without any."""
        if not self._blowing:
            return None
        sums = self._add(self._blowing, self._place(motion, motion.v, ahead=False))
        air = self._zeros("air", motion.v.shape)
        self.device.launch(take_air, self._n, Local(sums, air))
        return air

    def act(self, motion: Motion, before: Array, still: Array | None) -> None:
        """Write `blown` of the motion: the velocities `before` with fields and bodies' own gravity; or add to the load of a
        quasi-static solve, `still` [N]."""
        self.device.launch(push if still is None else load, self._n, self.field_response(motion, before, still))

    def field_response(self, motion: Motion, before: Array, still: Array | None) -> FieldResponse:
        """Return the sums of fields at each point, as for `act`."""
        place = self._place(motion, before, ahead=still is None)
        sums, projector = self._zeros("sums", (self._n, COLUMNS)), self._zeros("projector", (self._n, 6))
        if self._pushing:
            self._add(self._pushing, place)
            if self._by_normals:
                assert self._blown is not None
                blown = self._blown["triangles"], self._blown["first"], self._blown["incident"]
                self.device.launch(average_normals, self._n, Normals(motion.x, *blown, projector))
        return FieldResponse(
            place, np.int32(bool(self._pushing)), sums, projector, self._body, self._own,
            motion.v if still is None else still,
        )  # fmt: skip


def _poses_of_points(k: int, poses: Sequence[FieldPoses]) -> tuple[np.ndarray, bool]:
    """The points of a field in every substep, (substeps, k, 3), or once where they stay; and whether they move."""
    points = [p.points[k] if len(p.points[k]) else np.zeros((1, 3)) for p in poses]
    moving = not all(np.array_equal(one, points[0]) for one in points)
    return np.array(points if moving else points[:1]), moving
