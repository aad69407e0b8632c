"""Photographs the panels of the extension as Blender draws them, into docs/pictures: `dev.py docs panels` does it.

It wants a Blender with a window, an X display, and ImageMagick; where one of them is missing there are no new
pictures, which is said and no failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Of Blender's window, high enough for each panel; the display has to be as large [pixels].
WIDTH, HEIGHT = 1200, 1600
#: How long it may take, with the kernels that are compiled [s].
LONGEST = 900.0
LOOK = 0.1
#: Of the region, whose edge is drawn rounded [pixels].
BORDER = "3x3"
#: Of ImageMagick.
TOOLS = ("import", "mogrify")


def missing(blender: str | None) -> str:
    """Return the missing programs for pictures, as words; "" if there are none."""
    if blender is None:
        return "no Blender is in the PATH; name one with --blender"
    if not os.environ.get("DISPLAY"):
        return "there is no window: DISPLAY is not set"
    return "" if all(map(shutil.which, TOOLS)) else f"ImageMagick's {' and '.join(TOOLS)} are not in the PATH"


def photograph(blender: str, pictures: Path) -> list[Path]:
    """Write the pictures that `tools/panel_pictures.py` shows, and return them."""
    photographs = []
    with tempfile.TemporaryDirectory(prefix="panels-", dir=ROOT) as folder:
        script = ROOT / "tools" / "panel_pictures.py"
        window = ["--factory-startup", "-p", "0", "0", str(WIDTH), str(HEIGHT)]
        shown = subprocess.Popen([blender, *window, "--python", str(script), "--", folder])
        until = time.monotonic() + LONGEST
        try:
            while shown.poll() is None and time.monotonic() < until:
                for mark in Path(folder).glob("*.shown"):
                    photographs.append(pictures / f"{mark.stem}.png")
                    _take(photographs[-1], mark.read_text())
                    mark.unlink()
                time.sleep(LOOK)
        finally:
            if shown.poll() is None:
                shown.kill()
            shown.wait()
    return photographs


def _take(path: Path, where: str) -> None:
    """This part of the window, without the empty space below the panels."""
    subprocess.run(["import", "-window", "root", "-crop", where, str(path)], check=True)
    subprocess.run(
        ["mogrify", "+repage", "-shave", BORDER, "-fuzz", "2%", "-trim", "+repage", "-strip", str(path)], check=True
    )
