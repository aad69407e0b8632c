"""Numbers of a table that elements look up, each at a place of its own: gathers, once loops run over lanes."""

from llvmlite import binding, ir
from numba import types

from . import intrinsic

#: Places in memory that LLVM distinguishes in a loop. Beyond its default of 250 it takes all for one, and makes no vectors.
binding.set_option("", "-alias-set-saturation-threshold=4096")
#: Name of the scope of tables, which nothing that is stored in lanes is part of.
_DOMAIN, _SCOPE = "gpbd", "gpbd.table"


def scope(builder):
    """LLVM's metadata of an alias scope that all tables are of. Without it a loop with a look-up is not made of vectors: a
    number that is stored might be one of the table."""
    domain = builder.module.add_metadata([_DOMAIN])
    return builder.module.add_metadata([builder.module.add_metadata([_SCOPE, domain])])


@intrinsic
def look_up(typing, row, place, offset):
    """row[place + offset]; place: a whole number as a float, so that no index is ever negative; offset: an index."""

    def build(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        start = builder.fptosi(arguments[1], ir.IntType(32))
        more = context.cast(builder, arguments[2], signature.args[2], types.intp)
        # The place is taken first: numbers that stand side by side share it, and differ by a constant.
        return _tagged(builder, builder.load(builder.gep(builder.gep(array.data, [start]), [more])))

    return row.dtype(row, place, offset), build


def _tagged(builder, number):
    number.set_metadata("alias.scope", scope(builder))
    return number


@intrinsic
def whole_part(typing, x):
    """The largest whole number that is not above x, of x's type; x: 0 or more."""

    def build(context, builder, signature, arguments):
        return builder.sitofp(builder.fptosi(arguments[0], ir.IntType(32)), arguments[0].type)

    return x(x), build
