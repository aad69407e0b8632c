"""Round things, turned from a profile: the pole, the table and the ball of the demo scenes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy

from . import stage


def lathe(name: str, profile: Sequence[tuple[float, float]], segments: int, smooth: bool = True) -> bpy.types.Mesh:
    """A closed surface of revolution about z. profile: (radius, z) [m] from the bottom up; its ends are closed."""
    ring = [(math.cos(2 * math.pi * k / segments), math.sin(2 * math.pi * k / segments)) for k in range(segments)]
    vertices = [(r * c, r * s, z) for r, z in profile for c, s in ring]
    following = [(k + 1) % segments for k in range(segments)]
    faces = []
    for below in range(0, (len(profile) - 1) * segments, segments):
        above = below + segments
        faces += [(below + k, below + following[k], above + following[k], above + k) for k in range(segments)]
    top = (len(profile) - 1) * segments
    bottom_centre, top_centre = len(vertices), len(vertices) + 1
    vertices += [(0.0, 0.0, profile[0][1]), (0.0, 0.0, profile[-1][1])]
    faces += [(bottom_centre, following[k], k) for k in range(segments)]
    faces += [(top_centre, top + k, top + following[k]) for k in range(segments)]
    return stage.mesh(name, vertices, faces, smooth)


def rounded(radius: float, low: float, high: float, bevel: float, steps: int = 4) -> list[tuple[float, float]]:
    """The profile of a disc or rod with rounded rims [m]."""
    angles = [0.5 * math.pi * k / steps for k in range(steps + 1)]
    below = [(radius - bevel * (1 - math.sin(t)), low + bevel * (1 - math.cos(t))) for t in angles]
    return below + [(r, low + high - z) for r, z in reversed(below)]


def ball(name: str, radius: float, segments: int = 48) -> bpy.types.Mesh:
    """A sphere about the origin [m]."""
    rings = segments // 2
    angles = [math.pi * k / rings for k in range(1, rings)]
    return lathe(name, [(radius * math.sin(t), -radius * math.cos(t)) for t in angles], segments)
