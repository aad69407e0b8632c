"""Process of the solver that is started before the first job, once a scene has a body: importing Numba and loading compiled
kernels take most of the time to its first frame."""

from __future__ import annotations

import bpy

from ...solver.device import worker
from ...solver.device.cuda import packages
from .. import user_folder
from . import kernel_cache

#: Maker of the objects that serve jobs, of a `Worker`.
SESSION = "session:Session"


def prepare() -> None:
    """Start and prepare the process where Blender has a window; takes a millisecond, and again does no harm."""
    if not bpy.app.background:
        set_folders()
        worker.prepare(SESSION)


def set_folders() -> None:
    """Set the folders that a process of the solver is started with."""
    packages.set_folder(user_folder.cuda_folder())
    kernel_cache.prepare()
