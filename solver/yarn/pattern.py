"""Patterns of weaves and knits: a repeat of crossings or stitches, and their spacing."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import PresetError
from ..scene import checks
from .yarn import Yarn, read_number, read_toml

FOLDER = Path(__file__).resolve().parents[2] / "presets" / "patterns"
#: Yarns or stitches in a repeat, along one direction.
MOST = 16
#: Least spacing over the sum of both radii: where a crossing yarn changes sides, and where it passes over both.
#: Source: Peirce 1937, "The geometry of cloth structure": the closest square cloth of round yarns.
CROSSING, BESIDE = math.sqrt(3.0), 1.0
#: Least length of yarn in a stitch, in radii: below it the crossings of a loop no longer fit beside each other.
SHORTEST_LOOP = 26.0
#: Rows that a stitch may be slipped over, one after another.
MOST_SLIPPED = 3


@dataclass(frozen=True)
class Pattern:
    """kind: "weave" or "knit". rows: from the first pick or course on, as texts of one letter a warp yarn or wale: X where
    the warp is over the weft and . where it is under; K for a knit stitch, P for a purl stitch, S for one that is slipped.

    ends, picks: warp yarns and weft yarns per metre, of a weave. stitch: yarn in a stitch [m], of a knit.
    yarns: names, warp then weft; one for both, or of a knit.
    """

    name: str
    kind: str
    rows: tuple[str, ...]
    yarns: tuple[str, ...]
    ends: float = 0.0
    picks: float = 0.0
    stitch: float = 0.0
    about: dict[str, str] = field(default_factory=dict)

    @property
    def mirrored(self) -> bool:
        """True if its mirror image is itself, so that shear to both sides is the same."""
        if self.kind == "knit":
            return True
        turned = [row[::-1] for row in self.rows]
        shifts = [[row[k:] + row[:k] for row in turned] for k in range(len(turned[0]))]
        return any(rows[j:] + rows[:j] == list(self.rows) for rows in shifts for j in range(len(rows)))


def read_pattern(name: str) -> Pattern:
    """The pattern of `presets/patterns/<name>.toml`, or of the file that is named with its ending.

    Raises: PresetError if there is none, or if it cannot be woven or knitted.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    values = read_toml(path, "pattern", sorted(p.stem for p in FOLDER.glob("*.toml")))
    kind = values.get("kind")
    if kind not in ("weave", "knit"):
        raise PresetError(f"{path}: kind is {checks.shown(kind)}; wanted weave or knit. Correct it.")
    numbers = ("ends", "picks") if kind == "weave" else ("stitch",)
    wanted = {"name", "kind", "rows", "yarns", "about", *numbers}
    if set(values) != wanted:
        raise PresetError(
            f"{path}: unknown or missing {', '.join(sorted(set(values) ^ wanted))}; wanted {', '.join(sorted(wanted))}."
        )
    for key in ("rows", "yarns"):
        if not isinstance(values[key], list) or not values[key] or not all(isinstance(t, str) and t for t in values[key]):
            raise PresetError(f"{path}: {key} is {checks.shown(values[key])}; wanted a list of texts. Correct it.")
    if not isinstance(values["about"], dict) or not isinstance(values["name"], str):
        raise PresetError(f"{path}: name wants a text, and about a table of texts. Correct them.")
    spacing = {key: read_number(path, key, values[key]) for key in numbers}
    if len(values["yarns"]) > (2 if kind == "weave" else 1):
        raise PresetError(f"{path}: {len(values['yarns'])} yarns; wanted warp and weft of a weave, one of a knit.")
    about = {key: str(text) for key, text in values["about"].items()}
    pattern = Pattern(values["name"], kind, tuple(values["rows"]), tuple(values["yarns"]), about=about, **spacing)
    check_rows(str(path), pattern)
    return pattern


