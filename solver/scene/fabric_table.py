"""The table of a fabric: its energy over six strains, homogenised from the yarns of a periodic patch.

The strains of a sheet are s = (sx, sa, sy, IIxx, IIxy, IIyy): the stretch along the u axis of the material, the sine of the
shear angle, the stretch along v, and the second fundamental form [1/m] in the same axes. With the principal curvatures l1,
l2 of II and the matrix functions P(II) of the bending energies of both axes, the energy per area at rest [J/m^2] is

    psi = constant + sum_{k<3} f_k + g01 + g02 + g12 + [P_x(II)]_xx + [P_y(II)]_yy + twist/2 IIxy^2
    P_x(l) = f_3(l) + g03(sx, l) + g13(sa, l) + g23(sy, l),   P_y(l) = f_4(l) + g04 + g14 + g24

where sx is that at the height height_u over the sheet's middle, sx - height_u IIxx, and sy is sy - height_v IIyy: the yarns
of a direction may carry its tension on the face or the back, and the coupling of bending to it is then no energy of its own.

f_k is a cubic Hermite spline over axis k (sx, sa, sy, lx, ly), g_kl a bicubic one over axes k and l, the energy beyond f_k +
f_l. Beyond the outermost knots f is extrapolated by a straight line, for bending one that does not fall, and g levels out
within a spacing: straight lines of g would outgrow f, and the energy of a sheet at such strains would be unbounded below.

File, version 1: an npz without pickled objects, numbers of float32 or float64, SI units.

    version          1
    t{k}             knots of axis k, k = 0 .. 4, (n,): ascending, 0 among them, evenly spaced below 0 and evenly above it,
                     3 to 64 of them
    p{k}, m{k}       f_k and its slope there, (n,); f_k = 0 at the knot 0
    u{kl}, v{kl}     of a pair kl of 01 02 12 03 13 23 04 14 24: knots of k, (nu,), and of l, (nv,), like t{k}, 2 to 32. A
                     pair that the file lacks has no energy
    g{kl}            (4, nv, nu): g_kl, its derivatives by k, by l and by both; 0 for k = 0, and for l = 0
    twist            [N m], optional
    constant         [J/m^2], optional; has no force
    height_u, height_v  [m], optional: 0 if missing

Source: Sperl, Narain, Wojtan 2020, "Homogenized yarn-level cloth", ACM Transactions on Graphics 39(4), for the strains and
the decomposition; P as a matrix function is the same energy without angles.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import PresetError
from ..paths import as_path

Array = np.ndarray

VERSION = 1
#: Strains of the five axes.
AXES = ("sx", "sa", "sy", "lx", "ly")
PAIRS = ("01", "02", "12", "03", "13", "23", "04", "14", "24")
#: Fewest and most knots of an axis of a curve, and of a patch.
CURVE_KNOTS, PATCH_KNOTS = (3, 64), (2, 32)
#: Single numbers that a file may lack, and are 0 then.
SCALARS = ("twist", "constant", "height_u", "height_v")
#: A file is not larger [bytes], nor are its arrays.
MOST_BYTES = 1 << 20
#: Share of a spacing by which a knot may be off it, and of an energy's size that counts as zero.
EVEN, NOTHING = 1e-4, 1e-5


@dataclass(frozen=True)
class Curve:
    """f of one axis. knots: of the strain, (n,). values [J/m^2], slopes, by the strain: (n,)."""

    knots: Array
    values: Array
    slopes: Array


@dataclass(frozen=True)
class Patch:
    """g of two axes. u, v: knots, (nu,), (nv,). nodes: g and its derivatives by u, v and both, (4, nv, nu)."""

    u: Array
    v: Array
    nodes: Array


@dataclass(frozen=True)
class FabricTable:
    """curves: of the five axes. patches: by pair, such as "01". twist [N m], constant [J/m^2], height_u,
    height_v [m]: see above.

    straight: whether all continue in straight lines all the same, as published tables are meant. No file says so.
    name: in messages. Raises: PresetError if knots or sizes are not as in a file.
    """

    curves: tuple[Curve, ...]
    patches: Mapping[str, Patch] = field(default_factory=dict)
    twist: float = 0.0
    constant: float = 0.0
    height_u: float = 0.0
    height_v: float = 0.0
    name: str = "fabric"
    straight: bool = False

    def __post_init__(self) -> None:
        if len(self.curves) != len(AXES):
            raise _wrong(self.name, f"there are {len(self.curves)} curves", f"{len(AXES)}, of {', '.join(AXES)}")
        for k, curve in enumerate(self.curves):
            where = f"axis {k} ({AXES[k]})"
            _check_knots(self.name, where, curve.knots, CURVE_KNOTS)
            for what, numbers in (("energies", curve.values), ("slopes", curve.slopes)):
                _check_numbers(self.name, f"the {what} of {where}", numbers, curve.knots.shape)
            _check_zero(self.name, where, curve.values[np.argmin(np.abs(curve.knots))], curve.values)
        for pair, patch in self.patches.items():
            if pair not in PAIRS:
                raise _wrong(self.name, f"there is a pair '{pair}'", f"pairs of {', '.join(PAIRS)}")
            where = f"pair {pair}"
            _check_knots(self.name, f"axis {pair[0]} of {where}", patch.u, PATCH_KNOTS)
            _check_knots(self.name, f"axis {pair[1]} of {where}", patch.v, PATCH_KNOTS)
            _check_numbers(self.name, f"the energies of {where}", patch.nodes, (4, len(patch.v), len(patch.u)))
            of_u, of_v = patch.nodes[0][np.argmin(np.abs(patch.v))], patch.nodes[0][:, np.argmin(np.abs(patch.u))]
            for on_axis in (of_u, of_v):
                _check_zero(self.name, where, on_axis, patch.nodes[0])
        for what in SCALARS:
            _check_numbers(self.name, what, np.asarray(getattr(self, what), float), ())

    def ranges(self) -> Array:
        """Smallest and largest strain of the data on each axis, (5, 2): of the curves."""
        return np.array([[curve.knots[0], curve.knots[-1]] for curve in self.curves])

    def at_heights(self, strains: Array) -> Array:
        """Strains (n, 6) with the stretches of both directions at their heights, as the data has them."""
        shifted = np.array(strains, float)
        shifted[:, 0] -= self.height_u * shifted[:, 3]
        shifted[:, 2] -= self.height_v * shifted[:, 5]
        return shifted


def read_table(path: str | Path) -> FabricTable:
    """The table in a file.

    Raises: PresetError if the file cannot be read, is too large, or is not as described above.
    """
    path = as_path("Table", path, PresetError)
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise _wrong(str(path), f"the file has {size} bytes", f"at most {MOST_BYTES}")
        data = path.read_bytes()
    except OSError as error:
        raise PresetError(f"{path}: the table cannot be read ({error.strerror}). Check the file and its folder.") from error
    return unpacked(str(path), data)


def write_table(path: str | Path, table: FabricTable, dtype: str = "float32") -> None:
    """Write a table that `read_table` reads back; the file appears whole or not at all. The same
    table gives the same bytes.

    dtype: "float32", with which it is below 16 KB, or "float64".
    Raises: PresetError if the folder cannot be written.
    """
    path = as_path("Table", path, PresetError)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(packed(table, dtype))
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise PresetError(f"{path}: the table cannot be written ({error.strerror}). Choose another folder.") from error


def packed(table: FabricTable, dtype: str = "float32") -> bytes:
    """Return the arrays of a table's file."""
    arrays: dict[str, Array] = {"version": np.array(VERSION, np.int32)}
    for k, curve in enumerate(table.curves):
        arrays |= {f"t{k}": curve.knots, f"p{k}": curve.values, f"m{k}": curve.slopes}
    for pair in PAIRS:
        if pair in table.patches:
            patch = table.patches[pair]
            arrays |= {f"u{pair}": patch.u, f"v{pair}": patch.v, f"g{pair}": patch.nodes}
    arrays |= {what: np.asarray(getattr(table, what)) for what in SCALARS if getattr(table, what)}
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, array in arrays.items():
            one = io.BytesIO()
            np.lib.format.write_array(one, array if name == "version" else np.asarray(array, dtype), allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), one.getvalue(), zipfile.ZIP_DEFLATED, 9)
    return whole.getvalue()


