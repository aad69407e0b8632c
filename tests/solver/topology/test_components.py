import numpy as np

from solver.topology.components import consistent_winding, label_components
from solver.topology.edges import edge_uses
from solver.topology.outward import outward_winding
from tests.solver.topology import shapes


def test_labels_agree_with_a_walk():
    rng = np.random.default_rng(4)
    links = rng.integers(0, 300, (220, 2))
    label = label_components(links, 300)
    walked = np.arange(300)
    for _ in range(300):
        for a, b in links:
            walked[a] = walked[b] = min(walked[a], walked[b])
    assert np.array_equal(label, walked)


def test_turned_over_faces_are_put_right():
    """A fifth of the faces turned: the rest decide, so the original winding comes back exactly."""
    _, triangles = shapes.torus()
    turned = triangles.copy()
    some = np.random.default_rng(1).random(len(triangles)) < 0.2
    turned[some] = turned[some][:, [0, 2, 1]]
    fixed = consistent_winding(turned)
    assert (edge_uses(fixed)[2] == 0).all()
    rotations = {tuple(np.roll(t, k)) for t in triangles.tolist() for k in range(3)}
    assert all(tuple(t) in rotations for t in fixed.tolist())


def test_inside_out_parts_are_turned_but_a_cavity_stays():
    x, triangles = shapes.cube()
    cavity = triangles[:, [0, 2, 1]]
    assert shapes.volume(x, outward_winding(x, cavity)) > 0
    both = np.concatenate([x, 0.2 * x + 0.4])
    hollow = outward_winding(both, np.concatenate([cavity, cavity + 8]))
    np.testing.assert_allclose(shapes.volume(both, hollow), 1 - 0.008, rtol=1e-12)
