"""Sums over 3x3 blocks and rows of three, a column or a row at a time in one vector, for products and factors of matrices.

A block is nine numbers, column by column. Written as LLVM instructions, because its optimiser finds no vectors in blocks of
three; one number at a time took three times as long.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils, errors

from . import intrinsic

BLOCK = 9
INDEX = ir.IntType(64)


def _check_contiguous(*arrays):
    """Rows are found by their number alone: an array of another layout would be misread."""
    for array in arrays:
        if array.layout != "C":
            raise errors.TypingError(f"{array}; wanted a contiguous array, row by row: np.ascontiguousarray makes one")


def _order(values):
    return ir.Constant(ir.VectorType(ir.IntType(32), len(values)), list(values))


class _Arrays:
    """Reads numbers, and columns of blocks, of a kernel's arrays."""

    def __init__(self, context, builder, signature, arguments):
        self.context, self.builder, self.signature, self.arguments = context, builder, signature, arguments

    def data(self, k):
        return self.context.make_array(self.signature.args[k])(self.context, self.builder, self.arguments[k]).data

    def index(self, k):
        return self.context.cast(self.builder, self.arguments[k], self.signature.args[k], types.int64)

    def entry(self, k, place):
        """The whole number at a place of the one-dimensional array k, as a 64-bit index."""
        number = self.builder.load(self.builder.gep(self.data(k), [place]))
        return self.context.cast(self.builder, number, self.signature.args[k].dtype, types.int64)

    def number(self, data, start, offset):
        return self.builder.load(self.builder.gep(data, [self.builder.add(start, INDEX(offset))]))

    def columns(self, data, block, size):
        """Three vectors of four, of which the fourth number means nothing. No number beyond the block is read."""
        builder = self.builder
        start = builder.mul(block, INDEX(BLOCK))
        vector = ir.VectorType(data.type.pointee, 4)

        def load(offset):
            place = builder.gep(data, [builder.add(start, INDEX(offset))])
            return builder.load(builder.bitcast(place, vector.as_pointer()), align=size)

        last = load(5)
        moved = builder.shuffle_vector(last, last, _order((1, 2, 3, 3)))
        return [load(0), load(3), moved]

    def three(self, k, row, number_type):
        """The three numbers of a row of the array k, as numbers of a type that is no wider. No number beyond is read."""
        builder, data = self.builder, self.data(k)
        size, vector = self.signature.args[k].dtype.bitwidth // 8, ir.VectorType(data.type.pointee, 3)
        place = builder.gep(data, [builder.mul(row, INDEX(3))])
        lanes = builder.load(builder.bitcast(place, vector.as_pointer()), align=size)
        return lanes if data.type.pointee == number_type else builder.fptrunc(lanes, ir.VectorType(number_type, 3))

    def splat(self, number, width=4):
        builder = self.builder
        vector = ir.VectorType(number.type, width)
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.IntType(32)(0))
        return builder.shuffle_vector(one, one, _order((0,) * width))

    def sums(self, number_type, count, width=4):
        """Vectors in memory that LLVM keeps in registers, zero at first."""
        vector = ir.VectorType(number_type, width)
        places = [cgutils.alloca_once(self.builder, vector) for _ in range(count)]
        for place in places:
            self.builder.store(ir.Constant(vector, [0.0] * width), place)
        return places

    def add(self, place, vector, factor):
        """place += vector * factor, fused where the processor can."""
        product = self.builder.fmul(vector, factor, flags=("contract",))
        self.builder.store(self.builder.fadd(self.builder.load(place), product, flags=("contract",)), place)

    def tuple_of(self, returns, vectors):
        """The first three numbers of each vector."""
        numbers = [self.builder.extract_element(v, ir.IntType(32)(i)) for v in vectors for i in range(3)]
        return self.context.make_tuple(self.builder, returns, numbers)


