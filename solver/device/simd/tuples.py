"""Conversion between numbers of one lane and tuples: from the arrays of a loop to the functions of one element, and back.

How many numbers an energy has is a constant of its file, so each tuple has a fixed length, which plain Numba cannot build
from an array. Single loads and stores, which LLVM joins to vectors over the lanes; they only move bits.
"""

from llvmlite import ir
from numba import types
from numba.core import errors, imputils

from ..cpu import LANES
from . import intrinsic
from .table import scope

#: Numbers of a corner in the lanes: three coordinates and h^2 / mass.
ROW = 4


def _count(count):
    if not isinstance(count, types.IntegerLiteral):
        raise errors.TypingError(f"how many numbers a tuple has must be a constant, not {count}")
    return count.literal_value


def _data(context, builder, signature, arguments):
    """Pointer to an array's first number."""
    return context.make_array(signature.args[0])(context, builder, arguments[0]).data


def _at(context, builder, signature, arguments):
    """The second argument as a 64-bit index."""
    return context.cast(builder, arguments[1], signature.args[1], types.int64)


def _store(builder, value, pointer):
    """Lanes and numbers of elements are never part of a table (`table.py`)."""
    builder.store(value, pointer).set_metadata("noalias", scope(builder))


def _load(builder, pointer):
    number = builder.load(pointer)
    number.set_metadata("noalias", scope(builder))
    return number


def _pointer(builder, data, start, offset):
    return builder.gep(data, [builder.add(start, ir.Constant(ir.IntType(64), offset))])


@intrinsic(prefer_literal=True)
def numbers(typing, row, lane, count):
    """(row[lane], row[16 + lane], ...): `count` numbers of one lane. row: one dimension, contiguous."""
    returns = types.UniTuple(row.dtype, _count(count))

    def build(context, builder, signature, arguments):
        data, start = _data(context, builder, signature, arguments), _at(context, builder, signature, arguments)
        values = [_load(builder, _pointer(builder, data, start, k * LANES)) for k in range(returns.count)]
        return context.make_tuple(builder, returns, values)

    return returns(row, lane, count), build


@intrinsic(prefer_literal=True)
def first_numbers(typing, row, start, count):
    """(row[start], row[start + 1], ...): `count` numbers. Of a count of 0 the row itself: a table, for `look_up`."""
    if _count(count) == 0:
        return row(row, start, count), lambda context, builder, signature, arguments: imputils.impl_ret_borrowed(
            context, builder, row, arguments[0]
        )
    returns = types.UniTuple(row.dtype, _count(count))

    def build(context, builder, signature, arguments):
        data, first = _data(context, builder, signature, arguments), _at(context, builder, signature, arguments)
        values = [builder.load(_pointer(builder, data, first, k)) for k in range(returns.count)]
        return context.make_tuple(builder, returns, values)

    return returns(row, start, count), build


@intrinsic(prefer_literal=True)
def ones_where(typing, row, which, lane, count):
    """1 where which[lane] is 0, 1, ... and 0 elsewhere: `count` numbers of the type of `row`, chosen without a branch."""
    returns = types.UniTuple(row.dtype, _count(count))

    def build(context, builder, signature, arguments):
        data = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        lane = context.cast(builder, arguments[2], signature.args[2], types.int64)
        number = builder.load(builder.gep(data, [lane]))
        one, zero = (context.get_constant(row.dtype, value) for value in (1, 0))
        equal = [builder.icmp_signed("==", number, ir.Constant(number.type, k)) for k in range(returns.count)]
        return context.make_tuple(builder, returns, [builder.select(e, one, zero) for e in equal])

    return returns(row, which, lane, count), build


@intrinsic
def put_numbers(typing, row, lane, values):
    """row[16 k + lane] = values[k]."""

    def build(context, builder, signature, arguments):
        data, start = _data(context, builder, signature, arguments), _at(context, builder, signature, arguments)
        source, target = signature.args[2], signature.args[0].dtype
        for k in range(len(source)):
            value = context.cast(builder, builder.extract_value(arguments[2], k), source[k], target)
            _store(builder, value, _pointer(builder, data, start, k * LANES))
        return context.get_dummy_value()

    return types.void(row, lane, values), build


