"""For every test: kernels compile into a folder of these sources, so that an edit anywhere in the solver is compiled anew.

Numba's disk cache notices an edit in a kernel's own file only, not in the files it imports.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _sources_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted((ROOT / "solver").rglob("*.py")):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / f"gpbd-numba-{_sources_hash()}")