def unpacked(name: str, data: bytes) -> FabricTable:
    """The table in a file's bytes. name: in messages. Raises: PresetError."""
    return _table(name, _arrays(name, data))


def _arrays(name: str, data: bytes) -> dict[str, Array]:
    """Return the arrays of a file, by name. Sizes are checked before anything is unpacked."""
    arrays: dict[str, Array] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            size = sum(info.file_size for info in file.infolist())
            if size > MOST_BYTES:
                raise _wrong(name, f"its arrays have {size} bytes", f"at most {MOST_BYTES}")
            for info in file.infolist():
                with file.open(info) as one:
                    arrays[info.filename.removesuffix(".npy")] = np.lib.format.read_array(one, allow_pickle=False)
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise PresetError(f"{name}: the table is not an npz file of numbers ({error}). Make it again.") from error
    return arrays


def _table(name: str, arrays: Mapping[str, Array]) -> FabricTable:
    version = arrays.get("version", np.zeros(0))
    if version.size != 1 or version.dtype.kind not in "iu" or int(version.item()) != VERSION:
        raise _wrong(name, f"the version is {version.tolist()}", f"{VERSION}")
    needed = [f"{kind}{k}" for k in range(len(AXES)) for kind in "tpm"]
    pairs = [pair for pair in PAIRS if any(f"{kind}{pair}" in arrays for kind in "uvg")]
    needed += [f"{kind}{pair}" for pair in pairs for kind in "uvg"]
    missing = [key for key in needed if key not in arrays]
    unknown = sorted(set(arrays) - {*needed, "version", *SCALARS})
    if missing:
        raise _wrong(name, f"there is no array '{missing[0]}'", f"{', '.join(needed)}")
    if unknown:
        raise _wrong(name, f"there is an unknown array '{unknown[0]}'", f"{', '.join([*needed, *SCALARS])}")
    for key, array in arrays.items():
        if key != "version" and array.dtype not in (np.float32, np.float64):
            raise _wrong(name, f"the numbers of '{key}' are {array.dtype}", "float32 or float64")
    a: dict[str, Array] = {key: np.asarray(array, float) for key, array in arrays.items()}
    scalars: dict[str, Any] = {}
    for key in SCALARS:
        if key in a:
            _check_numbers(name, key, a[key], ())
            scalars[key] = float(a[key])
    return FabricTable(
        tuple(Curve(a[f"t{k}"], a[f"p{k}"], a[f"m{k}"]) for k in range(len(AXES))),
        {pair: Patch(a[f"u{pair}"], a[f"v{pair}"], a[f"g{pair}"]) for pair in pairs},
        **scalars,
        name=name,
    )


