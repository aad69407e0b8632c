"""Four rows of four numbers to four columns and back: one vector load or store for each in place of four.

Moving data between vertices and lanes one number at a time took as long as the physics of a membrane. These functions are
written as LLVM instructions, because its optimiser does not find this form by itself.
"""

from llvmlite import ir
from numba import types
from numba.core import errors

from ..cpu import LANES
from . import intrinsic

#: Numbers of a row: three coordinates and h^2 / mass.
ROW = 4
#: Order of the elements of two vectors that interleaves their halves, and that joins them.
LOW, HIGH = (0, 4, 1, 5), (2, 6, 3, 7)
FIRST, LAST = (0, 1, 4, 5), (2, 3, 6, 7)


def _transposed(builder, rows):
    """The columns of a 4x4 matrix given by its rows."""

    def mix(a, b, order):
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), 4), list(order)))

    a, b = mix(rows[0], rows[1], LOW), mix(rows[2], rows[3], LOW)
    c, d = mix(rows[0], rows[1], HIGH), mix(rows[2], rows[3], HIGH)
    return mix(a, b, FIRST), mix(a, b, LAST), mix(c, d, FIRST), mix(c, d, LAST)


def _check_same_type(x, lanes):
    if x.dtype != lanes.dtype:
        raise errors.TypingError(f"rows of {x.dtype} and lanes of {lanes.dtype}; wanted one type: only bits are moved")


