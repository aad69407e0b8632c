"""Pressure in cloths on a device (`stepping/pressure.py`): a thread a vertex, faces in their order; volumes by a fixed tree.

At 1e5 Pa the seventh digit of a volume is a hundredth of a pascal, so volumes and pressures are in double precision: a
hundred operations a face and substep.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice
from ...device.cuda.primitives import Tree
from ...device.cuda.uploads import Uploads
from ...device.uncounted import inline
from ...global_step.gpu.device_global_step import DeviceGlobalStep
from ...mathlib.vec3 import add, cross, dot, scale, sub
from ...model.gpu.state_arrays import StateArrays, incident
from ...model.gpu.substep_motion import NOW, Motion
from ...model.model import Model
from ...model.state import State
from ...scene import ShapeInputs
from ..pressure import LEAST_VOLUME, STEPS, Filled, PressureLoads

f64 = np.float64
ZERO, SHARE, SIXTH = f32(0), f32(1 / 24), f64(1 / 6)


class Inside(NamedTuple):
    """motion: see there. start: row of the cloth's first vertex. before: velocities so far, (n + 4, 3). fill: uniform
    pressure [Pa] and density of the fluid [kg/m^3], (2,). ahead: where its k vertices go [m], (k, 3); height: against
    gravity [m^2/s^2], (k,)."""

    motion: Motion
    start: np.int32
    before: Array
    fill: Array
    ahead: Array
    height: Array


class Pushed(NamedTuple):
    """inside. faces: (f, 3) of the cloth's vertices; first, corners: of each vertex, as face * 3 + corner. weights: (k,).
    number: of the body, gas: pressures [Pa], (bodies,). top: greatest height, (1,). push: force of a pascal, is written,
    (k, 3). load: [N], (n + 4, 3). static: 1 in a quasi-static solve."""

    inside: Inside
    faces: Array
    first: Array
    corners: Array
    weights: Array
    number: np.int32
    gas: Array
    top: Array
    push: Array
    load: Array
    static: np.int32


class Hull(NamedTuple):
    """Arguments of volumes. motion, start: as above. displacement: of a vertex per pascal [m/Pa], (count, 3). faces (f,
    3), rims (r, 2), hole (r,), first (holes + 1,), loop (l,): as in `model/enclosed.py`, of the cloth's vertices.
    middles: of each hole its middle and the displacement of that, (holes, 6). terms: of each face and rim its share of
    six times the volume, a polynomial of the pressure, (4, f + r).
    """

    motion: Motion
    start: np.int32
    displacement: Array
    faces: Array
    rims: Array
    hole: Array
    first: Array
    loop: Array
    middles: Array
    terms: Array


class Met(NamedTuple):
    """Coefficients of six times the volume [m^3], four of (1,); filling: ambient pressure [Pa], target volume [m^3], (2,).
    number, gas: of `Pushed`; kept: the same as doubles; more: by which it has grown [Pa], (1,)."""

    one: Array
    two: Array
    three: Array
    four: Array
    filling: Array
    number: np.int32
    gas: Array
    kept: Array
    more: Array


class Shifted(NamedTuple):
    """Arguments of the pressure's change. motion, start, displacement: as above. more: change of pressure [Pa], (1,)."""

    motion: Motion
    start: np.int32
    displacement: Array
    more: Array


class Answering(NamedTuple):
    """Arguments of the compliance. start, push, displacement: as above; displacement is written. x: positions with h^2/m
    in the last column, 0 for fixed vertices; moved: displacement by the global step per pascal [m/Pa], (n, 4)."""

    start: np.int32
    push: Array
    displacement: Array
    x: Array
    moved: Array


@body
def go(i, args):
    """Compute a vertex's position without pressure, and its height."""
    m, row = args.motion, args.start + i
    now = m.now[m.step]
    height = ZERO
    for k in range(3):
        place = m.x[row, k] + now[NOW.h] * args.before[row, k]
        args.ahead[i, k] = place
        height -= now[NOW.gravity + k] * place
    args.height[i] = height


