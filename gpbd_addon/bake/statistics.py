"""Statistics of a bake: name and format of each number in a frame's report."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .frame_reports import Numbers, Reports
from .plain_number import PlainNumber


@dataclass(frozen=True)
class Statistic:
    """label: in the panel. form: of `str.format`, with unit. meaning: one line of help. factor: shown number over that of
    the report."""

    label: str
    form: str
    meaning: str
    factor: float = 1.0

    def text(self, number: float) -> str:
        """Return the number of a report with its unit."""
        return self.form.format(PlainNumber(self.factor * number))


#: By the name in the report, in the order of the panel. Other numbers of the report are only exported.
STATISTICS = {
    "error": Statistic("Solver Error", "{:.2g} mm", "How far the last step ended from its exact solution, at most", 1e3),
    "max_stretch": Statistic("Largest Stretch", "{:.2%}", "Of an edge over its rest length"),
    "mean_stretch": Statistic("Mean Stretch", "{:.2%}", "Of all edges; compressed ones count as 0"),
    "volume_change": Statistic("Volume", "{:+.2%}", "Of the soft body that changed most"),
    "plastic_curvature": Statistic("Sharpest Crease", "{:.3g} 1/m", "Largest curvature that stays in a sheet"),
    "plastic_strain": Statistic("Largest Flow", "{:.2%}", "Of clay and film: strain that stays, added up over time"),
    "torn_edges": Statistic("Torn Edges", "{:.0f}", "Of cloths, since the first frame"),
    "released_pins": Statistic("Released Pins", "{:.0f}", "Of a pin strength, since the first frame"),
    "tension": Statistic("Largest Tension", "{:.3g} N", "Of a rope's segments"),
    "kinetic_energy": Statistic("Kinetic Energy", "{:.3g} J", "Of the motion"),
    "elastic_energy": Statistic("Elastic Energy", "{:.3g} J", "Stored in stretch and bending"),
    "contacts": Statistic("Contacts", "{:.0f}", "Of the last substep"),
    "pairs": Statistic("Near Pairs", "{:.0f}", "Candidates for contact"),
    "deepest": Statistic("Deepest Contact", "{:.2g} mm", "Largest part of a collision distance that is missing", 1e3),
    "intersections": Statistic(
        "Intersections", "{:.0f}", "Edges that pass through faces of what collides; Find Intersections looks at meshes"
    ),
    "unresolved": Statistic(
        "Unresolved Collisions", "{:.0f}", "Pairs between things that no force moves, which a substep could not keep apart"
    ),
    "iterations": Statistic("Iterations", "{:.0f}", "Of the frame's substeps together"),
    "seconds": Statistic("Time", "{:.2g} s", "To compute the frame"),
}


#: Statistics that are hidden at 0.
IF_ANY = ("volume_change", "plastic_curvature", "plastic_strain", "torn_edges", "released_pins", "tension")
#: Prefix of the numbers of one body, before its name.
OF_BODY = "errors_"


def shown(numbers: Numbers, body: str = "") -> list[tuple[str, str, str]]:
    """Name, label and text of the statistics of a frame, without zero values of soft bodies, creases and ropes.

    body: body whose own error comes first if there are others.
    """
    of_body, several = OF_BODY + body, sum(name.startswith(OF_BODY) for name in numbers) > 1
    error = STATISTICS["error"]
    first = [(of_body, "Error of This Body", error.text(numbers[of_body]))] if several and of_body in numbers else []
    known = [name for name in STATISTICS if name in numbers and (name not in IF_ANY or numbers[name])]
    return first + [(name, s.label, s.text(numbers[name])) for name in known if (s := STATISTICS[name])]


def write_csv(file: Any, tables: Iterable[tuple[str, Reports]]) -> int:
    """Write a line for each object and frame that has a report, under one heading; return how many.

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
