"""Import of published tables of homogenised yarn-level cloth: material files of ARCSim-HYLC, a JSON text.

    density          [kg/m^2]
    strain scale     five numbers b; strains of the file are s_k / b_k
    strain shift     five numbers, [1, 0, 1, 0, 0], without effect
    coeffs           const [J/m^2]; 1D: curves, k, t, p, m; 2D: patches, k0, k1, tu, tv, p, mu, mv, muv, the second axis
                     outermost

These files are for "educational, research and not-for-profit purposes" only; the importer shows that (`LICENCE`).
Source: Sperl, Narain, Wojtan 2020, "Homogenized yarn-level cloth", supplementary code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..errors import PresetError
from ..json_value import JsonValue
from ..paths import as_path
from . import checks
from .fabric_table import AXES, CURVE_KNOTS, PAIRS, PATCH_KNOTS, Curve, FabricTable, Patch
from .material import Material

Array = np.ndarray

#: A file is not larger [bytes].
MOST_BYTES = 16 << 20
#: Said wherever a file is imported.
LICENCE = (
    "Published fabric tables of ARCSim-HYLC are licensed for educational, research and not-for-profit purposes only. "
    "Keep the imported preset within that licence; do not pass it on with other work."
)
#: Values missing in published files, estimated for a knit or weave of their weight.
THICKNESS, FRICTION, DAMPING = 0.001, 0.4, 0.002


def read_published(path: str | Path) -> Material:
    """Read the material of a published file, named after it.

    Raises: PresetError if the file cannot be read or is not such a file; the message names the problem.
    """
    path = as_path("Published fabric", path, PresetError)
    values = _object(path, "the file", _json(path))
    _keys(path, "the file", values, ("density", "strain scale", "coeffs"), ("strain shift", "ext"))
    if values.get("ext", 0) != 0:
        raise _wrong(path, f"ext is {checks.shown(values['ext'])}", "0, straight lines beyond the data")
    density = checks.number(str(path), "density", values["density"], "kg/m^2", checks.POSITIVE, "in the file", PresetError)
    scale = _numbers(path, "strain scale", values["strain scale"], (len(AXES),))
    if not (scale > 0).all():
        raise _wrong(path, f"strain scale is {scale.tolist()}", "five numbers above zero")
    coeffs = _object(path, "coeffs", values["coeffs"])
    _keys(path, "coeffs", coeffs, ("const", "1D", "2D"))
    curves, constant = _curves(path, coeffs["1D"], scale)
    constant += checks.number(str(path), "coeffs.const", coeffs["const"], "J/m^2", checks.FINITE, "in the file", PresetError)
    table = FabricTable(curves, _patches(path, coeffs["2D"], scale), constant=constant, name=str(path), straight=True)
    source = f"Imported from {path.name}, a published table of ARCSim-HYLC (Sperl, Narain, Wojtan 2020); {LICENCE}"
    name = path.stem.replace("_", " ").title()
    energies = {"hylc": {"damping": DAMPING}}
    return Material(name, "fabric", density, energies, THICKNESS, FRICTION, "Imported", "estimated", source, table=table)


def _json(path: Path) -> JsonValue:
    """Parse a file. Its size is checked before it is read; a reader bounds its nesting."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise _wrong(path, f"the file has {size} bytes", f"at most {MOST_BYTES}")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise PresetError(f"{path}: the file cannot be read ({error.strerror}). Check the file and its folder.") from error
    except (ValueError, RecursionError) as error:
        raise PresetError(f"{path}: the file is not a JSON text ({error}). Choose a published fabric.") from error