@inline
def pressure_at(args, v):
    """Return the pressure at a vertex [Pa]."""
    inside = args.inside
    fluid = inside.fill[1] * (args.top[0] - inside.height[v])
    return args.weights[v] * (inside.fill[0] + args.gas[args.number] + fluid)


@body
def press(i, args):
    """Add the pressure on its faces to the velocity of a vertex, or to its load; store the force per pascal."""
    inside, m = args.inside, args.inside.motion
    row, ahead, here = inside.start + i, inside.ahead, pressure_at(args, i)
    force, unit, weight_here = (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO), args.weights[i]
    for j in range(args.first[i], args.first[i + 1]):
        face = args.corners[j] // 3
        a, b, c = args.faces[face, 0], args.faces[face, 1], args.faces[face, 2]
        start = (ahead[a, 0], ahead[a, 1], ahead[a, 2])
        along = sub((ahead[b, 0], ahead[b, 1], ahead[b, 2]), start)
        normal = cross(along, sub((ahead[c, 0], ahead[c, 1], ahead[c, 2]), start))
        total = pressure_at(args, a) + pressure_at(args, b) + pressure_at(args, c)
        force = add(force, scale(SHARE * (here + total), normal))
        weight = args.weights[a] + args.weights[b] + args.weights[c]
        unit = add(unit, scale(SHARE * (weight_here + weight), normal))
    now = m.now[m.step]
    for k in range(3):
        args.push[i, k] = unit[k]
        if args.static > 0:
            args.load[row, k] += force[k]
        else:
            m.blown[row, k] = inside.before[row, k] + m.weight[row] * now[NOW.inverse_h] * force[k]


@inline
def corner(args, v):
    """Return the position of a vertex of the cloth [m], and its displacement per pascal [m/Pa]."""
    m, row = args.motion, args.start + v
    place = (
        f64(m.x_pred[row, 0] + m.correction[row, 0]),
        f64(m.x_pred[row, 1] + m.correction[row, 1]),
        f64(m.x_pred[row, 2] + m.correction[row, 2]),
    )
    return place, (f64(args.displacement[v, 0]), f64(args.displacement[v, 1]), f64(args.displacement[v, 2]))


@body
def compliance_by_mass(i, args):
    """Set the displacement of a vertex per pascal from its mass alone."""
    for k in range(3):
        args.displacement[i, k] = args.x[args.start + i, 3] * args.push[i, k]


@body
def compliance_by_step(i, args):
    """The same with all that the global step has solved for."""
    row = args.start + i
    for k in range(3):
        args.displacement[i, k] = args.moved[row, k] if args.x[row, 3] > ZERO else ZERO


@body
def find_middle(i, args):
    """The middle of a hole, and how it moves."""
    place, displacement = corner(args, args.loop[args.first[i]])
    for j in range(args.first[i] + 1, args.first[i + 1]):
        more, further = corner(args, args.loop[j])
        place, displacement = add(place, more), add(displacement, further)
    count = f64(args.first[i + 1] - args.first[i])
    for k in range(3):
        args.middles[i, k] = place[k] / count
        args.middles[i, k + 3] = displacement[k] / count


@body
def measure(i, args):
    """Compute the volume of a face, or of the fan's triangle at a rim."""
    faces = args.faces.shape[0]
    if i < faces:
        a, p = corner(args, args.faces[i, 0])
        b, q = corner(args, args.faces[i, 1])
        c, r = corner(args, args.faces[i, 2])
    else:
        a, p = corner(args, args.rims[i - faces, 1])
        b, q = corner(args, args.rims[i - faces, 0])
        hole = args.hole[i - faces]
        c = (args.middles[hole, 0], args.middles[hole, 1], args.middles[hole, 2])
        r = (args.middles[hole, 3], args.middles[hole, 4], args.middles[hole, 5])
    both, of_p, of_q = cross(b, c), add(cross(q, c), cross(b, r)), cross(q, r)
    args.terms[0, i] = dot(a, both)
    args.terms[1, i] = dot(p, both) + dot(a, of_p)
    args.terms[2, i] = dot(p, of_p) + dot(a, of_q)
    args.terms[3, i] = dot(p, of_q)


