"""The loops over packs of 16 elements or vertices, on the CPU: patterns that are written once for all visits and energies.

    add_up          coloured clusters of packs, with a sum: energies, gradients, strains, states
    sweep_clusters  coloured clusters of packs, in place: elements of one colour's clusters share no vertex
    sweep_rounds    the same, again and again
    sweep_packs     coloured packs, in place: packs of one colour do not read the rows that others move

A visit is the work at one pack (`methods/visits/`): a function of the pack's number, a tuple `args` of arrays and
numbers, which has `rest` among its fields, and work space of the type of `rest`. Another device has a file like this one,
with loops of the same names, and the visits and energies are the same.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Protocol

import numpy as np

from .atomics import add_atomically, read_atomically, wait_for_change, wait_for_count
from .cpu import LANES
from .cuda.array import Array
from .per_energy import GIVEN, VISIT, Visit, per_visit
from .threads import PATIENCE, share, thread_count
from .uncounted import inline, uncounted_kernel

visit = VISIT
end_round: Any = GIVEN

#: Packs of elements, and of vertices, from which a second thread pays: about 20 us of work.
FEW, FEW_OF_VERTICES = 64, 8


class PackArguments(Protocol):
    """Arguments of a visit. rest: numbers of each pack, (packs, numbers)."""

    @property
    def rest(self) -> Array: ...


def add_up(
    do: Visit, energy: ModuleType, colours: np.ndarray, clusters: np.ndarray, args: PackArguments, **instead: str
) -> float:
    """Sum of total = visit(pack, given, work, total), from 0.0 on in each cluster, for every pack; clusters of one colour at
    once, packs of a cluster in their order.

    colours, clusters: see `sweep_clusters`. instead: for a name that the energy gives, another of its names to take. Raises:
    NotImplementedError if the energy lacks what the visit needs.
    """
    threads = thread_count() if len(args.rest) >= FEW else 1
    progress, totals = np.zeros((len(colours) - 1, threads + 1), np.int64), np.zeros(len(clusters) - 1)
    work = _work(do, energy, args, threads)
    share(_add_up(do, energy, **instead), work, progress, colours, clusters, args, totals)
    return float(totals.sum())


def one_cluster(packs: int) -> tuple[np.ndarray, np.ndarray]:
    """Colours and clusters of packs that are done one after the other."""
    return np.array([0, 1]), np.array([0, packs])


def sweep_clusters(
    do: Visit, energy: ModuleType, colours: np.ndarray, clusters: np.ndarray, args: PackArguments, **instead: str
) -> None:
    """visit(pack, given, work) for every pack; clusters of one colour at once, packs of a cluster in their order.

    colours: first cluster of each colour and the end. clusters: first pack of each cluster and the end. Others: `add_up`.
    """
    threads = thread_count() if len(args.rest) >= FEW else 1
    progress = np.zeros((len(colours) - 1, threads + 1), np.int64)
    work = _work(do, energy, args, threads)
    share(_sweep_clusters(do, energy, **instead), work, progress, colours, clusters, args)


def sweep_rounds(
    do: Visit, energy: ModuleType, colours: np.ndarray, clusters: np.ndarray, args: PackArguments, rounds: int
) -> None:
    """As `sweep_clusters`, so many times at most: while end_round(given) of the energy, at the end of each, returns true.

    Raises: NotImplementedError if the energy lacks what the visit needs.
    """
    threads = thread_count() if len(args.rest) >= FEW else 1
    progress = np.zeros((rounds * len(colours), threads + 1), np.int64)
    share(_sweep_rounds(do, energy), _work(do, energy, args, threads), progress, colours, clusters, args, rounds)


def sweep_packs(do: Visit, energy: ModuleType, colours: np.ndarray, args: PackArguments, **instead: str) -> None:
    """visit(pack, given, work) for every pack; packs of one colour at once.

    colours: first pack of each colour and the end. Others: `add_up`.
    """
    threads = thread_count() if colours[-1] - colours[0] >= FEW_OF_VERTICES else 1
    progress = np.zeros((len(colours) - 1, threads + 1), np.int64)
    share(_sweep_packs(do, energy, **instead), _work(do, energy, args, threads), progress, colours, args)


def _work(do: Visit, energy: ModuleType, args: PackArguments, threads: int) -> list[tuple[np.ndarray, ...]]:
    """Work space of each thread. Arrays of their own: loops over lanes of two parts of one are not vectorised."""
    counts, dtype = do.numbers(energy), args.rest.dtype
    return [tuple([np.empty(count * LANES, dtype) for count in counts]) for _ in range(threads)]


@per_visit(inline)
def sweep_colour(thread, threads, work, counts, colours, clusters, args, colour):
    """Sweep the clusters of one colour, and wait until all are done. counts: see `_sweep_clusters`, of the colour."""
    for k in range(threads):
        # Its own share first, in every sweep the same, so that it finds the clusters in its cache; then the others'.
        of = (thread + k) % threads
        first, last = share_of(colours[colour], colours[colour + 1], of, threads)
        cluster = first + add_atomically(counts, of, 1)
        while cluster < last:
            for pack in range(clusters[cluster], clusters[cluster + 1]):
                visit(pack, args, work)
            add_atomically(counts, threads, 1)
            cluster = first + add_atomically(counts, of, 1)
    wait_for_count(counts, threads, colours[colour + 1] - colours[colour])


@per_visit(uncounted_kernel)
def _add_up(thread, threads, known, begun, work, progress, colours, clusters, args, totals):
    """As `_sweep_clusters`. Written: totals, of each cluster."""
    if threads > 1 and thread == 0:
        add_atomically(begun, 0, 1)
    for colour in range(len(colours) - 1):
        counts = progress[colour]
        for k in range(threads):
            of = (thread + k) % threads
            first, last = share_of(colours[colour], colours[colour + 1], of, threads)
            cluster = first + add_atomically(counts, of, 1)
            while cluster < last:
                total = 0.0
                for pack in range(clusters[cluster], clusters[cluster + 1]):
                    total = visit(pack, args, work, total)
                totals[cluster] = total
                add_atomically(counts, threads, 1)
                cluster = first + add_atomically(counts, of, 1)
        wait_for_count(counts, threads, colours[colour + 1] - colours[colour])
    return wait_for_change(begun, 0, known, PATIENCE) if thread > 0 else known


@per_visit(uncounted_kernel)
def _sweep_clusters(thread, threads, known, begun, work, progress, colours, clusters, args):
    """Sweep clusters as a job of `threads.share`. progress: clusters that were claimed of each thread's share of each
    colour, and those of the colour that are done, (colours, threads + 1), zeros at first."""
    if threads > 1 and thread == 0:
        add_atomically(begun, 0, 1)
    for colour in range(len(colours) - 1):
        sweep_colour(thread, threads, work, progress[colour], colours, clusters, args, colour)
    return wait_for_change(begun, 0, known, PATIENCE) if thread > 0 else known


@per_visit(uncounted_kernel)
def _sweep_rounds(thread, threads, known, begun, work, progress, colours, clusters, args, rounds):
    """As `_sweep_clusters`, `rounds` times at most. progress: as there for each round, and one row more, for the thread that
    ends the round, which adds 2 to its last column to continue, 1 to stop."""
    if threads > 1 and thread == 0:
        add_atomically(begun, 0, 1)
    stages = len(colours)
    for number in range(rounds):
        for colour in range(stages - 1):
            sweep_colour(thread, threads, work, progress[number * stages + colour], colours, clusters, args, colour)
        counts = progress[number * stages + stages - 1]
        if add_atomically(counts, 0, 1) == 0:
            add_atomically(counts, threads, 2 if end_round(args) else 1)
        wait_for_count(counts, threads, 1)
        if read_atomically(counts, threads) < 2:
            break
    return wait_for_change(begun, 0, known, PATIENCE) if thread > 0 else known


@per_visit(uncounted_kernel)
def _sweep_packs(thread, threads, known, begun, work, progress, colours, args):
    """The same where each cluster is one pack."""
    if threads > 1 and thread == 0:
        add_atomically(begun, 0, 1)
    for colour in range(len(colours) - 1):
        counts = progress[colour]
        for k in range(threads):
            of = (thread + k) % threads
            first, last = share_of(colours[colour], colours[colour + 1], of, threads)
            pack = first + add_atomically(counts, of, 1)
            while pack < last:
                visit(pack, args, work)
                add_atomically(counts, threads, 1)
                pack = first + add_atomically(counts, of, 1)
        wait_for_count(counts, threads, colours[colour + 1] - colours[colour])
    return wait_for_change(begun, 0, known, PATIENCE) if thread > 0 else known


@inline
def share_of(first, last, thread, threads):
    """The thread's part of first, first + 1, ... last - 1."""
    return first + (last - first) * thread // threads, first + (last - first) * (thread + 1) // threads