class _RowsAndLanes:
    """Rows of an array of four columns, and columns of lanes, which may be of another type: pointers to vectors.

    The arguments of an intrinsic: arrays, then indices; `array`, `lanes`, `place` and k are numbers of arguments. A row
    begins where its index times the stride says.
    """

    def __init__(self, context, builder, signature, arguments, place, array=0, lanes=1, stride=ROW):
        self.context, self.builder, self.signature, self.arguments = context, builder, signature, arguments
        both = array, lanes
        self.data = [context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in both]
        self.sizes = [signature.args[k].dtype.bitwidth // 8 for k in both]
        self.vectors = [ir.VectorType(context.get_data_type(signature.args[k].dtype), ROW) for k in both]
        self.place, self.stride = self._index(place), stride

    def _index(self, k):
        return self.context.cast(self.builder, self.arguments[k], self.signature.args[k], types.int64)

    def _pointer(self, which, start):
        return self.builder.bitcast(self.builder.gep(self.data[which], [start]), self.vectors[which].as_pointer())

    def row(self, k):
        """Return the beginning of the row whose number is the argument k."""
        return self._pointer(0, self.builder.mul(self._index(k), ir.Constant(ir.IntType(64), self.stride)))

    def rows(self, k):
        """Four rows, loaded, whose numbers are the arguments from k on."""
        return [self.builder.load(self.row(k + j), align=self.sizes[0]) for j in range(4)]

    def columns(self):
        """The lanes' four numbers, loaded."""
        return [self.builder.load(self.column(k), align=self.sizes[1]) for k in range(4)]

    def column(self, k):
        """Return the beginning of the lanes' numbers k."""
        return self._pointer(1, self.builder.add(self.place, ir.Constant(ir.IntType(64), k * LANES)))


@intrinsic
def rows_to_lanes(typing, x, lanes, v0, v1, v2, v3, place):
    """lanes[place + 16 k + j] = x[v_j, k] for k and j in 0..3. x: (n, 4), lanes: (m,), of one float type, contiguous."""
    _check_same_type(x, lanes)

    def build(context, builder, signature, arguments):
        arrays = _RowsAndLanes(context, builder, signature, arguments, 6)
        for k, column in enumerate(_transposed(builder, arrays.rows(2))):
            builder.store(column, arrays.column(k), align=arrays.sizes[1])
        return context.get_dummy_value()

    return types.void(x, lanes, v0, v1, v2, v3, place), build


@intrinsic
def sums_of_rows_to_lanes(typing, x, y, lanes, v0, v1, v2, v3, place):
    """lanes[place + 16 k + j] = x[v_j, k] + y[v_j, k] for k and j in 0..3. x, y: (n, 4), lanes: (m,), of one float type."""
    _check_same_type(x, lanes)
    _check_same_type(y, lanes)

    def build(context, builder, signature, arguments):
        first, second = (_RowsAndLanes(context, builder, signature, arguments, 7, array, 2) for array in (0, 1))
        sums = [builder.fadd(a, b) for a, b in zip(first.rows(3), second.rows(3), strict=True)]
        for k, column in enumerate(_transposed(builder, sums)):
            builder.store(column, first.column(k), align=first.sizes[1])
        return context.get_dummy_value()

    return types.void(x, y, lanes, v0, v1, v2, v3, place), build


@intrinsic
def lanes_to_rows(typing, x, lanes, v0, v1, v2, v3, place):
    """x[v_j, k] = lanes[place + 16 k + j] for k and j in 0..3: whole rows, the fourth number as it was gathered."""
    _check_same_type(x, lanes)

    def build(context, builder, signature, arguments):
        arrays = _RowsAndLanes(context, builder, signature, arguments, 6)
        for j, row in enumerate(_transposed(builder, arrays.columns())):
            builder.store(row, arrays.row(2 + j), align=arrays.sizes[0])
        return context.get_dummy_value()

    return types.void(x, lanes, v0, v1, v2, v3, place), build


@intrinsic
def rows_apart_to_lanes(typing, x, lanes, v0, v1, v2, v3, o0, o1, o2, o3, place):
    """lanes[place + 16 k + j] = x[v_j, k] - x[o_j, k], as the lanes' type. x: (n, 4), lanes: (m,), contiguous."""

    def build(context, builder, signature, arguments):
        arrays = _RowsAndLanes(context, builder, signature, arguments, 10)
        apart = [builder.fsub(a, b) for a, b in zip(arrays.rows(2), arrays.rows(6), strict=True)]
        if arrays.vectors[0] != arrays.vectors[1]:
            apart = [builder.fptrunc(value, arrays.vectors[1]) for value in apart]
        for k, column in enumerate(_transposed(builder, apart)):
            builder.store(column, arrays.column(k), align=arrays.sizes[1])
        return context.get_dummy_value()

    return types.void(x, lanes, v0, v1, v2, v3, o0, o1, o2, o3, place), build


@intrinsic
def add_lanes_to_rows(typing, x, lanes, v0, v1, v2, v3, place):
    """x[v_j, k] += lanes[place + 16 k + j], one row after the other. x: (n, 4), lanes: (m,), contiguous."""

    def build(context, builder, signature, arguments):
        return _add_columns(_RowsAndLanes(context, builder, signature, arguments, 6))

    return types.void(x, lanes, v0, v1, v2, v3, place), build


@intrinsic
def add_lanes_at(typing, x, lanes, v0, v1, v2, v3, place):
    """x[v_j + k] += lanes[place + 16 k + j] for k in 0..3, one j after the other. x, lanes: (m,), contiguous."""

    def build(context, builder, signature, arguments):
        return _add_columns(_RowsAndLanes(context, builder, signature, arguments, 6, stride=1))

    return types.void(x, lanes, v0, v1, v2, v3, place), build


def _add_columns(arrays):
    """Add the columns of four lanes to the rows whose numbers are the arguments from 2 on, one after the other."""
    builder, align = arrays.builder, arrays.sizes[0]
    for j, row in enumerate(_transposed(builder, arrays.columns())):
        if arrays.vectors[0] != arrays.vectors[1]:
            row = builder.fpext(row, arrays.vectors[0])
        place = arrays.row(2 + j)
        builder.store(builder.fadd(builder.load(place, align=align), row), place, align=align)
    return arrays.context.get_dummy_value()


@intrinsic
def add_three_lanes_to_rows(typing, x, lanes, v0, v1, v2, v3, place):
    """x[v_j, k] += lanes[place + 16 k + j] for k in 0..2; the fourth number stays. x: (n, 4), lanes: (m,), of one type."""
    _check_same_type(x, lanes)

    def build(context, builder, signature, arguments):
        arrays = _RowsAndLanes(context, builder, signature, arguments, 6)
        columns = [builder.load(arrays.column(k), align=arrays.sizes[1]) for k in range(3)]
        for j, row in enumerate(_transposed(builder, [*columns, ir.Constant(arrays.vectors[1], None)])):
            place = arrays.row(2 + j)
            builder.store(builder.fadd(builder.load(place, align=arrays.sizes[0]), row), place, align=arrays.sizes[0])
        return context.get_dummy_value()

    return types.void(x, lanes, v0, v1, v2, v3, place), build