@body
def meet(i, args):
    """The pressure that belongs to the volume which it leads to: see `PressureLoads._meet`."""
    a, b, c, d = SIXTH * args.one[0], SIXTH * args.two[0], SIXTH * args.three[0], SIXTH * args.four[0]
    ambient, target = args.filling[0], args.filling[1]
    begun = args.kept[args.number]
    more, iterations = f64(0.0), STEPS
    while iterations > 0:
        volume = a + more * (b + more * (c + more * d))
        slope = b + more * (f64(2.0) * c + more * f64(3.0) * d)
        held = max(volume, LEAST_VOLUME * target)
        wanted = ambient * (target / held - f64(1.0))
        stiffness = -ambient * target / (held * held) if volume > f64(0.5) * held else f64(0.0)
        step = (wanted - begun - more) / (f64(1.0) - stiffness * max(slope, f64(0.0)))
        more += step
        iterations = 0 if abs(step) <= f64(1e-9) * (abs(begun) + ambient) else iterations - 1
    args.kept[args.number] = begun + more
    args.gas[args.number] = f32(begun + more)
    args.more[0] = f32(more)


@body
def shift(i, args):
    """Move a vertex as the pressure that has changed does."""
    m, row = args.motion, args.start + i
    for k in range(3):
        m.correction[row, k] += args.more[0] * args.displacement[i, k]
        m.x[row, k] = m.x_pred[row, k] + m.correction[row, k]


@dataclass
class _Cloth:
    """Arrays of one filled cloth on the device (`model/enclosed.py`; holes: its `first`), and its numbers of the frame. gas:
    its pressure follows the volume."""

    host: Filled
    start: np.int32
    faces: Array
    first: Array
    corners: Array
    weights: Array
    ahead: Array
    height: Array
    push: Array
    displacement: Array
    rims: Array
    hole: Array
    holes: Array
    loop: Array
    middles: Array
    terms: Array
    more: Array
    fill: Any = None
    filling: Any = None
    gas: bool = False

    @property
    def count(self) -> int:
        return len(self.weights)


