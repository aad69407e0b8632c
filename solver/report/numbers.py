"""The report of a frame as numbers that JSON keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from .frame_report import Report


def numbers(report: Report) -> dict[str, float]:
    """The fields of a `frame_report.Report` as JSON numbers of six digits; vectors and mappings get several, the errors of
    bodies as `errors_Flag`."""
    columns: dict[str, float] = {}
    for name, value in asdict(report).items():
        if isinstance(value, Mapping):
            columns |= {f"{name}_{key}": _short(v) for key, v in value.items()}
            continue
        values = np.asarray(value)
        if values.dtype.kind not in "biuf":
            continue  # texts, and unknown values
        if values.ndim == 0:
            columns[name] = _short(value)
        else:
            columns |= {f"{name}_{k}": _short(v) for k, v in enumerate(values.ravel().tolist())}
    return columns


def _short(value: float) -> float:
    return int(value) if isinstance(value, (int, np.integer)) else float(f"{float(value):.6g}")
