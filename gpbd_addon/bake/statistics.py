"""The numbers by which a bake can be trusted: what each of a frame's report is called and how it is shown."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .frame_reports import Numbers, Reports


@dataclass(frozen=True)
class Gauge:
    """label: for people. form: of `str.format`, its number shown with unit. meaning: one line of help."""

    label: str
    form: str
    meaning: str


#: By the name in the report, in the order of the panel. A number of the report that is not here is exported, not drawn.
GAUGES = {
    "residual": Gauge("Residual", "{:.2g}", "Force that the steps leave, over the elastic force at their start; 0 is exact"),
    "max_stretch": Gauge("Largest stretch", "{:.2%}", "Of an edge over its rest length"),
    "mean_stretch": Gauge("Mean stretch", "{:.2%}", "Of all edges; compressed ones count as 0"),
    "volume_change": Gauge("Volume", "{:+.2%}", "Of the soft body that changed most"),
    "kinetic_energy": Gauge("Kinetic energy", "{:.3g} J", "Of the motion"),
    "elastic_energy": Gauge("Elastic energy", "{:.3g} J", "Stored in stretch and bending"),
    "contacts": Gauge("Contacts", "{:.0f}", "Of the last substep"),
    "pairs": Gauge("Near pairs", "{:.0f}", "Candidates for contact"),
    "deepest": Gauge("Deepest contact", "{:.2g} m", "Largest shortfall of a kept distance"),
    "intersections": Gauge("Intersections", "{:.0f}", "Edges that pass through faces; Find Intersections shows where"),
    "unresolved": Gauge(
        "Pinched pairs", "{:.0f}", "That a substep could not keep apart, between things that no force moves"
    ),
    "iterations": Gauge("Sweeps", "{:.0f}", "Iterations of the frame's substeps together"),
    "seconds": Gauge("Time", "{:.2g} s", "To compute the frame"),
}


def shown(numbers: Numbers) -> list[tuple[str, str, str]]:
    """Name, label and text of the gauges of a frame that has them; no change of volume without soft bodies."""
    known = [name for name in GAUGES if name in numbers and (name != "volume_change" or numbers[name])]
    return [(name, GAUGES[name].label, GAUGES[name].form.format(numbers[name])) for name in known]


def write_csv(file: Any, tables: Iterable[tuple[str, Reports]]) -> int:
    """Writes a line for each object and frame that has a report, under one heading; returns how many.

    tables: object's name and its reports. Numbers are SI, shares are not in percent.
    """
    known = list(tables)
    names = list(dict.fromkeys(name for _, reports in known for name in reports.names()))
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["object", "frame", *names])
    lines = [
        [owner, frame, *(numbers.get(name, "") for name in names)]
        for owner, reports in known
        for frame, numbers in reports.solved()
    ]
    writer.writerows(lines)
    return len(lines)