class DevicePressure:
    """The pressures of a model's cloths, on a device."""

    def __init__(
        self, device: SerialDevice, model: Model, state: StateArrays, loads: PressureLoads, uploads: Uploads
    ) -> None:
        self.device, self._state, self._uploads = device, state, uploads
        self._static = np.int32(model.settings.quasi_static)
        self._cloths = [self._made(cloth) for cloth in loads.cloths]
        most = max(cloth.terms.shape[1] for cloth in self._cloths)
        self._trees = [Tree(device, max(most, 2), np.float64) for _ in range(4)]
        self._heights = Tree(device, max(max(cloth.count for cloth in self._cloths), 2), np.float32)
        self._gas = device.zeros(len(model.parts), np.float32)
        self._kept = device.zeros(len(model.parts), np.float64)

    def _made(self, cloth: Filled) -> _Cloth:
        up, zeros, tables = self.device.upload, self.device.zeros, cloth.enclosed.tables
        count = cloth.rows.stop - cloth.rows.start
        first, corners = incident(tables.faces, count)
        terms = len(tables.faces) + len(tables.rims)
        return _Cloth(
            host=cloth, start=np.int32(cloth.rows.start), faces=self._up(tables.faces), first=up(first),
            corners=up(corners), weights=up(cloth.weights, np.float32),
            ahead=zeros((count, 3), np.float32), height=zeros(count, np.float32),
            push=zeros((count, 3), np.float32), displacement=zeros((count, 3), np.float32),
            rims=self._up(tables.rims), hole=self._up(tables.hole), holes=up(tables.first), loop=self._up(tables.loop),
            middles=zeros((len(tables.first), 6), np.float64), terms=zeros((4, max(terms, 1)), np.float64),
            more=zeros(1, np.float32),
        )  # fmt: skip

    def _up(self, numbers: np.ndarray) -> Array:
        """Upload numbers, one row for none: an empty array has no address."""
        return self.device.upload(numbers if len(numbers) else np.zeros((1, *numbers.shape[1:])), np.int32)

    def begin_frame(self, shapes: Mapping[str, ShapeInputs], gravity: np.ndarray, host: State) -> None:
        """Set the filling of the cloths in a frame."""
        self.device.update(self._gas, host.pressure.astype(np.float32))
        self.device.update(self._kept, host.pressure)
        for cloth in self._cloths:
            name, filling = cloth.host.part.body.name, cloth.host.of_frame(shapes)
            target = cloth.host.volume if filling.target_volume is None else filling.target_volume
            fluid = filling.fluid_density if gravity.any() else 0.0
            cloth.fill = self._uploads.take(f"fill {name}", np.array([filling.uniform, fluid]))
            cloth.filling = self._uploads.take(f"filling {name}", np.array([filling.ambient, target]), np.float64)
            cloth.gas = cloth.host.has_gas(filling) and not self._static

    @property
    def key(self) -> tuple:
        """Return a key that changes with the launches of a frame, apart from addresses of arrays."""
        return tuple(cloth.gas for cloth in self._cloths)

    def act(self, motion: Motion, before: Array, still: Array | None) -> None:
        """Apply pressure, as `PressureLoads.act`. before: velocities so far; still: load of a quasi-static solve."""
        for cloth in self._cloths:
            inside = Inside(motion, cloth.start, before, cloth.fill, cloth.ahead, cloth.height)
            self.device.launch(go, cloth.count, inside)
            arguments = Pushed(
                inside, cloth.faces, cloth.first, cloth.corners, cloth.weights, np.int32(cloth.host.number), self._gas,
                self._heights.largest(cloth.height), cloth.push, self._state.load if still is None else still, self._static,
            )  # fmt: skip
            self.device.launch(press, cloth.count, arguments)

    def equilibrate(self, motion: Motion, step: DeviceGlobalStep | None, of_step: bool) -> None:
        """Correct the pressure, as `PressureLoads.equilibrate`. step: None without a global step."""
        for cloth in self._cloths:
            whole = step if step is not None and step.moves(cloth.host.rows) else None
            if not cloth.gas or (whole is not None) != of_step:
                continue
            moved = motion.x if whole is None else whole.response(cloth.start, cloth.push)
            arguments = Answering(cloth.start, cloth.push, cloth.displacement, motion.x, moved)
            self.device.launch(compliance_by_mass if whole is None else compliance_by_step, cloth.count, arguments)
            hull = Hull(
                motion, cloth.start, cloth.displacement, cloth.faces, cloth.rims, cloth.hole, cloth.holes, cloth.loop,
                cloth.middles, cloth.terms,
            )  # fmt: skip
            self.device.launch(find_middle, len(cloth.holes) - 1, hull)
            self.device.launch(measure, cloth.terms.shape[1], hull)
            one, two, three, four = (tree.sum(cloth.terms[k]) for k, tree in enumerate(self._trees))
            met = Met(one, two, three, four, cloth.filling, np.int32(cloth.host.number), self._gas, self._kept, cloth.more)
            self.device.launch(meet, 1, met)
            self.device.launch(shift, cloth.count, Shifted(motion, cloth.start, cloth.displacement, cloth.more))

    def write_to(self, host: State) -> None:
        """Write the pressures to a state of the host."""
        self.device.download(self._kept, host.pressure)