@intrinsic(prefer_literal=True)
def corners_of(typing, lanes, lane, count):
    """Positions of the `count` corners of one lane, gathered by `lanes.gather`: a tuple of tuples of three."""
    position = types.UniTuple(lanes.dtype, 3)
    returns = types.UniTuple(position, _count(count))

    def build(context, builder, signature, arguments):
        data, start = _data(context, builder, signature, arguments), _at(context, builder, signature, arguments)
        corners = []
        for number in range(returns.count):
            base = number * ROW
            values = [_load(builder, _pointer(builder, data, start, (base + k) * LANES)) for k in range(3)]
            corners.append(context.make_tuple(builder, position, values))
        return context.make_tuple(builder, returns, corners)

    return returns(lanes, lane, count), build


@intrinsic(prefer_literal=True)
def weights_of(typing, lanes, lane, count):
    """h^2 / mass of the `count` corners of one lane."""
    returns = types.UniTuple(lanes.dtype, _count(count))

    def build(context, builder, signature, arguments):
        data, start = _data(context, builder, signature, arguments), _at(context, builder, signature, arguments)
        places = [(number * ROW + 3) * LANES for number in range(returns.count)]
        return context.make_tuple(builder, returns, [_load(builder, _pointer(builder, data, start, p)) for p in places])

    return returns(lanes, lane, count), build


@intrinsic
def put_corners(typing, lanes, lane, corners):
    """Overwrite the positions of all corners of one lane."""

    def build(context, builder, signature, arguments):
        data, start = _data(context, builder, signature, arguments), _at(context, builder, signature, arguments)
        source, target = signature.args[2], signature.args[0].dtype
        for number in range(len(source)):
            corner = builder.extract_value(arguments[2], number)
            for k in range(3):
                value = context.cast(builder, builder.extract_value(corner, k), source[number][k], target)
                _store(builder, value, _pointer(builder, data, start, (number * ROW + k) * LANES))
        return context.get_dummy_value()

    return types.void(lanes, lane, corners), build


@intrinsic
def put_scaled_corners(typing, lanes, lane, factors, corners):
    """As `put_corners`, each corner times its factor."""

    def build(context, builder, signature, arguments):
        data, start = _data(context, builder, signature, arguments), _at(context, builder, signature, arguments)
        for number in range(len(signature.args[3])):
            factor, corner = (builder.extract_value(arguments[k], number) for k in (2, 3))
            for k in range(3):
                value = builder.fmul(factor, builder.extract_value(corner, k))
                _store(builder, value, _pointer(builder, data, start, (number * ROW + k) * LANES))
        return context.get_dummy_value()

    if any(number != lanes.dtype for number in (*factors, *(number for corner in corners for number in corner))):
        raise errors.TypingError(f"factors and corners must be of the lanes' type, {lanes.dtype}")
    return types.void(lanes, lane, factors, corners), build


@intrinsic
def put_nested(typing, row, lane, nested):
    """row[16 k + lane] = the k-th number of tuples in tuples, in reading order."""

    def build(context, builder, signature, arguments):
        data, start = _data(context, builder, signature, arguments), _at(context, builder, signature, arguments)
        target = signature.args[0].dtype
        for k, (value, kind) in enumerate(_leaves(builder, arguments[2], signature.args[2])):
            builder.store(context.cast(builder, value, kind, target), _pointer(builder, data, start, k * LANES))
        return context.get_dummy_value()

    return types.void(row, lane, nested), build


def _leaves(builder, value, kind):
    """The numbers of a tuple of tuples, each with its type."""
    if not isinstance(kind, types.BaseTuple):
        return [(value, kind)]
    parts = [_leaves(builder, builder.extract_value(value, k), kind[k]) for k in range(len(kind))]
    return [leaf for part in parts for leaf in part]
