"""Ties of ropes in the global step: what hangs on a rope is stretched by its weight, at any length of a substep."""

import numpy as np
import pytest

from solver import Cloth, Material, Pins, Rope, Scene, Settings, Simulation, Tie
from solver.energies import weak_constraint
from solver.global_step.membrane import rows_of
from tests.scenes.meshes import rectangle
from tests.scenes.ropes import line

SIZE, CELLS, DENSITY, STRETCH = 0.3, 15, 1.1, 500.0
WEIGHT = DENSITY * SIZE**2 * 9.81


def sewn(substeps, body="above"):
    """A cloth of 0.1 kg hangs from a rope. body: whose vertices are tied, of the two."""
    x, triangles = rectangle((CELLS, CELLS), (SIZE, SIZE))
    x = x[:, [0, 2, 1]] + [0, 0.01, -SIZE]
    y, edges = line(20, 0.4)
    material = Material.rope(1000.0, 1e9, 1e6, 4e5, damping=0.005)
    above = Rope("above", y - [0.05, 0, 0], edges, 0.004, material, Pins([0, 1, 19, 20]))
    banner = Cloth("banner", x, triangles, Material.fabric(DENSITY, STRETCH, 200.0))
    other = {"above": "banner", "banner": "above"}[body]
    chosen = np.arange(3, 18) if body == "above" else np.flatnonzero(x[:, 2] > -1e-6)
    scene = Scene([above, banner], ties=[Tie(body, other, 0.015, vertices=chosen)])
    return Simulation(scene, Settings.quality("draft", substeps=substeps, damping=4.0, threads=1)), x, triangles


def largest_stretch(x, rest, triangles):
    ends = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    now, then = (np.linalg.norm(a[ends[:, 0]] - a[ends[:, 1]], axis=1) for a in (x.astype(float), rest))
    return (now / then - 1).max()


@pytest.mark.parametrize("body", ["above", "banner"])
def test_a_cloth_sewn_to_a_rope_is_stretched_by_its_weight_alone(body):
    """5 % in every frame, of which the start, where ties close 1 cm, has most: the hem's mean is 0.7 %, its free corners
    bear five times as much. Vertices that ties stop one by one were stretched by 24 %, and by 45 % where a segment's nearest
    point was not found."""
    run, rest, triangles = sewn(10, body)
    for _ in range(12):
        assert largest_stretch(run.advance_frame().positions["banner"], rest, triangles) < 0.05


def test_longer_substeps_do_not_stretch_a_cloth_below_a_rope():
    """A tenth between 10 and 20 substeps; what ties stop by themselves is stretched by the square of the substep."""
    stretches = []
    for substeps in (10, 20):
        run, rest, triangles = sewn(substeps)
        for _ in range(8):
            frame = run.advance_frame()
        stretches.append(largest_stretch(frame.positions["banner"], rest, triangles))
    assert stretches[0] == pytest.approx(stretches[1], rel=0.1)


def test_ties_bear_the_weight_of_a_cloth():
    """3 %: the rest of the swing after a second."""
    run, _, _ = sewn(10)
    for _ in range(24):
        run.advance_frame()
    number = next(k for k, batch in enumerate(run.model.batches) if batch.energy is weak_constraint)
    forces = rows_of(run.state.displacements[number], 3)[run.model.batches[number].element >= 0]
    assert -forces.sum(0)[2] == pytest.approx(WEIGHT, rel=0.03)  # on the rope's vertices, down


def test_a_vertex_is_tied_to_the_nearest_point_of_a_segment():
    """Rounding."""
    x = np.array([[0.3, 0.1, 0], [0, 0, 0], [1, 0, 0]])
    rest = weak_constraint.rest(x, np.array([[0, 1, 2, -1]]), {"stiffness": 1.0}, None, [1.0])
    assert rest[0, 1:] == pytest.approx([0.7, 0.3, 0.0])
