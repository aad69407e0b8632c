"""Sums over rows of four numbers, pushes of one row, and moves of rows in lanes, as vector instructions.

A contact reads and writes four vertices: one number at a time that is 150 instructions, a row at a time a third of them.
LLVM's optimiser does not find this form by itself.
"""

from llvmlite import ir
from numba import types

from . import intrinsic
from .rows import ROW, _check_same_type, _RowsAndLanes, _transposed

#: Products and sums may be one instruction.
FLAGS = ("contract",)


def _row(context, builder, array_type, array, index_type, index):
    """Return the beginning of a row, as a pointer to a vector, and the bytes of a number."""
    number = context.get_data_type(array_type.dtype)
    data = context.make_array(array_type)(context, builder, array).data
    start = builder.mul(context.cast(builder, index, index_type, types.int64), ir.Constant(ir.IntType(64), ROW))
    pointer = builder.bitcast(builder.gep(data, [start]), ir.VectorType(number, ROW).as_pointer())
    return pointer, array_type.dtype.bitwidth // 8


def _splat(builder, number):
    vector = ir.VectorType(number.type, ROW)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), ROW), [0] * ROW)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)


@intrinsic
def moved(typing, x, x0, i, j, k, m, a, b, c, d):
    """a (x_i - x0_i) + b (x_j - x0_j) + c (x_k - x0_k) + d (x_m - x0_m), its first three numbers.

    x, x0: (n, 4), contiguous; a..d: of the same float type.
    """

    def build(context, builder, signature, arguments):
        total = None
        for vertex in range(4):
            rows = []
            for which in (0, 1):
                row = signature.args[which], arguments[which], signature.args[2 + vertex], arguments[2 + vertex]
                pointer, size = _row(context, builder, *row)
                rows.append(builder.load(pointer, align=size))
            weight = context.cast(builder, arguments[6 + vertex], signature.args[6 + vertex], signature.args[0].dtype)
            part = builder.fmul(_splat(builder, weight), builder.fsub(*rows, flags=FLAGS), flags=FLAGS)
            total = part if total is None else builder.fadd(total, part, flags=FLAGS)
        numbers = [builder.extract_element(total, ir.Constant(ir.IntType(32), axis)) for axis in range(3)]
        return context.make_tuple(builder, signature.return_type, numbers)

    return types.UniTuple(x.dtype, 3)(x, x0, i, j, k, m, a, b, c, d), build


@intrinsic
def moves_to_lanes(typing, x, x0, lanes, v0, v1, v2, v3, place):
    """lanes[place + 16 k + j] = x[v_j, k] - x0[v_j, k] for k in 0..2, x[v_j, 3] for k = 3, and j in 0..3.

    x, x0: (n, 4), lanes: (m,), of one float type, contiguous.
    """
    _check_same_type(x, lanes)
    _check_same_type(x0, lanes)

    def build(context, builder, signature, arguments):
        ends, other = (_RowsAndLanes(context, builder, signature, arguments, 7, array, 2) for array in (0, 1))
        fourth = ir.Constant(ir.VectorType(ir.IntType(32), ROW), [0, 1, 2, ROW + 3])
        rows = [
            builder.shuffle_vector(builder.fsub(a, b), a, fourth) for a, b in zip(ends.rows(3), other.rows(3), strict=True)
        ]
        for k, column in enumerate(_transposed(builder, rows)):
            builder.store(column, ends.column(k), align=ends.sizes[1])
        return context.get_dummy_value()

    return types.void(x, x0, lanes, v0, v1, v2, v3, place), build


@intrinsic
def push(typing, x, i, w, mx, my, mz):
    """x_i += w x[i, 3] (mx, my, mz); the fourth number stays. x: (n, 4), contiguous; the others of its float type."""

    def build(context, builder, signature, arguments):
        dtype = signature.args[0].dtype
        target_row = signature.args[0], arguments[0], signature.args[1], arguments[1]
        pointer, size = _row(context, builder, *target_row)
        row = builder.load(pointer, align=size)
        share = builder.extract_element(row, ir.Constant(ir.IntType(32), 3))
        weight, *direction = (context.cast(builder, arguments[k], signature.args[k], dtype) for k in range(2, 6))
        vector = ir.Constant(row.type, [0.0] * ROW)
        for axis in range(3):
            vector = builder.insert_element(vector, direction[axis], ir.Constant(ir.IntType(32), axis))
        factor = _splat(builder, builder.fmul(weight, share, flags=FLAGS))
        builder.store(builder.fadd(row, builder.fmul(factor, vector, flags=FLAGS), flags=FLAGS), pointer, align=size)
        return context.get_dummy_value()

    return types.void(x, i, w, mx, my, mz), build
