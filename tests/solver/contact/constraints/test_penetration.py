"""Penetration recovery from one-sided colliders: what passes through an open surface comes out on its front."""

from __future__ import annotations

import numpy as np
import pytest

from tests.solver.contact.worlds import World, grid

R = 0.005


def leaning(depth: float, flip: bool = False) -> World:
    """A sheet that cuts through an open wall at a slant, two thirds of it behind the wall, without gravity."""
    x, triangles = grid(9, 9, 0.2)
    x = np.c_[x[:, 0], x[:, 1], 0.5 * x[:, 0] - 0.017]
    v, t = grid(9, 9, 0.6)
    return World(
        x, triangles, [(v, t[:, ::-1] if flip else t)], r=R, springs=True, gravity=(0, 0, 0), depth=depth, iterations=4
    )


@pytest.mark.parametrize("flip", [False, True])
def test_all_that_passed_through_comes_out_on_the_front(flip):
    """67 mm and the 5 mm kept at 0.5 m/s take 69 substeps. The way out spreads from the crossing outwards, and how long the
    last vertices wait depends on rounding: of 12 runs that differ by 1 um, all are out after 240. All end at 0.9 of the
    contact distance, or more."""
    world = leaning(0.2, flip)
    assert (world.x[:, 2] < 0).sum() > 50
    x = world.step(320)
    front = -x[:, 2] if flip else x[:, 2]
    assert front.min() > 0.9 * R
    assert world.contact.results.statistics().intersections == 0
    assert (world.contact.constraints.penetration.enclosing == 0).all()


def test_deeper_than_the_depth_nothing_is_led_out():
    """At 20 mm of 67, and 1 mm of motion: what lies deeper stays behind as long as its neighbours do."""
    world = leaning(0.02)
    world.step(1)
    behind = world.contact.constraints.penetration.enclosing > 0
    assert world.x[behind, 2].min() > -0.021


def test_what_does_not_pass_through_is_held_on_either_side():
    """A vertex below a one-sided floor, 30 mm within its depth, that flies up against it stays below, at the distance kept
    to 0.1 mm."""
    v, t = grid(9, 9, 0.6)
    world = World([[0.01, 0.02, -0.03]], colliders=[(v, t)], r=R, depth=0.2, gravity=(0, 0, 0), velocity=(0, 0, 1))
    assert world.step(60)[0, 2] == pytest.approx(-R, abs=1e-4)
