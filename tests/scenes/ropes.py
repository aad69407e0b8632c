"""Ropes of tests: lines, coils, knots, and distances of their segments, without code of the solver."""

import numpy as np

Array = np.ndarray


def chain(count: int) -> Array:
    """Edges of so many segments, one after the other."""
    return np.stack([np.arange(count), np.arange(1, count + 1)], 1)


def line(count: int, length: float, direction=(1.0, 0.0, 0.0)) -> tuple[Array, Array]:
    """Vertices [m] and edges of a straight rope."""
    return np.linspace(0, length, count + 1)[:, None] * np.array(direction, float), chain(count)


def resampled(points: Array, step: float) -> tuple[Array, Array]:
    """Vertices about `step` [m] apart along a dense polygon, and edges."""
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    at = np.linspace(0, along[-1], int(np.ceil(along[-1] / step)) + 1)
    return np.stack([np.interp(at, along, points[:, k]) for k in range(3)], 1), chain(len(at) - 1)


def coil(radius: float, turns: int, pitch: float, step: float, height: float) -> tuple[Array, Array]:
    angle = np.linspace(0, 2 * np.pi * turns, 200 * turns)
    points = [radius * np.cos(angle), radius * np.sin(angle), height + pitch * angle / 2 / np.pi]
    return resampled(np.stack(points, 1), step)


def overhand_knot(size: float, tail: float, step: float) -> tuple[Array, Array]:
    """A loose overhand knot with straight ends along x. size: of the knot, tail: length of an end [m]."""
    # Source: the polynomial trefoil (t^3 - 3 t, t^4 - 4 t^2, t^5 / 5 - 2 t), Shastri 1992, "Polynomial representations of
    # knots", up to where its ends leave each other.
    t = np.linspace(-2.1, 2.1, 400)
    knot = 0.25 * size * np.stack([t**3 - 3 * t, t**4 - 4 * t**2, 2 * (t**5 / 5 - 2 * t)], 1)
    away = [(end - before) / np.linalg.norm(end - before) for end, before in zip(knot[[0, -1]], knot[[1, -2]], strict=True)]
    outer = np.linspace(tail, 0, 50)[:-1, None]
    return resampled(np.concatenate([knot[0] + outer * away[0], knot, knot[-1] + outer[::-1] * away[1]]), step)


def segment_distances(p: Array, q: Array, r: Array, s: Array) -> Array:
    """Distances of segments p q and r s, (k,): the least of the inner stationary point and of the four ends."""
    u, v, w = q - p, s - r, p - r
    uu, uv, vv, uw, vw = ((a * b).sum(-1) for a, b in ((u, u), (u, v), (v, v), (u, w), (v, w)))
    det = uu * vv - uv * uv
    crosses = det > 1e-9 * uu * vv
    a = np.where(crosses, uv * vw - vv * uw, 0) / np.where(crosses, det, 1)
    b = np.where(crosses, uu * vw - uv * uw, 0) / np.where(crosses, det, 1)
    inside = crosses & (a >= 0) & (a <= 1) & (b >= 0) & (b <= 1)
    least = np.where(inside, np.linalg.norm(w + a[:, None] * u - b[:, None] * v, axis=1), np.inf)
    for end, start, along, square in ((p, r, v, vv), (q, r, v, vv), (r, p, u, uu), (s, p, u, uu)):
        t = np.clip(((end - start) * along).sum(-1) / square, 0, 1)
        least = np.minimum(least, np.linalg.norm(end - start - t[:, None] * along, axis=1))
    return least


def least_distance(x: Array, edges: Array, apart: int) -> float:
    """Least distance of two segments of a rope that are `apart` or more segments from each other [m]."""
    one, other = np.triu_indices(len(edges), apart)
    return float(segment_distances(*(x[edges[k, a]] for k in (one, other) for a in range(2))).min())