@intrinsic
def row_product(typing, values, columns, first, last, x):
    """sum of values[k] x[columns[k]] for k from first to last: three numbers. values (k, 9), x (n, 3), contiguous."""
    _check_contiguous(values, x)
    returns = types.UniTuple(x.dtype, 3)

    def build(context, builder, signature, arguments):
        a = _Arrays(context, builder, signature, arguments)
        data, vertices = a.data(0), a.data(4)
        sums = a.sums(data.type.pointee, 3)
        size = signature.args[0].dtype.bitwidth // 8
        with cgutils.for_range_slice(builder, a.index(2), a.index(3), INDEX(1), inc=True) as (k, _):
            start = builder.mul(a.entry(1, k), INDEX(3))
            for i, column in enumerate(a.columns(data, k, size)):
                a.add(sums[i], column, a.splat(a.number(vertices, start, i)))
        one, two, three = (builder.load(place) for place in sums)
        total = builder.fadd(builder.fadd(one, two), three)
        return a.tuple_of(returns, [total])

    return returns(values, columns, first, last, x), build


@intrinsic
def weighted_sum(typing, values, place, weight, first, last):
    """sum of weight[t] values[place[t]] for t from first to last: the nine numbers of a block."""
    returns = types.UniTuple(values.dtype, 9)

    def build(context, builder, signature, arguments):
        a = _Arrays(context, builder, signature, arguments)
        data, weights = a.data(0), a.data(2)
        sums = a.sums(data.type.pointee, 3)
        size = signature.args[0].dtype.bitwidth // 8
        with cgutils.for_range_slice(builder, a.index(3), a.index(4), INDEX(1), inc=True) as (t, _):
            factor = a.splat(a.number(weights, t, 0))
            for total, column in zip(sums, a.columns(data, a.entry(1, t), size), strict=True):
                a.add(total, column, factor)
        return a.tuple_of(returns, [builder.load(place) for place in sums])

    return returns(values, place, weight, first, last), build


@intrinsic
def weighted_rows(typing, weights, places, first, last, x):
    """sum of weights[t] x[places[t]] for t from first to last: three numbers. x: rows of three, contiguous, whose numbers
    become the weights' type."""
    _check_contiguous(x)
    returns = types.UniTuple(weights.dtype, 3)

    def build(context, builder, signature, arguments):
        return _sum_of_rows(_Arrays(context, builder, signature, arguments), returns, lambda a, row: row)

    return returns(weights, places, first, last, x), build


@intrinsic
def weighted_differences(typing, weights, places, first, last, x, origin):
    """sum of weights[t] (x[places[t]] - x[origin]) for t from first to last: three numbers. x: (n, 3), contiguous."""
    _check_contiguous(x)
    returns = types.UniTuple(weights.dtype, 3)

    def build(context, builder, signature, arguments):
        a = _Arrays(context, builder, signature, arguments)
        first_row = a.three(4, a.index(5), a.data(0).type.pointee)
        return _sum_of_rows(a, returns, lambda a, row: builder.fsub(row, first_row))

    return returns(weights, places, first, last, x, origin), build


def _sum_of_rows(a, returns, made_of):
    """Weights, places, first, last and x are the first arguments; the summands are made of each row of x."""
    builder, weights = a.builder, a.data(0)
    (total,) = a.sums(weights.type.pointee, 1, 3)
    with cgutils.for_range_slice(builder, a.index(2), a.index(3), INDEX(1), inc=True) as (t, _):
        row = made_of(a, a.three(4, a.entry(1, t), weights.type.pointee))
        a.add(total, row, a.splat(a.number(weights, t, 0), 3))
    return a.tuple_of(returns, [builder.load(total)])


@intrinsic
def sum_of_products(typing, values, left, right, first, last):
    """sum of values[left[t]] times the transpose of values[right[t]] for t from first to last: the numbers of a block."""
    returns = types.UniTuple(values.dtype, 9)

    def build(context, builder, signature, arguments):
        a = _Arrays(context, builder, signature, arguments)
        data = a.data(0)
        sums = a.sums(data.type.pointee, 3)
        size = signature.args[0].dtype.bitwidth // 8
        with cgutils.for_range_slice(builder, a.index(3), a.index(4), INDEX(1), inc=True) as (t, _):
            start = builder.mul(a.entry(2, t), INDEX(BLOCK))
            for r, column in enumerate(a.columns(data, a.entry(1, t), size)):
                for c, total in enumerate(sums):
                    a.add(total, column, a.splat(a.number(data, start, 3 * r + c)))
        return a.tuple_of(returns, [builder.load(place) for place in sums])

    return returns(values, left, right, first, last), build
