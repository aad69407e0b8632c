"""Kinds of body, one a file: their part of the model, and their role in ties, quasi-static solves and drape.

`kind.py` is the interface, `deformable.py` the common part of cloth and soft bodies. A new kind, say a fluid, is

- `scene/fluid.py`, a dataclass `Fluid(Body)` (or `Fluid(Deformable)`), the user's description, with `kind = "fluid"`;
- `model/bodies/fluid.py` with `KIND`, an instance of a class below `BodyKind` (or `DeformableKind`), found by its name;

and changes no other file of the solver than

- `scene/__init__.py` and `solver/__init__.py`, which publish the class;
- `scene/material.py`, one line in `KINDS`, only if it needs a kind of material of its own.

An energy file may bring kinds of elements of its own (`scene/element_kinds.py`). A kind with unknowns of its own changes
their rooms too: a rope has frames (`model/rod_frames.py`).

Build, steps, methods, contact, reports, snapshots and drape take every kind from here.
"""

from __future__ import annotations

import importlib

from ...errors import SceneError
from ...scene import Body
from .kind import BodyKind


def kind_of(body: Body) -> BodyKind:
    """Return the implementation of a body's kind. Raises: SceneError if there is no file of the kind's name."""
    try:
        module = importlib.import_module(f".{body.kind}", __name__)
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{body.kind}":
            raise
        raise SceneError(
            f"{body.name}: the solver has no kind of body '{body.kind}'; wanted a file model/bodies/{body.kind}.py. "
            "Use another kind, or add the file."
        ) from error
    return module.KIND
