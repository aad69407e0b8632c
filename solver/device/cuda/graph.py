"""Launches as one CUDA graph, recorded from a stream: one call a frame in place of hundreds.

A launch from Python hands over some hundred numbers each time; a graph keeps them. Source: CUDA C++ Programming Guide, "CUDA
Graphs", stream capture; by the package cuda-core.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Protocol


class Graph(Protocol):
    """A graph of cuda-core's."""

    def launch(self, stream: Stream, /) -> None: ...


class GraphBuilder(Protocol):
    """A recorder of cuda-core's."""

    def begin_building(self) -> object: ...

    def end_building(self) -> object: ...

    def complete(self) -> Graph: ...


class Stream(Protocol):
    """A stream of cuda-core's."""

    def create_graph_builder(self) -> GraphBuilder: ...


class GraphRecorder:
    """Recorder of the launches on one stream of cuda-core's."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def record(self, launches: Callable[[], None]) -> Graph:
        """The launches and copies of a call as a graph; they are not done. Kernels have been launched before, so that none
        is loaded meanwhile, and arrays stay as long as the graph."""
        builder = self._stream.create_graph_builder()
        collects = gc.isenabled()
        gc.collect()
        gc.disable()  # an array that is let go of would be freed by the graph
        builder.begin_building()
        try:
            launches()
        finally:
            builder.end_building()
            if collects:
                gc.enable()
        return builder.complete()

    def replay(self, graph: Graph) -> None:
        """Run the launches of a graph, after earlier ones on the stream."""
        graph.launch(self._stream)
