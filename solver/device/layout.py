"""Names for the columns of a two-dimensional table, declared once."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Protocol

#: mypy wants the names of a named tuple in its own call.
_named_tuple: Callable[[str, list[str]], type] = namedtuple


class Layout(Protocol):
    """First columns by name. width: number of columns."""

    width: int

    def __getattr__(self, name: str) -> int: ...


def layout(**widths: int) -> Layout:
    """The first column of each name, as attributes; `width` is the number of columns of the table.

    widths: name -> how many columns it has, in the order in which they stand. Kernels may use the result as a global:

        PAIR = layout(normal=3, gap=1)

        @kernel
        def close(pairs, gap):
            for k in range(len(pairs)):
                pairs[k, PAIR.gap] -= gap

    Raises: ValueError if a name is `width`, or a width is not positive.
    """
    if "width" in widths:
        raise ValueError("layout: a column is named 'width', which stands for the number of columns; wanted another name.")
    starts, total = {}, 0
    for name, width in widths.items():
        if width < 1:
            raise ValueError(f"layout: column '{name}' is {width} wide; wanted 1 or more. Leave it out or give it room.")
        starts[name] = total
        total += width
    return _named_tuple("Layout", [*starts, "width"])(*starts.values(), total)