def least_distance_between(x: Array, one: Array, y: Array, other: Array) -> float:
    """Least distance of a segment of `one`, (k, 2), of x and one of `other` of y [m]."""
    a, b = (grid.ravel() for grid in np.meshgrid(np.arange(len(one)), np.arange(len(other))))
    return float(segment_distances(x[one[a, 0]], x[one[a, 1]], y[other[b, 0]], y[other[b, 1]]).min())


def figure_eight(size: float, tail: float, step: float) -> tuple[Array, Array]:
    """A loose figure-eight knot whose ends leave it outwards, along y and against it. size: its radius, tail [m]."""
    # Source: ((2 + cos 2 t) cos 3 t, (2 + cos 2 t) sin 3 t, sin 4 t), cut where it is outermost.
    t = np.linspace(0.06, 2 * np.pi - 0.06, 800)
    r = 2 + np.cos(2 * t)
    knot = size / 3 * np.stack([r * np.cos(3 * t), r * np.sin(3 * t), np.sin(4 * t)], 1)
    outer = np.linspace(tail, 0, 50)[:-1, None]
    away = np.array([[0.7, 0.7, 0.1], [0.7, -0.7, -0.1]])
    return resampled(np.concatenate([knot[0] + outer * away[0], knot, knot[-1] + outer[::-1] * away[1]]), step)


def net(count: int, size: float, cuts: int) -> tuple[Array, Array]:
    """A square net of `count` meshes a side in the xy plane, each side of a mesh cut into so many segments."""
    n = count * cuts + 1
    grid = np.arange(n * n).reshape(n, n)
    lines = [grid[k] for k in range(0, n, cuts)] + [grid[:, k] for k in range(0, n, cuts)]
    edges = np.concatenate([np.stack([row[:-1], row[1:]], 1) for row in lines])
    used, rows = np.unique(edges, return_inverse=True)
    u = (np.arange(n) / (n - 1) - 0.5) * size
    x = np.stack([*np.meshgrid(u, u, indexing="ij"), np.zeros((n, n))], -1).reshape(-1, 3)
    return x[used], rows.reshape(edges.shape)


def clove_hitch(post: float, radius: float, ends: tuple[float, float], step: float) -> tuple[Array, Array]:
    """A clove hitch on a post along y, whose ends hang down on both sides: the first at x > 0, the last at x < 0.

    post: radius of the post, radius: of the rope [m]; ends: length of both [m]. The rope goes around the post two and a half
    times; on top the middle of it crosses over both ends, which lie beside each other under it.
    """
    angle = np.linspace(0, 5 * np.pi, 3000)
    turns, beside = angle / np.pi, 2.5 * radius
    over = np.interp(turns, [1.75, 2.25, 2.75, 3.25], [0, 1, 1, 0])
    around = post + 1.05 * radius + 2.1 * radius * over * over * (3 - 2 * over)
    along = np.interp(turns, range(6), [0, beside, beside, -beside, -beside, 0])
    wound = np.stack([around * np.cos(angle), along, around * np.sin(angle)], 1)
    hung = [
        end + np.linspace(0, length, 200)[1:, None] * [0, 0, -1] for end, length in zip(wound[[0, -1]], ends, strict=True)
    ]
    return resampled(np.concatenate([hung[0][::-1], wound, hung[1]]), step)


def cylinder(radius: float, half: float, sides: int = 180, rows: int = 6) -> tuple[Array, Array]:
    """An open tube along y: vertices [m] and triangles, facing outwards."""
    angle = 2 * np.pi * np.arange(sides) / sides
    rings = [
        np.stack([radius * np.cos(angle), 0 * angle + y, radius * np.sin(angle)], 1) for y in np.linspace(-half, half, rows)
    ]
    p = (np.arange(rows - 1)[:, None] * sides + np.arange(sides)).ravel()
    q = (np.arange(rows - 1)[:, None] * sides + (np.arange(sides) + 1) % sides).ravel()
    return np.concatenate(rings), np.concatenate([np.stack([p, p + sides, q], 1), np.stack([q, p + sides, q + sides], 1)])
