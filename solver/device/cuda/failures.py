"""Failures of a device during computation, as errors of this project.

A lost device, or a failed kernel, leaves a process without CUDA: the driver refuses all later calls. So both end the process
(`WorkerError`): frames and checkpoints are kept, and another process continues.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import SceneError, WorkerError
from .probe import Device

#: Prefixes of the driver's error names, common to the messages of all packages.
OUT_OF_MEMORY = ("CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation")
ANY = ("CUDA_ERROR_", "cudaError")
ON_CPU = "set Device to CPU first, by which frames from there on have other bits"


class DeviceMemoryError(Exception):
    """A device has less free memory than required. free, needed: [B]."""

    def __init__(self, device: Device, needed: int, free: int) -> None:
        super().__init__(memory_message(device, needed, free))
        self.device, self.needed, self.free = device, needed, free


def check_room(device: Device, needed: int, free: int) -> None:
    """Check the room for arrays before they are made. needed, free: [B]. Raises: DeviceMemoryError."""
    if needed > free:
        raise DeviceMemoryError(device, needed, free)


def memory_message(device: Device, needed: int, free: int) -> str:
    return (
        f"CUDA device {device.index} ({device.name}): {free / 1e9:.2f} GB are free; wanted {needed / 1e9:.2f} GB for this "
        "scene. End other programs that use the device, take fewer vertices, or set Device to CPU."
    )


@contextmanager
def translated(device: Device, needed: int = 0, free: int = 0) -> Iterator[None]:
    """Context of a device's operations. needed: memory of the scene, free: free memory before [B].

    Raises: SceneError if the device has no memory left; WorkerError if it, or a kernel on it, failed.
    """
    try:
        yield
    except DeviceMemoryError as error:
        raise SceneError(str(error)) from error
    except MemoryError as error:
        raise SceneError(memory_message(device, needed, free)) from error
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        if any(word in said for word in OUT_OF_MEMORY):
            raise SceneError(memory_message(device, needed, free)) from error
        if any(word in said for word in ANY):
            raise _lost(device, said) from error
        raise


def _lost(device: Device, said: str) -> WorkerError:
    first = said.strip().splitlines()[0].rstrip(".")
    return WorkerError(
        f"CUDA device {device.index} ({device.name}): it was lost, or a kernel failed on it ({first}); wanted one that "
        f"answers. Press Resume to go on after the last checkpoint; where it is lost again, {ON_CPU}."
    )
