"""Reasons for a frame on the CPU where the settings have another device."""

from __future__ import annotations

from enum import StrEnum


class CpuReason(StrEnum):
    """The value is the text in `Report.fallback`; NONE where the device computes the frame."""

    NONE = ""
    # of all frames of a simulation
    METHOD = "a method without sweeps on a device"
    PRECISION = "double precision"
    TOLERANCE = "a tolerance"
    LOCAL_ITERATIONS = "local iterations"
    ROPES = "ropes"
    RIGID_TIES = "ties to rigid bodies"
    SHAPE_MATCHING = "shape-matched bodies"
    TEARING = "cloth that tears, seams or pins with a strength"
    CHANGING_ELEMENTS = "elements that change"
    SHAPES = "colliders that are shapes"
    BOARDS = "Keep Length of boards that may touch each other"
    MEMORY = "the device's memory"
    # of a frame, before it
    REFERENCE = "a frame of reference"
    GRAB = "a grab"
    INVERTED = "a solid with inverted elements"
    INTERSECTIONS = "surfaces that pass through each other"
    # of a frame, found at its end: the CPU repeats it
    ROOM = "more pairs than there was room for"
    NOT_APART = "pairs that could not be kept apart"
    STALLED = "surfaces that stall"


def first_of(reasons: dict[CpuReason, bool]) -> CpuReason:
    """Return the first reason that holds."""
    return next((reason for reason, holds in reasons.items() if holds), CpuReason.NONE)
