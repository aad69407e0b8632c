"""Numbers of a table that elements look up, each at a place of its own: gathers, once loops run over lanes."""

from llvmlite import ir
from numba import types

from . import intrinsic

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
        more = context.cast(builder, arguments[2], signature.args[2], types.int32)
        number = builder.load(builder.gep(array.data, [builder.add(start, more)]))
        number.set_metadata("alias.scope", scope(builder))
        return number

    return row.dtype(row, place, offset), build
