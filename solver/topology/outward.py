"""Turns the parts of a surface so that their outside is outside."""

from __future__ import annotations

import numpy as np

from .components import consistent_winding, label_components, triangle_links
from .winding import solid_angle_share

Array = np.ndarray


def outward_winding(x: Array, triangles: Array) -> Array:
    """Return the same triangles (t, 3), wound consistently within each part, with positive volume.

    x: positions [m], (n, 3). A part that lies inside another keeps its winding: turned inwards it is a cavity. An open part
    is judged by the volume between it and its own middle.
    """
    triangles = consistent_winding(triangles)
    links, _ = triangle_links(triangles)
    labels, part = np.unique(label_components(links, len(triangles)), return_inverse=True)
    part = part.reshape(-1)
    corners = x[triangles]
    count = np.bincount(part)
    middle = np.stack([np.bincount(part, weights=corners.mean(1)[:, k]) / count for k in range(3)], axis=1)
    a, b, c = (corners[:, k] - middle[part] for k in range(3))
    volume = np.bincount(part, weights=np.einsum("ij,ij->i", np.cross(a, b), c))
    for k in np.flatnonzero(volume < 0):
        in_part = part == k
        enclosed = len(labels) > 1 and abs(solid_angle_share(corners[in_part][:1, 0], x, triangles[~in_part])[0]) > 0.5
        if not enclosed:
            triangles[in_part] = triangles[in_part][:, [0, 2, 1]]
    return triangles