def _check_numbers(name: str, what: str, numbers: Array, shape: tuple[int, ...]) -> None:
    if numbers.shape != shape:
        raise _wrong(name, f"{what} have the shape {numbers.shape}", f"{shape}")
    if not np.isfinite(numbers).all():
        raise _wrong(name, f"{what} have {np.sum(~np.isfinite(numbers))} numbers that are not finite", "finite ones")


def _check_knots(name: str, where: str, knots: Array, count: tuple[int, int]) -> None:
    if knots.ndim != 1 or not count[0] <= len(knots) <= count[1]:
        raise _wrong(name, f"the knots of {where} have the shape {knots.shape}", f"{count[0]} to {count[1]} of them")
    _check_numbers(name, f"the knots of {where}", knots, knots.shape)
    steps = np.diff(knots)
    if not (steps > 0).all():
        raise _wrong(name, f"the knots of {where} do not ascend (at {knots[np.argmin(steps)]:g})", "ascending ones")
    origin = int(np.argmin(np.abs(knots)))
    if abs(knots[origin]) > EVEN * steps.min():
        raise _wrong(name, f"the knots of {where} have no 0 among them", "one at 0")
    for side, spacings in (("below", steps[:origin]), ("above", steps[origin:])):
        if len(spacings) and np.ptp(spacings) > EVEN * spacings.mean() * max(2, len(spacings)):
            raise _wrong(name, f"the knots of {where} are not evenly spaced {side} 0", "one spacing on each side")


def _check_zero(name: str, where: str, at_zero: Array, numbers: Array) -> None:
    if np.abs(at_zero).max() > NOTHING * max(np.abs(numbers).max(), 1e-12):
        raise _wrong(name, f"the energy of {where} is {np.abs(at_zero).max():g} where it must be 0", "0 on its axes")


def _wrong(name: str, actual: str, wanted: str) -> PresetError:
    return PresetError(f"{name}: {actual}; wanted {wanted}. Make the table again, or choose another.")
