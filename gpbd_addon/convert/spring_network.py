"""Blender's Cloth as a continuum: the stiffness of the sheet equivalent to its springs, independent of the mesh.

Blender divides its stiffnesses by the mean length of the edges, and puts a spring on every edge and on both diagonals of
every quad, so the same numbers are another fabric on another mesh. Under a homogeneous strain e the springs of a sheet of
area A have the energy of a membrane, 1/2 A e : C : e, with

    C_ijkl = 1/A sum_s k_s L_s^2 n_i n_j n_k n_l  [N/m]

(Born and Huang 1954, "Dynamical theory of crystal lattices", the affine deformation), L_s the rest length and n the
direction of spring s in the axes of warp and weft. Its hinges have the energy of a plate, 1/2 A kappa : D : kappa, likewise.

Blender scales gravity by 0.001, which makes its time unit sqrt(0.001) s a frame, whatever the frame rate. So a stiffness of
Blender's is 1000 of ours, in N/m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray

#: Ours over Blender's, for properties with the unit of a force; and Blender's unit of time [s].
FORCE = 1000.0
TIME = FORCE**-0.5
#: Blender's factor of bending springs by angle.
ANGULAR = 0.1


@dataclass(frozen=True)
class Faces:
    """A mesh as its faces. x: rest positions [m], (n, 3). corners: the vertex and the edge of each corner, face by face,
    (c, 2); begins: the first corner of each face and the end, (f + 1,). edges: vertices, (e, 2). axes: unit vectors of warp
    and weft in each face, (f, 2, 3). areas: of the faces [m^2], (f,)."""

    x: Array
    corners: Array
    begins: Array
    edges: Array
    axes: Array
    areas: Array

    @property
    def sizes(self) -> Array:
        return np.diff(self.begins)

    @property
    def of_corner(self) -> Array:
        """The face of each corner, (c,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def area(self) -> float:
        return float(self.areas.sum())

    @property
    def mean_edge(self) -> float:
        """Mean length of the edges that faces have [m]: Blender divides its stiffnesses by it."""
        used = np.unique(self.corners[:, 1])
        return float(np.linalg.norm(self.x[self.edges[used, 1]] - self.x[self.edges[used, 0]], axis=1).mean())


@dataclass(frozen=True)
class Springs:
    """Membrane stiffness of a sheet with springs of 1 N/m: (C00, C11, C01, C22) in the axes of warp and weft, dimensionless.

    edges: of one spring an edge; diagonals: of both across every quad, and all of larger faces.
    """

    edges: Array
    diagonals: Array


def springs(faces: Faces) -> Springs:
    """An edge counts with the axes of its faces, each for its share."""
    share = 1.0 / np.bincount(faces.corners[:, 1], minlength=len(faces.edges))[faces.corners[:, 1]]
    ends = faces.edges[faces.corners[:, 1]]
    return Springs(_tensor(faces, ends, faces.of_corner, share), _tensor(faces, *_diagonals(faces), share=1.0))


def _tensor(faces: Faces, ends: Array, of: Array, share: Array | float) -> Array:
    """ends: vertices of springs, (s, 2). of: the face whose axes each is seen in, (s,)."""
    along = faces.x[ends[:, 1]] - faces.x[ends[:, 0]]
    u, v = np.einsum("saj,sj->as", faces.axes[of], along)
    square = np.maximum((along**2).sum(1), 1e-30)  # k L^2 n n n n is k (u u)(u u) / L^2
    return np.array([(share * part / square).sum() for part in (u**4, v**4, u * u * v * v, u * u * v * v)]) / faces.area


def _diagonals(faces: Faces) -> tuple[Array, Array]:
    """Pairs of corners of a face that are no edge, as vertices (s, 2), and their faces (s,)."""
    ends, of = [np.zeros((0, 2), int)], [np.zeros(0, int)]
    for size in np.unique(faces.sizes):
        mine = np.flatnonzero(faces.sizes == size)
        first = faces.begins[mine]
        for j in range(size):
            for k in range(j + 2, size - (j == 0)):
                ends.append(np.column_stack([faces.corners[first + j, 0], faces.corners[first + k, 0]]))
                of.append(mine)
    return np.concatenate(ends), np.concatenate(of)


def hinges(faces: Faces) -> Array:
    """(D00, D11) over the force that a bending spring gives for each radian and metre of its edge, (2,) [m^2].

    Blender's spring pulls the middle of both faces at an edge; the moment is the force times their distance from the edge.
    The sheet that is counted is that around the edges with two faces: at its rim it has no bending to lose.
    """
    face = faces.of_corner
    a, b = _pairs(faces)
    rates, arms = zip(*(_slope(faces, corner, face[corner]) for corner in (a, b)), strict=True)
    angle = rates[0] + rates[1]  # for each of the two curvatures, (2, h)
    edge = faces.edges[faces.corners[a, 1]]
    length = np.linalg.norm(faces.x[edge[:, 1]] - faces.x[edge[:, 0]], axis=1)
    around = (faces.areas[face[a]] / faces.sizes[face[a]] + faces.areas[face[b]] / faces.sizes[face[b]]).sum()
    return (length * 0.5 * (arms[0] + arms[1]) * angle**2).sum(1) / max(around, 1e-30)


def mean_arm(faces: Faces) -> float:
    """Mean distance of a face's middle from its edges, over their length."""
    corner = np.arange(len(faces.corners))
    edge = faces.edges[faces.corners[:, 1]]
    length = np.linalg.norm(faces.x[edge[:, 1]] - faces.x[edge[:, 0]], axis=1)
    return float((_slope(faces, corner, faces.of_corner)[1] / np.maximum(length, 1e-30)).mean())


def _pairs(faces: Faces) -> tuple[Array, Array]:
    """The two corners that have an edge in common, of the edges between two faces."""
    edge = faces.corners[:, 1]
    order = np.argsort(edge, kind="stable")
    two = np.bincount(edge, minlength=len(faces.edges))[edge[order]] == 2
    pairs = order[two].reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _slope(faces: Faces, corner: Array, face: Array) -> tuple[Array, Array]:
    """Return the rotation of a face about the edge at one of its corners for a curvature of 1 along warp and along weft, (2,
    h) [m], and the distance of its middle from the edge, (h,) [m].

    On z = 1/2 kappa : (x x) the edge is a chord, and the face's middle the mean of its corners.
    """
    edge = faces.edges[faces.corners[corner, 1]]
    origin = faces.x[edge].mean(1)
    of_face = faces.begins[face][:, None] + np.arange(faces.sizes.max())  # corners of each face, and those after it
    within = np.arange(faces.sizes.max()) < faces.sizes[face][:, None]
    vertices = faces.corners[np.minimum(of_face, len(faces.corners) - 1), 0]
    from_edge = np.einsum("haj,hkj->ahk", faces.axes[face], faces.x[vertices] - origin[:, None])
    chord = np.einsum("haj,hj->ah", faces.axes[face], faces.x[edge[:, 1]] - origin)
    count = faces.sizes[face]
    height = 0.5 * ((from_edge**2 * within).sum(2) / count - chord**2)
    middle = (from_edge * within).sum(2) / count
    unit = chord / np.maximum(np.linalg.norm(chord, axis=0), 1e-30)
    arm = np.abs(middle[0] * unit[1] - middle[1] * unit[0])
    return height / np.maximum(arm, 1e-30), arm
