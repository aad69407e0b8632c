"""A process that ends with its standard input, which what started it holds open.

No import of `bpy`: the frame of a thread that waits to the end keeps the names of its file, and Blender as a module frees
nothing while one of them is its own; Blender 4.5 then never ends.
"""

from __future__ import annotations

import os
import sys
import threading

from .output import ORPHANED


def end_with_input() -> None:
    """From here on this process ends at once when nobody holds the other end of its input: files are whole at any time, and
    another process, which continues from them, must not find this one at work."""
    threading.Thread(target=_wait, name="gpbd input", daemon=True).start()


def _wait() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        continue
    os._exit(ORPHANED)
