"""Download a wheel by pip, in a process of its own: pip handles local proxies and mirrors."""

from __future__ import annotations

import importlib.util
import runpy
import sys
import tempfile
from pathlib import Path


def run(pin: str, sha256: str, folder: str) -> None:
    """Exit with pip's code. pin: name==version, whose wheel must have this hash."""
    if importlib.util.find_spec("pip") is None:
        _take_bundled_pip()
    with tempfile.TemporaryDirectory() as temporary:
        wanted = Path(temporary) / "wanted.txt"
        wanted.write_text(f"{pin} --hash=sha256:{sha256}\n", encoding="ascii")
        sys.argv = [
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--require-hashes",
            "--only-binary",
            ":all:",
            "--no-cache-dir",
        ]
        sys.argv += ["--no-input", "--disable-pip-version-check", "--dest", folder, "--requirement", str(wanted)]
        runpy.run_module("pip", run_name="__main__", alter_sys=True)


def _take_bundled_pip() -> None:
    """Blender's Python has pip as a wheel only, for `ensurepip`; a system's may have none."""
    if importlib.util.find_spec("ensurepip") is None:
        sys.exit("this Python has no pip")
    import ensurepip

    bundled = sorted((Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))
    if not bundled:
        sys.exit("this Python has no pip")
    sys.path.insert(0, str(bundled[-1]))
