"""For every test: kernels are kept between runs, each below the hash of the sources that it is made of."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / "gpbd-numba"))
