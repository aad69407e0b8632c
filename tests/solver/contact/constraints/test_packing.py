"""Packs of contacts: contacts projected at once have no vertex in common."""

import numpy as np
import pytest

from solver.contact.constraints import pairs
from solver.contact.constraints.packing import packed
from solver.contact.constraints.tables import PAIR, PairTable, by_contact
from solver.device import threads
from solver.device.cpu import LANES

#: Vertices from here on are moved by no force.
FIXED = 1600


def contacts(count, hub=False):
    """Candidates' corners, one of four of which no force moves, and the weights of all; of a hub one is in all."""
    rng = np.random.default_rng(4)
    corners = rng.integers(0, FIXED // 4, (count, 4)) + FIXED // 4 * np.arange(4)
    corners[:, 3] += FIXED * (rng.uniform(size=count) < 0.25)
    if hub:
        corners[:, 0] = 7
    x0 = np.zeros((2 * FIXED, 4), np.float32)
    x0[:FIXED, 3] = 1e-3
    return corners.astype(np.int32), x0


@pytest.mark.parametrize("hub", [False, True])
def test_contacts_of_a_colour_move_no_vertex_in_common(hub):
    """Exact. With a hub each contact is of a colour of its own, and more than one mask of bits is needed."""
    corners, x0 = contacts(200 if hub else 3000, hub)
    packing = packed(np.arange(len(corners)), corners, x0)
    assert len(set(packing.place)) == len(corners)
    assert packing.filled.sum() == len(corners)
    assert (packing.place % LANES < packing.filled[packing.place // LANES]).all()
    assert packing.clusters[packing.colours[-1]] == len(packing.filled)
    pack_of = packing.place // LANES
    colours = np.searchsorted(packing.clusters[packing.colours[1:-1]], pack_of, side="right")
    last = len(packing.colours) - 2  # what one thread sweeps pack by pack
    for group, which in ((pack_of, pack_of >= 0), (colours, colours < last)):
        for number in np.unique(group[which]):
            own = corners[group == number]
            moved = [np.unique(row[row < FIXED]) for row in own]
            assert len(np.unique(np.concatenate(moved))) == sum(map(len, moved))
    assert hub == (last == 0)


def test_a_sweep_has_the_same_bits_for_any_number_of_threads_and_calls():
    """Exact: four sweeps one by one, and as many at once as it takes to miss the targets by no more."""
    corners, x0 = contacts(6000)
    packing, rng = packed(np.arange(len(corners)), corners, x0), np.random.default_rng(5)
    packs, found = len(packing.filled), []
    rows = np.zeros((packs * LANES, PAIR.width), np.float32)
    own = np.where(corners < FIXED, corners, corners[:, :1])
    rows[packing.place, PAIR.normal : PAIR.normal + 3] = np.eye(3)[rng.integers(0, 3, len(corners))]
    rows[packing.place, PAIR.weight : PAIR.weight + 4] = [0.5, 0.5, -0.5, -0.5] * (corners < FIXED)
    rows[packing.place, PAIR.gap] = rng.uniform(-1e-3, 1e-3, len(corners))
    rows[packing.place, PAIR.effective_mass], rows[:, PAIR.friction] = 1e3, 0.3
    ends = np.zeros((packs * LANES, 4), np.int32)
    ends[packing.place] = own
    for pack, count in enumerate(packing.filled):
        ends[pack * LANES + count : (pack + 1) * LANES] = ends[pack * LANES]
    before, tolerance = threads.thread_count(), 0.0
    try:
        for count, at_once in ((1, False), (2, False), (1, True), (2, True)):
            threads.set_threads(count)
            table = PairTable(
                np.empty((packs, 4 * LANES), np.int32), np.empty((packs, PAIR.width * LANES), np.float32), ends
            )
            by_contact(table.corners)[...] = ends.reshape(packs, LANES, 4)
            by_contact(table.packs)[...] = rows.reshape(packs, LANES, PAIR.width)
            x = x0.copy()
            if at_once:
                missed = [pairs.sweep(table, packing, x0, x, most=9, tolerance=tolerance)]
            else:
                missed = [pairs.sweep(table, packing, x0, x) for _ in range(4)]
                tolerance = missed[3] * (1 + 1e-6)  # what the fourth sweep misses is the first to be less
                assert min(missed[:3]) > tolerance
            found.append([x, table.packs, np.array(missed[-1])])
    finally:
        threads.set_threads(before)
    assert (found[0][0] != x0).any() and found[0][2] > 0
    for other in found[1:]:
        for one, alike in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, alike)
