"""Atomic counters and waiting, for kernels with shared work.

Numba has atomic operations for GPUs only; these are LLVM's for the CPU. All are sequentially consistent: a thread that reads
a count sees all writes before that count.
"""

from __future__ import annotations

import ctypes
import os

import llvmlite.binding
from llvmlite import ir
from numba import types

from .simd import intrinsic
from .uncounted import inline

_YIELD = "gpbd_yield_thread"
_function = ctypes.CDLL("kernel32").SwitchToThread if os.name == "nt" else ctypes.CDLL(None).sched_yield
_address = ctypes.cast(_function, ctypes.c_void_p).value
assert _address is not None, "the operating system has no way to yield"
llvmlite.binding.add_symbol(_YIELD, _address)

#: Reads of a count before a thread yields its processor between two reads: about a microsecond.
SPINS = 1000


def _pointer(context, builder: ir.IRBuilder, signature, arguments):
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.gep(data, [context.cast(builder, arguments[1], signature.args[1], types.int64)])


@intrinsic
def add_atomically(typing, counts, index, amount):
    """counts[index] += amount; returns the value before. counts: (n,) int64."""

    def build(context, builder, signature, arguments):
        value = context.cast(builder, arguments[2], signature.args[2], types.int64)
        return builder.atomic_rmw("add", _pointer(context, builder, signature, arguments), value, "seq_cst")

    return types.int64(counts, index, amount), build


@intrinsic
def read_atomically(typing, counts, index):
    """Atomic load of counts[index]. counts: (n,) int64."""

    def build(context, builder, signature, arguments):
        return builder.load_atomic(_pointer(context, builder, signature, arguments), "seq_cst", 8)

    return types.int64(counts, index), build


@intrinsic
def yield_processor(typing):
    """Let another thread run, if one waits for this processor."""

    def build(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(32), [])
        function = builder.module.globals.get(_YIELD) or ir.Function(builder.module, kind, _YIELD)
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), build


#: Of the counts of a stage of work that threads share: pieces that are claimed, and pieces that are done.
CLAIMED, DONE = 0, 1
#: Bits of the number of pieces that are claimed from the first one on; those above count the pieces from the last one on.
BITS = 32


@inline
def claim(counts, thread, pieces):
    """Claim one of the pieces 0, 1, ... of a stage; returns -1 where all are claimed.

    Even threads claim from the first one on, odd ones from the last one on: so each has about the same pieces in all stages
    of a job, whose data are in its processor's cache.
    """
    if thread & 1:
        before = add_atomically(counts, CLAIMED, 1 << BITS)
        piece = pieces - 1 - (before >> BITS)
    else:
        before = add_atomically(counts, CLAIMED, 1)
        piece = before & ((1 << BITS) - 1)
    return piece if (before & ((1 << BITS) - 1)) + (before >> BITS) < pieces else -1


@inline
def finish(counts, done, pieces):
    """Count the pieces that this thread has done, and wait until all are."""
    add_atomically(counts, DONE, done)
    wait_for_count(counts, DONE, pieces)


@inline
def wait_for_count(counts, index, wanted):
    """Wait until counts[index] is `wanted` or more."""
    looks = 0
    while read_atomically(counts, index) < wanted:
        looks += 1
        if looks > SPINS:
            yield_processor()


@inline
def wait_for_change(counts, index, known, yields):
    """Wait until counts[index] is not `known`, with a limited number of yields of the processor."""
    for _ in range(yields):
        now = read_atomically(counts, index)
        if now != known:
            return now
        yield_processor()
    return read_atomically(counts, index)
