"""Fabrics at rest, their samples, and the whole way to a preset."""

import numpy as np
import pytest

from solver.scene.fabric_table import read_table
from solver.scene.presets import read_provenance
from solver.yarn import compute as whole
from solver.yarn.cylinder import cylinder
from solver.yarn.patch import patch_of, with_set
from solver.yarn.preset import compute_preset
from solver.yarn.samples import sample
from solver.yarn.weave_paths import Path
from solver.yarn.yarn import read_yarn

pytestmark = pytest.mark.long  # the solve is compiled, about ten seconds


@pytest.fixture(scope="module")
def plain():
    return whole.rest_of(*whole.read("plain_weave"))


def test_slopes_are_those_of_relaxed_energies(plain):
    """1e-4 of the slope: differences of two energies whose yarns have found their rest anew each time."""
    for state in ((0.03, 0.02, 0.0, 0.0, 0.0), (0.02, 0.0, 0.01, 150.0, 0.0)):
        found, q = sample(plain, plain.q, state)
        assert found.good
        for k in (0, 1, 2, 3):
            step = 1e-4 if k < 3 else 1.0
            if k == 3 and state[3] == 0.0:
                continue
            ends = []
            for side in (1, -1):
                moved = list(state)
                moved[k] += side * step
                ends.append(sample(plain, q, tuple(moved))[0].energy)
            size = np.abs(found.slopes[:3]).max() if k < 3 else abs(found.slopes[3])
            assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(found.slopes[k], abs=1e-4 * size)


def test_a_yarn_that_was_set_in_waves_bends_as_one_of_its_length():
    """2 %, vertices being half a radius apart: a moment is the same all along a yarn that nothing holds, so each of its
    parts bends by it: energy 1/2 B k^2 p/L per period and width, with its stiffness B, period p and length L of a period."""
    yarn = read_yarn("cotton_20tex")
    period, width, height = 7e-4, 5e-4, 8e-5
    t = np.linspace(0.0, period, 400, endpoint=False)
    line = np.stack([t, np.full(400, 0.5 * width), height * np.cos(2 * np.pi * t / period)], 1)
    patch = patch_of([Path(line, (1, 0), yarn)], period, width)
    patch = with_set(patch, np.ones(len(patch.q)))
    found, _ = sample(patch, patch.q, (0.0, 0.0, 0.0, 100.0, 0.0))
    share = period / patch.problem.rods.whole[0]
    assert share < 0.95
    assert found.good and found.energy == pytest.approx(0.5 * yarn.bending * 100.0**2 * share / width, rel=0.02)


def test_what_is_not_finite_has_not_come_to_rest(plain):
    assert not plain.solve(np.full(plain.q.shape, np.nan), cylinder(0.0, 0.0, 0.0)).converged


def test_samples_that_do_not_come_to_rest_are_named_and_the_preset_is_incomplete(tmp_path, monkeypatch):
    """As if yarns did not find their rest where they are sheared most: everything else is there, and the table continues."""

    call = whole.StoredSampler.__call__

    def stuck(self, method, questions):
        results = call(self, method, questions)
        for (beside, axis, strains, *_), answer in zip(questions if method == "chain" else [], results, strict=False):
            if not beside and axis == 1:
                answer["good"][np.array(strains) > 0.55] = False
        return results

    monkeypatch.setattr(whole.StoredSampler, "__call__", stuck)
    fabric = compute_preset("plain_weave", "", tmp_path / "stuck.toml")
    assert fabric.failed == ("sa 0.6",)
    how = read_provenance(tmp_path / "stuck.toml")
    assert not how["complete"] and how["missing"] == list(fabric.failed)
    curve = read_table(tmp_path / "data/stuck.npz").curves[1]
    assert curve.values[-1] == pytest.approx(curve.values[-2] + curve.slopes[-2] * np.diff(curve.knots)[-1], rel=1e-5)


def test_a_woven_comes_back_to_its_rest(plain):
    """Without friction a stretch that is taken back leaves nothing: 1e-6 of its energy."""
    far, q = sample(plain, plain.q, (0.05, 0.0, 0.0, 0.0, 0.0))
    back, _ = sample(plain, q, (0.0, 0.0, 0.0, 0.0, 0.0))
    assert abs(back.energy) < 1e-6 * far.energy


def test_stockinette_is_as_wide_as_knitters_measure_and_curls():
    """Courses and wales times the stitch's length are 5.0 to 5.5 and 3.8 to 4.2 in relaxed plain knits (Munden 1959): 10 %.
    Its sides curl to the back, away from +z, its ends to the front."""
    pattern, yarns = whole.read("stockinette")
    patch = whole.rest_of(pattern, yarns)
    assert pattern.stitch / patch.problem.height == pytest.approx(5.2, rel=0.1)
    assert pattern.stitch / patch.problem.width == pytest.approx(4.1, rel=0.1)
    found, _ = sample(patch, patch.q, (0.0, 0.0, 0.0, 0.0, 0.0))
    assert found.slopes[3] > 1e-4 and found.slopes[4] < -1e-4  # N: moments


def test_a_table_is_the_same_for_any_number_of_processes_and_after_a_stop(tmp_path, monkeypatch):
    fabric = compute_preset("plain_weave", "", tmp_path / "one.toml")
    assert not fabric.failed and fabric.comparison.monotone
    assert max(fabric.comparison.errors[:2]) < 0.02

    class StoppedHereError(Exception):
        pass

    def stop(what, share):
        if what == "pairs sampled" and share > 0.4:
            raise StoppedHereError

    with pytest.raises(StoppedHereError):
        compute_preset("plain_weave", "", tmp_path / "two.toml", workers=1, tell=stop)
    kept = list((tmp_path / ".two.samples").glob("*.npz"))
    assert len(kept) > 20
    kept[3].write_bytes(kept[3].read_bytes()[:-40])  # as a full disk leaves it
    again = compute_preset("plain_weave", "", tmp_path / "two.toml", workers=2)
    assert again.recomputed == (kept[3].name,) and not fabric.recomputed
    assert (tmp_path / "data/one.npz").read_bytes() == (tmp_path / "data/two.npz").read_bytes()
    assert not (tmp_path / ".two.samples").exists()
    assert read_table(tmp_path / "data/two.npz").twist < 0.0
