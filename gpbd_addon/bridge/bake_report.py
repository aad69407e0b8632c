"""What a bake tells at its end, and after each frame."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class BakeReport:
    """frames: how many are in the caches, of `wanted`. seconds: of each frame that this bake solved.

    above: frames that did not reach the tolerance, known at the end.
    The other numbers are those of `solver.diagnostics.Report`: the last residual, the largest stretch and change of volume.
    """

    wanted: int = 0
    frames: int = 0
    seconds: list[float] = field(default_factory=list)
    residual: float = 0.0
    max_stretch: float = 0.0
    volume_change: float = 0.0
    contacts: int = 0
    above: int = 0
    folder: Path = Path()
    warnings: list[str] = field(default_factory=list)

    def add(self, frame_report: Any) -> None:
        """Takes a frame's report in."""
        self.frames += 1
        if frame_report.seconds > 0:  # the start state is given, not solved
            self.seconds.append(float(frame_report.seconds))
        self.residual = float(frame_report.residual)
        self.contacts = int(frame_report.contacts)
        self.max_stretch = max(self.max_stretch, float(frame_report.max_stretch))
        change = float(frame_report.volume_change)
        self.volume_change = change if abs(change) > abs(self.volume_change) else self.volume_change

    @property
    def seconds_per_frame(self) -> float:
        """The median: compiling kernels, once, does not count."""
        return statistics.median(self.seconds) if self.seconds else 0.0

    def numbers(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "frames": self.frames,
            "wanted": self.wanted,
            "seconds_per_frame": round(self.seconds_per_frame, 4),
            "residual": self.residual,
            "max_stretch": self.max_stretch,
            "volume_change": self.volume_change,
            "above_tolerance": self.above,
            "folder": str(self.folder),
        }

    def sentence(self) -> str:
        """For the status bar."""
        return (
            f"{self.frames} of {self.wanted} frames, {self.seconds_per_frame:.3g} s a frame, residual {self.residual:.2g}, "
            f"largest stretch {self.max_stretch:.2%}, largest change of volume {self.volume_change:+.2%}"
        )
