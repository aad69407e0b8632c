"""Vector instructions that LLVM does not find by itself."""

from typing import Any

from numba import extending

#: Numba's decorator; its result has other arguments than the function that it is given, so mypy is not to check calls.
intrinsic: Any = extending.intrinsic