def check_rows(where: str, pattern: Pattern) -> None:
    """Raises: PresetError if the repeat cannot be woven or knitted; `where` names it."""
    rows = pattern.rows
    widths = {len(row) for row in rows}
    if len(widths) != 1 or max(widths) > MOST or len(rows) > MOST:
        raise PresetError(f"{where}: rows of {sorted(widths)} letters; wanted one length, at most {MOST} rows and letters.")
    wrong = sorted(set("".join(rows)) - set("X." if pattern.kind == "weave" else "KPS"))
    if wrong:
        raise PresetError(
            f"{where}: rows have {', '.join(wrong)}; wanted X (warp over) and . (under) of a weave, K, P and S of a knit."
        )
    if pattern.kind == "weave":
        loose = _loose(rows)
        if loose:
            raise PresetError(
                f"{where}: {loose} can be lifted off the rest of the weave, which falls apart. Let every yarn cross over "
                "and under, so that none lies on top of all others."
            )
        return
    for wale in range(len(rows[0])):
        column = "".join(row[wale] for row in rows)
        slipped = max((len(run) for run in (column + column).replace("P", "K").split("K")), default=0)
        if set(column) == {"S"} or slipped > MOST_SLIPPED:
            raise PresetError(
                f"{where}: wale {wale + 1} slips {min(slipped, len(column))} stitches in a row; wanted at most "
                f"{MOST_SLIPPED}, and a stitch that is knitted. Knit one of them."
            )
    for course, row in enumerate(rows):
        if set(row) == {"S"}:
            raise PresetError(f"{where}: course {course + 1} slips every stitch; wanted one that is knitted. Knit one.")


def _loose(rows: tuple[str, ...]) -> str:
    """Yarns that lie over all others that they cross, as text; empty where the weave hangs together.

    Source: Clapham 1980, "When a fabric hangs together": it does if from each yarn one comes to every other by going from a
    yarn to one that lies over it.
    """
    picks, ends = len(rows), len(rows[0])
    names = [f"weft {j + 1}" for j in range(picks)] + [f"warp {i + 1}" for i in range(ends)]
    over = {v: set[int]() for v in range(picks + ends)}
    for j, row in enumerate(rows):
        for i, letter in enumerate(row):
            over[j if letter == "X" else picks + i].add(picks + i if letter == "X" else j)
    for start in over:
        seen, queue = {start}, [start]
        for v in queue:
            queue += over[v] - seen
            seen |= over[v]
        if len(seen) < len(over):
            return ", ".join(names[v] for v in sorted(seen))
    return ""


def check_fit(where: str, pattern: Pattern, yarns: tuple[Yarn, Yarn]) -> None:
    """Raises: PresetError if the yarns (warp, weft) are too thick to lie as close as the pattern wants them."""
    thick = yarns[0].radius + yarns[1].radius
    if pattern.kind == "knit":
        least = SHORTEST_LOOP * yarns[0].radius
        if pattern.stitch < least:
            raise PresetError(
                f"{where}: {pattern.stitch:.2e} m of yarn in a stitch; wanted at least {least:.2e} m of a yarn of radius "
                f"{yarns[0].radius:.2e} m. Take more yarn a stitch or a thinner yarn."
            )
        return
    columns = ["".join(row[i] for row in pattern.rows) for i in range(len(pattern.rows[0]))]
    for what, lines, per_metre in (("ends", pattern.rows, pattern.ends), ("picks", columns, pattern.picks)):
        changes = max(sum(a != b for a, b in zip(line, line[1:] + line[0], strict=True)) / len(line) for line in lines)
        least = thick * (CROSSING * changes + BESIDE * (1.0 - changes))
        if per_metre * least > 1.0:
            raise PresetError(
                f"{where}: {per_metre:.0f} {what} per metre; wanted at most {1.0 / least:.0f} of yarns of radius "
                f"{yarns[0].radius:.2e} and {yarns[1].radius:.2e} m. Take fewer or thinner yarns."
            )
