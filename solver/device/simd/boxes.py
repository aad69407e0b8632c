"""Sixteen boxes, or sixteen numbers, against one: those for which it holds as bits of a whole number."""

from llvmlite import ir
from numba import types

from ..cpu import LANES
from . import intrinsic


@intrinsic
def meeting(typing, boxes, ax, ay, az, bx, by, bz):
    """Compare 16 boxes with the box from (ax, ay, az) to (bx, by, bz): bit k is set where box k meets it, int64.

    boxes: contiguous, (6 * 16 or more,); low x of all, then low y and z, high x, y and z. Boxes that touch meet.
    """

    def build(context, builder, signature, arguments):
        data, kind = context.make_array(signature.args[0])(context, builder, arguments[0]).data, signature.args[0].dtype
        number = context.get_data_type(kind)
        vector = ir.VectorType(number, LANES)
        met = None
        for row, value in enumerate((*arguments[4:], *arguments[1:4])):
            same = _in_all_lanes(builder, context.cast(builder, value, signature.args[1 + (row + 3) % 6], kind))
            place = builder.gep(data, [ir.Constant(ir.IntType(64), row * LANES)])
            sides = builder.load(builder.bitcast(place, vector.as_pointer()), align=kind.bitwidth // 8)
            inside = builder.fcmp_ordered("<=" if row < 3 else ">=", sides, same)
            met = inside if met is None else builder.and_(met, inside)
        return builder.zext(builder.bitcast(met, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(boxes, ax, ay, az, bx, by, bz), build


@intrinsic
def meeting_between(typing, boxes, box):
    """Compare 16 moving boxes with another one: bit k is set unless box k is clear of it along an axis at both times, int64.

    boxes: contiguous, (12 * 16,); as of `meeting`, at the first time, then at the second. box: a tuple of 12 in the same
    order. Where one face is behind another at both times, it is so between: both move straight.
    """

    def build(context, builder, signature, arguments):
        data, kind = context.make_array(signature.args[0])(context, builder, arguments[0]).data, signature.args[0].dtype
        vector = ir.VectorType(context.get_data_type(kind), LANES)

        def row_against(row, number):
            value = context.cast(builder, builder.extract_value(arguments[1], number), signature.args[1].dtype, kind)
            place = builder.gep(data, [ir.Constant(ir.IntType(64), row * LANES)])
            sides = builder.load(builder.bitcast(place, vector.as_pointer()), align=kind.bitwidth // 8)
            return builder.fcmp_ordered("<=" if row % 6 < 3 else ">=", sides, _in_all_lanes(builder, value))

        met = None
        for row in range(6):
            number = (row + 3) % 6
            inside = builder.or_(row_against(row, number), row_against(row + 6, number + 6))
            met = inside if met is None else builder.and_(met, inside)
        return builder.zext(builder.bitcast(met, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(boxes, box), build


@intrinsic
def equal(typing, numbers, place, one):
    """Compare numbers[place : place + 16] with one number: bit k is set where number k is equal, int64. numbers: contiguous
    int32; one: int32."""

    def build(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        start = builder.gep(data, [context.cast(builder, arguments[1], signature.args[1], types.int64)])
        row = builder.load(builder.bitcast(start, ir.VectorType(ir.IntType(32), LANES).as_pointer()), align=4)
        alike = builder.icmp_signed("==", row, _in_all_lanes(builder, arguments[2]))
        return builder.zext(builder.bitcast(alike, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(numbers, place, types.int32), build


def _in_all_lanes(builder, value):
    """A vector of 16 times the value."""
    undefined = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


@intrinsic
def lowest_bit(typing, bits):
    """The number of the lowest bit that is set. bits: int64, not 0."""

    def build(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), build
