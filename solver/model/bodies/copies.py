"""A cloth that may tear, with each element at the copies of its vertices that belong to its own faces.

A face is a quadrilateral, which stays whole, or a triangle. So a map from copies to the points that they are at now
(`model/torn.py`) says where elements are, however the cloth is torn.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import SceneError
from ...scene import Cloth, catalog
from ...topology.edges import half_edges, pair_keys
from ...topology.quadrilaterals import quadrilateral_corners
from ...topology.splitting import inner_edges
from ..element_group import ElementGroup
from ..tearing_edges import TearingEdges

Array = np.ndarray


class Copies:
    """Copies of the vertices of one cloth. triangles: of the body, (t, 3), both of a quadrilateral at the same copies."""

    def __init__(self, body: Cloth, whole: Array, pairs: Array) -> None:
        """whole: triangles before anything is torn, (t, 3). pairs: the two of each quadrilateral, (q, 2). Raises: SceneError
        if something fills the cloth."""
        if body.pressure is not None:
            raise SceneError(
                f"{body.name}: tears and has a pressure, which acts on a closed cloth; wanted one of both. Switch Tearing "
                "or Pressure off."
            )
        self._body, self._n = body, len(body.vertices)
        self._face = np.arange(len(whole))
        self._face[pairs[:, 1]] = pairs[:, 0]
        keys, originals = np.repeat(self._face, 3) * self._n + whole.ravel(), body.triangles.ravel().astype(np.int64)
        self._keys, first = np.unique(keys, return_index=True)
        self._copy = originals[first]
        self.triangles = self._at(self._face[:, None], whole)
        corners = quadrilateral_corners(whole, pairs)
        self._triples = np.sort(np.concatenate([whole, *(np.delete(corners, k, 1) for k in range(4))]), 1)
        self._face_of_triple = np.concatenate([self._face, *[self._face[pairs[:, 0]]] * 4])
        inner = inner_edges(whole)
        self._inner = pair_keys(inner.ends[:, 0], inner.ends[:, 1])  # ascending
        self._faces = self._face[inner.triangles]
        self._joints = np.stack([self._at(self._faces[:, side, None], inner.ends) for side in range(2)], 1)
        splits = (self._joints[:, 0] != self._joints[:, 1]).any(1)
        self._tears = splits & (self._faces[:, 0] != self._faces[:, 1])
        self._number = np.where(self._tears, np.cumsum(self._tears) - 1, -1)
        self._never = np.stack([originals, self.triangles.ravel()], 1)
        self._whole = whole

    def _at(self, face: Array, vertices: Array) -> Array:
        """Return the copies of these vertices beside a face, -1 for none."""
        keys = face * self._n + vertices
        at = self._copy[np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)]
        return np.where(vertices < 0, -1, at)

    def at_edges(self, edges: Array) -> Array:
        """Edges of the whole cloth, (e, 2), at copies of one of their faces."""
        tail, head, _ = half_edges(self._whole)
        keys, first = np.unique(pair_keys(tail, head), return_index=True)
        face = self._face[first[np.searchsorted(keys, pair_keys(edges[:, 0], edges[:, 1]))] // 3]
        return self._at(face[:, None], edges)

    def edges(self) -> TearingEdges:
        """The edges along which it may tear."""
        joints, rest, triangles = self._joints[self._tears], self._body.rest, self.triangles
        ends, x, angle = rest[joints[:, 0]], rest[triangles], np.zeros(self._n)
        for k in range(3):
            one, two = (x[:, (k + other) % 3] - x[:, k] for other in (1, 2))
            cosine = (one * two).sum(1) / (np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1))
            angle += np.bincount(triangles[:, k], np.arccos(np.clip(cosine, -1, 1)), self._n)
        tail, head, _ = half_edges(self._whole)
        at_border = ~np.isin(pair_keys(tail, head), self._inner)
        face = np.repeat(self._face, 3)[at_border, None]
        held = np.zeros(len(self._whole), bool)
        held[self._faces[~self._tears & (self._faces[:, 0] != self._faces[:, 1])]] = True
        return TearingEdges(
            joints=joints,
            never=self._never,
            length=np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1),
            body=np.zeros(len(joints), np.int64),
            angle=angle,
            border=self._at(face, np.stack([tail, head], 1)[at_border]),
            faces=self._faces[self._tears],
            held=held,
        )

    def apart(self, group: ElementGroup) -> ElementGroup:
        """The group with its elements at copies, and the edges that it spans. Raises: SceneError for elements that a tear
        cannot part."""
        known = catalog.energies()[group.energy]
        noun = known.element
        if noun == "stitch":  # it is at copies as it is given
            return group
        if noun not in ("triangle", "patch", "hinge") or known.has_table:
            raise SceneError(
                f"{self._body.name}: tears, but its material has '{known.label}' ({group.energy}), which cannot part; "
                "wanted a stretch model of faces, and bending. Choose another model, or switch Tearing off."
            )
        corners = group.elements.astype(np.int64)
        face = self._face_of(corners[:, :3])[:, None]
        copies = self._at(face, corners)
        if noun == "triangle":
            at_copies = copies.astype(np.int32)
            return replace(group, elements=at_copies, across=self._at_sides(face, corners), copies=at_copies)
        ends, far = _spanned(noun, corners)
        number, other = self._beyond(face, ends)
        copies[:, 3:] = self._at(other, far)
        return replace(group, elements=copies.astype(np.int32), across=np.where(far >= 0, number, -1))

    def _face_of(self, triples: Array) -> Array:
        """The face of three of its corners in any order, (k,)."""
        _, number = np.unique(np.concatenate([self._triples, np.sort(triples, 1)]), axis=0, return_inverse=True)
        known, wanted = np.split(number.reshape(-1), [len(self._triples)])
        face = np.zeros(len(number), np.int64)
        face[known] = self._face_of_triple
        return face[wanted]

    def _at_sides(self, face: Array, corners: Array) -> Array:
        """`ElementGroup.across` of faces, (k, 4)."""
        following = np.roll(corners, -1, 1)
        is_triangle = corners[:, 3] < 0
        following[is_triangle, 2] = corners[is_triangle, 0]
        number, _ = self._beyond(face, np.stack([corners, following], 2))
        first = np.append(self._faces[self._tears, 0], -1)  # the last of no edge
        return np.where(number >= 0, 2 * number + (face != first[number]), -1)

    def _beyond(self, face: Array, ends: Array) -> tuple[Array, Array]:
        """The number of the edge between these vertices, -1 where none may tear, and the face beyond it, both (k, m). face:
        (k, 1). ends: (k, m, 2), -1 for none."""
        if not len(self._inner):
            return np.full(ends.shape[:2], -1), np.broadcast_to(face, ends.shape[:2])
        keys = pair_keys(ends[..., 0], ends[..., 1])
        at = np.minimum(np.searchsorted(self._inner, keys), len(self._inner) - 1)
        known = (self._inner[at] == keys) & (ends >= 0).all(-1)
        other = np.where(self._faces[at, 0] == face, self._faces[at, 1], self._faces[at, 0])
        return np.where(known, self._number[at], -1), np.where(known, other, face)


def _spanned(noun: str, corners: Array) -> tuple[Array, Array]:
    """The edges that a patch or a hinge spans, (k, m, 2), and its corner beyond each, (k, m)."""
    if noun == "patch":
        return np.stack([corners[:, [1, 2, 0]], corners[:, [2, 0, 1]]], 2), corners[:, 3:]
    return corners[:, None, :2], corners[:, 3:]
