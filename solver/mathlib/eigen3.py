"""The direction in which a symmetric positive 3x3 matrix is smallest."""

from ..device.cpu import element, f32
from . import mat3

ONE = f32(1)
TINY = f32(1e-30)


@element
def smallest_direction(C):
    """A vector along the eigenvector of the smallest eigenvalue, or between those of the two smallest if they are near.

    Two steps of the power method on the cofactors of C: another eigenvalue's share of the vector is (smallest / other)^2.
    C: six numbers, eigenvalues of at least 0. The vector's length is between 1/9 and 1.
    """
    B = mat3.symmetric_cofactor(C)
    B = mat3.symmetric_square(mat3.symmetric_scale(ONE / (B[0] + B[1] + B[2] + TINY), B))
    x = (B[0], B[3], B[4])
    y = (B[3], B[1], B[5])
    z = (B[4], B[5], B[2])
    larger = y if B[1] > B[0] else x
    return z if B[2] > max(B[0], B[1]) else larger
