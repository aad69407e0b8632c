"""Counts of a frame's clamped particles."""

import numpy as np

from solver.contact.gpu.counts import LET_GO, OfParticles, count_clamped


def test_a_vertex_that_suffices_is_counted_where_it_stalls():
    """Five vertices and a collider's: two stall, and one of these is of a sheet with limits."""
    level, clamped, stalled, suffices = np.array(
        [[0, 1, 2, 0, 0, 1], [0, 1, 1, 3, 0, 0], [0, 1, 0, 2, 0, 0], [1, 0, 1, 1, 0, 0]], np.int32
    )
    sums = np.zeros((2, LET_GO.width))
    count_clamped.serial(len(sums), OfParticles(level, clamped[:5], stalled[:5], suffices[:5], sums))
    last, ever, stalls, alone = sums.sum(0)[[LET_GO.last, LET_GO.ever, LET_GO.stalled, LET_GO.suffice]]
    assert (last, ever, stalls, alone) == (3, 3, 2, 1)
