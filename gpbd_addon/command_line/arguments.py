"""Options that several commands share."""

from __future__ import annotations

import argparse
import re

from .overrides import Override

#: Blender's last frame; its first one is the negative of it.
LAST_FRAME = 1048574


def add_frames(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--frames", type=frames, metavar="A-B", help=text)


def add_objects(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--objects", type=names, metavar="A,B", help="only these bodies")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add options for settings that differ from the file for this command; `overrides` collects them."""
    parser.add_argument("--threads", metavar="N", help="processor cores; 0 takes all")
    parser.add_argument("--device", metavar="NAME", help="what computes: cpu, cuda, cuda:1 for the second GPU, or auto")
    parser.add_argument("--quality", metavar="NAME", help="interactive, draft, production, reference or adaptive")
    parser.add_argument(
        "--set",
        type=override,
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="a setting, such as scene.substeps=24, Flag.friction=0.2 or *.preset=denim; can be given several times",
    )


def overrides(options: argparse.Namespace) -> list[Override]:
    """In the order in which they are applied: a single number goes before the quality that sets it."""
    device, _, index = (options.device or "").partition(":")
    number = str(int(index) + 1) if index.isdecimal() else index or None
    devices = ("scene.device", device or None), ("scene.gpu", number)
    shorthand = (("scene.threads", options.threads), *devices, ("scene.quality", options.quality))
    return [Override(path, value) for path, value in shorthand if value is not None] + options.set


def frames(text: str) -> tuple[int, int]:
    """First and last frame."""
    match = re.fullmatch(r"(-?\d{1,9})-(-?\d{1,9})", text, re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no range of frames; wanted for example 1-120")
    first, last = int(match[1]), int(match[2])
    if max(abs(first), abs(last)) > LAST_FRAME:
        raise argparse.ArgumentTypeError(f"'{text}' is beyond Blender's frames, {-LAST_FRAME} to {LAST_FRAME}")
    return first, last


def frame(text: str) -> int:
    """One frame of the scene."""
    if not re.fullmatch(r"-?\d{1,7}", text, re.ASCII) or abs(int(text)) > LAST_FRAME:
        raise argparse.ArgumentTypeError(f"'{text}' is no frame; wanted a whole number from {-LAST_FRAME} to {LAST_FRAME}")
    return int(text)


def names(text: str) -> list[str]:
    """Separated by commas."""
    parts = text.split(",")
    if not all(parts):
        raise argparse.ArgumentTypeError(f"'{text}' has an empty name; wanted for example Flag,Cape")
    return parts


def override(text: str) -> Override:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise argparse.ArgumentTypeError(f"'{text}' sets nothing; wanted PATH=VALUE, for example scene.substeps=24")
    return Override(path.strip(), value.strip())


def path(text: str) -> str:
    """Parse the path of a file or folder."""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"{text!r} is no path")
    return text


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not re.fullmatch(r"[1-9]\d{0,3}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"'{text}' is no number of these; wanted 1 to 9999")
    return int(text)
