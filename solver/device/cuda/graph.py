"""Launches as one CUDA graph, recorded from a stream: one call a frame in place of hundreds.

A launch from Python looks through its arguments, some hundred arrays, each time; a graph keeps them. Source: CUDA C++
Programming Guide, "CUDA Graphs", stream capture; by the package cuda-core. **It has not been run on a GPU yet.**
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class GraphRecorder:
    """Records what is launched on one stream of one device. stream: any with `__cuda_stream__`."""

    def __init__(self, number: int, stream: Any) -> None:
        """Raises: ImportError without the package."""
        from cuda.core import Device

        device = Device(number)
        device.set_current()
        self._stream = device.create_stream(stream)

    def record(self, launches: Callable[[], None]) -> Any:
        """The launches and copies of a call as a graph; they are not done. Kernels have been launched before, so that none
        is loaded meanwhile, and arrays stay as long as the graph."""
        builder = self._stream.create_graph_builder()
        builder.begin_building()
        try:
            launches()
        finally:
            builder.end_building()
        return builder.complete()

    def replay(self, graph: Any) -> None:
        """Does them, after what was launched on the stream before."""
        graph.launch(self._stream)