def _curves(path: Path, rows: object, scale: Array) -> tuple[tuple[Curve, ...], float]:
    """Return the five curves, shifted to zero at 0, and the sum of the shifts."""
    curves: dict[int, Curve] = {}
    at_zero = 0.0
    for number, one in enumerate(_list(path, "coeffs.1D", rows, len(AXES))):
        where = f"curve {number}"
        values = _object(path, where, one)
        _keys(path, where, values, ("k", "t", "p", "m"))
        k = _axis(path, where, values["k"])
        t = _numbers(path, f"t of {where}", values["t"], None, CURVE_KNOTS)
        p, m = (_numbers(path, f"{key} of {where}", values[key], t.shape) for key in "pm")
        origin = p[np.argmin(np.abs(t))]
        at_zero += float(origin)
        curves[k] = Curve(t * scale[k], p - origin, m / scale[k])
    if len(curves) != len(AXES):
        raise _wrong(path, f"there are curves of the axes {sorted(curves)}", f"one of each of {len(AXES)}")
    return tuple(curves[k] for k in range(len(AXES))), at_zero


def _patches(path: Path, rows: object, scale: Array) -> dict[str, Patch]:
    patches: dict[str, Patch] = {}
    for number, one in enumerate(_list(path, "coeffs.2D", rows, len(PAIRS))):
        where = f"patch {number}"
        values = _object(path, where, one)
        _keys(path, where, values, ("k0", "k1", "tu", "tv", "p", "mu", "mv", "muv"))
        k, other = _axis(path, where, values["k0"]), _axis(path, where, values["k1"])
        u, v = (_numbers(path, f"{key} of {where}", values[key], None, PATCH_KNOTS) for key in ("tu", "tv"))
        nodes = [
            _numbers(path, f"{key} of {where}", values[key], (len(u) * len(v),)).reshape(len(v), len(u))
            for key in ("p", "mu", "mv", "muv")
        ]
        per = np.array([1.0, scale[k], scale[other], scale[k] * scale[other]])
        if f"{k}{other}" in patches:
            raise _wrong(path, f"there are two patches of the axes {k} and {other}", "one of each pair")
        patches[f"{k}{other}"] = Patch(u * scale[k], v * scale[other], np.stack(nodes) / per[:, None, None])
    return patches


def _axis(path: Path, where: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < len(AXES):
        raise _wrong(path, f"the axis of {where} is {checks.shown(value)}", f"0 to {len(AXES) - 1}")
    return value


def _object(path: Path, where: str, value: object) -> Mapping[str, JsonValue]:
    if not isinstance(value, dict):
        raise _wrong(path, f"{where} is {checks.shown(value)}", "an object with names")
    return value


def _list(path: Path, where: str, value: object, most: int) -> list[JsonValue]:
    if not isinstance(value, list) or len(value) > most:
        raise _wrong(path, f"{where} is {checks.shown(value)}", f"a list of at most {most}")
    return value


def _keys(
    path: Path, where: str, values: Mapping[str, JsonValue], required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> None:
    unknown, missing = sorted(set(values) - {*required, *optional}), [key for key in required if key not in values]
    if unknown:
        raise _wrong(path, f"{where} has the unknown key '{unknown[0]}'", f"{', '.join(required + optional)}")
    if missing:
        raise _wrong(path, f"{where} lacks the key '{missing[0]}'", f"{', '.join(required)}")


def _numbers(path: Path, what: str, value: object, shape: tuple[int, ...] | None, count: tuple[int, int] = (0, 0)) -> Array:
    """shape: wanted; None for one dimension with a count."""
    flat = value if isinstance(value, list) and all(type(n) in (int, float) for n in value) else None
    wanted = f"{count[0]} to {count[1]} numbers" if shape is None else f"{shape[0]} numbers"
    if (
        flat is None
        or (shape is not None and len(flat) != shape[0])
        or (shape is None and not count[0] <= len(flat) <= count[1])
    ):
        shown = f"a list of {len(value)}" if isinstance(value, list) else checks.shown(value)
        raise _wrong(path, f"{what} is {shown}", wanted)
    try:
        numbers = np.array(flat, float)
    except OverflowError:
        numbers = np.array([np.inf])
    if not np.isfinite(numbers).all():
        raise _wrong(path, f"{what} has numbers that are not finite", "finite ones")
    return numbers


def _wrong(path: Path, actual: str, wanted: str) -> PresetError:
    return PresetError(f"{path}: {actual}; wanted {wanted}. Choose a published fabric.")
