"""Report of a bake, at its end and after each frame."""

from __future__ import annotations

import statistics
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...solver.counted import counted
from .plain_number import PlainNumber

#: Places that a sentence names.
NAMED = 3
#: Frames whose mean time gives the time that is left; fewer than MEASURED give none.
RECENT, MEASURED = 12, 3


def duration(seconds: float) -> str:
    """In two units at most: "8 s", "1 min 20 s", "2 h 5 min"."""
    whole = max(round(seconds), 1)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@dataclass
class BakeReport:
    """Report of a bake. frames: number in the caches, of `wanted`, from frame `start` of the scene on. seconds: of each
    frame that this bake solved.

    above: frames whose solver error stayed above the requested one, known at the end. intersection_locations: points where
    surfaces intersect at the last frame. last: the solver's report of that frame. unresolved: frames with unresolved
    collisions, and their locations.
    The other numbers are those of the solver's report: the largest error [m], stretch and change of volume.
    """

    wanted: int = 0
    frames: int = 0
    start: int = 1
    seconds: list[float] = field(default_factory=list)
    error: float = 0.0
    max_stretch: float = 0.0
    volume_change: float = 0.0
    contacts: int = 0
    touched: bool = False  # whether there was any contact yet
    above: int = 0
    intersection_locations: tuple[Any, ...] = ()
    unresolved: list[tuple[int, tuple[Any, ...]]] = field(default_factory=list)
    folder: Path = Path()
    last: Any = None
    warnings: list[str] = field(default_factory=list)
    _written: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))  # when the last frames were [s]

    def add(self, frame_report: Any) -> None:
        """Add a frame's report."""
        self.frames += 1
        self.last = frame_report
        self._written.append(time.monotonic())
        if frame_report.seconds > 0:  # the start state is given, not solved
            self.seconds.append(float(frame_report.seconds))
        self.error = max(self.error, float(frame_report.error))
        self.contacts = int(frame_report.contacts)
        self.touched |= self.contacts > 0
        self.intersection_locations = frame_report.intersection_locations
        if frame_report.unresolved_locations:
            self.unresolved.append((self.frames, frame_report.unresolved_locations))
        self.max_stretch = max(self.max_stretch, float(frame_report.max_stretch))
        change = float(frame_report.volume_change)
        self.volume_change = change if abs(change) > abs(self.volume_change) else self.volume_change

    @property
    def seconds_per_frame(self) -> float:
        """The median: compiling kernels, once, does not count."""
        return statistics.median(self.seconds) if self.seconds else 0.0

    @property
    def intersections(self) -> int:
        """Edges that pass through faces at the last frame."""
        return sum(place.count for place in self.intersection_locations)

    def time_left(self) -> str:
        """ "1 min 20 s left", by the mean of the last frames, of which several may come at once; "" while too few are known.
        What falls freely yet will take longer once it touches something: until then it is so much at least."""
        times = self._written
        if len(times) <= MEASURED or self.frames >= self.wanted:
            return ""
        each = (times[-1] - times[0]) / (len(times) - 1)
        left = duration(each * (self.wanted - self.frames))
        return f"{left} left" if self.touched else f"at least {left} left"

    def forget_times(self) -> None:
        """The last frames took longer than others will: kernels were compiled meanwhile."""
        self._written.clear()

    def now(self) -> tuple[list[str], list[str]]:
        """Return the numbers of the last frame, and faults in it or earlier ones, as short lines."""
        if self.last is None or not self.seconds:
            return [], []
        good, wrong = [f"Stretch {self.last.max_stretch:.1%}, at most {self.max_stretch:.1%}"], []
        if self.intersections:
            wrong.append(counted(self.intersections, "intersection", "intersections"))
        if self.unresolved:
            count = len(self.unresolved)
            wrong.append(counted(count, "frame with unresolved collisions", "frames with unresolved collisions"))
        if not wrong:
            good += ["No intersections", "No unresolved collisions"]
        return good, wrong

    def contact_left(self, start: int) -> list[str]:
        """Return the failures of contact, as sentences. start: scene frame of the first one."""
        sentences = []
        if self.intersection_locations:
            where = "; ".join(str(place) for place in self.intersection_locations[:NAMED])
            count = counted(self.intersections, "edge still passes", "edges still pass")
            sentences.append(
                f"At frame {start + self.frames - 1} {count} through faces: {where}. Find Intersections selects them; move "
                "these surfaces apart at the first frame, or bake more frames."
            )
        if self.unresolved:
            frame, places = self.unresolved[0]
            count = counted(len(self.unresolved), "frame has", "frames have")
            sentences.append(
                f"{count} unresolved collisions between things that no force moves (first: frame {start + frame - 1}, "
                f"{places[0]}). Give the cloth room there: move the colliders or pins apart, or raise Substeps where they "
                "are fast."
            )
        return sentences

    def numbers(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "frames": self.frames,
            "wanted": self.wanted,
            "seconds_per_frame": round(self.seconds_per_frame, 4),
            "error": self.error,
            "max_stretch": self.max_stretch,
            "volume_change": self.volume_change,
            "above_error": self.above,
            "intersections": self.intersections,
            "unresolved_frames": len(self.unresolved),
            "folder": str(self.folder),
        }

    def sentence(self) -> str:
        """For the status bar."""
        last = self.start + self.frames - 1
        much = f"frame {last}" if self.frames == 1 else f"frames {self.start} to {last}" if self.frames else "no frame"
        much += f" of {self.start} to {self.start + self.wanted - 1}" if self.frames < self.wanted else ""
        if not self.seconds:  # nothing was solved: there are no numbers of it
            return much
        text = (
            f"{much}, {self.seconds_per_frame:.3g} s a frame, largest solver error {PlainNumber(1e3 * self.error):.2g} mm, "
            f"stretch {self.max_stretch:.2%}"
        )
        return f"{text}, change of volume {self.volume_change:+.2%}" if self.volume_change else text
