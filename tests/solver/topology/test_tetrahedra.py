import sys
from pathlib import Path

import numpy as np
import pytest

from solver.errors import TetrahedralizationError
from solver.topology.surface_checks import check_tetrahedra, tetrahedron_volumes
from solver.topology.tetrahedra import tetrahedralize
from tests.solver.topology import shapes


def test_tetwild_fills_a_ring():
    """1 % of the volume: TetWild may leave the surface by 0.003 of the diagonal, 6 % if everywhere to one side."""
    pytest.importorskip("pytetwild")
    x, triangles = shapes.torus()
    filled = tetrahedralize("ring", x, triangles, "tetwild", 0.1)
    check_tetrahedra("ring", filled.vertices, filled.tetrahedra)
    assert filled.volume_fraction is None and filled.tetrahedra.dtype == np.int32
    assert len(np.unique(filled.tetrahedra)) == len(filled.vertices)
    volume = tetrahedron_volumes(filled.vertices, filled.tetrahedra).sum()
    assert volume == pytest.approx(shapes.volume(x, triangles), rel=0.01)


def test_filling_leaves_no_file_in_the_working_directory(tmp_path, monkeypatch):
    """TetWild writes one; the directory of a Blender session is the user's."""
    pytest.importorskip("pytetwild")
    monkeypatch.chdir(tmp_path)
    tetrahedralize("box", *shapes.cube(), "tetwild", 0.4)
    assert list(tmp_path.iterdir()) == []
    assert Path.cwd() == tmp_path


def test_tetwild_takes_a_mesh_that_is_inside_out():
    pytest.importorskip("pytetwild")
    x, triangles = shapes.cube()
    filled = tetrahedralize("box", x, triangles[:, [0, 2, 1]], "tetwild", 0.3)
    assert tetrahedron_volumes(filled.vertices, filled.tetrahedra).sum() == pytest.approx(1, rel=0.01)


CUBE, FACES = shapes.cube()


@pytest.mark.parametrize(
    "mesh, found",
    [
        (shapes.sphere(cut=0.2), "the surface is open: 48 edges"),
        ((CUBE, FACES[1:]), "the surface is open: 3 edges"),
        ((np.r_[CUBE, [(2.0, 0, 0)]], np.r_[FACES, [(0, 1, 8)]]), "the surface is open: 2 edges"),
        ((np.r_[CUBE, CUBE + 0.5], np.r_[FACES, FACES + 8]), "passes through itself"),
    ],
)
def test_what_tetwild_cannot_fill_is_told_and_the_lattice_offered(mesh, found):
    with pytest.raises(TetrahedralizationError, match=f"monkey: .*{found}.*Choose Lattice in the Body panel"):
        tetrahedralize("monkey", *mesh)


def test_a_one_sided_surface_is_refused():
    """A Klein bottle's net: closed, two faces at each edge, but no winding fits."""
    n, m = 8, 6
    i = np.arange(n * m).reshape(n, m)
    right = np.vstack([i[1:], i[:1, (-np.arange(m)) % m]])
    up = lambda q: np.roll(q, -1, 1)
    c = np.vstack([up(i)[1:], i[:1, (-np.arange(m) - 1) % m]])
    a, b, d = i, right, up(i)
    triangles = np.concatenate([np.stack([q.ravel() for q in t], 1) for t in ((a, b, c), (a, c, d))])
    x = np.random.default_rng(0).random((n * m, 3))
    with pytest.raises(TetrahedralizationError, match="the surface has no inside"):
        tetrahedralize("bottle", x, triangles)


def test_a_missing_library_is_told_and_the_lattice_offered(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytetwild", None)
    with pytest.raises(TetrahedralizationError, match=r"box: the library pytetwild is not installed.*Choose Lattice"):
        tetrahedralize("box", *shapes.cube())


def test_bad_arguments_are_refused_by_name():
    x, triangles = shapes.cube()
    for arguments, found in (
        ((x, triangles, "magic"), "fill method is 'magic'"),
        ((x, triangles, "lattice", 0.0), "edges of 0 of the body's size"),
        ((x, triangles[:0]), "triangles have shape"),
        ((x, triangles + 1), "outside 0..7"),
        ((np.where(x > 0.5, np.nan, x), triangles), "wanted finite coordinates"),
    ):
        with pytest.raises(TetrahedralizationError, match=f"box: .*{found}"):
            tetrahedralize("box", *arguments)


def test_the_lattice_puts_turned_faces_right():
    """A third of the faces turned over would cancel in the winding number; put right, the volume is within 1 %."""
    x, triangles = shapes.sphere()
    some = np.random.default_rng(0).random(len(triangles)) < 0.33
    turned = np.where(some[:, None], triangles[:, [0, 2, 1]], triangles)
    filled = tetrahedralize("ball", x, turned, "lattice", 0.08)
    volume = (tetrahedron_volumes(filled.vertices, filled.tetrahedra) * filled.volume_fraction).sum()
    assert volume == pytest.approx(shapes.volume(x, triangles), rel=0.01)
