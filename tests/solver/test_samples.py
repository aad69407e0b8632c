"""Poses within a frame."""

import numpy as np
import pytest

from solver import Pins, Scene, Settings, Simulation
from solver.cache import pc2
from solver.cache.pc2_writer import Pc2Writer
from solver.cache.repair import mend
from solver.scene import Material
from solver.stepping import adaptive_substeps
from solver.stepping.step import substep
from tests.scenes.meshes import grid
from tests.scenes.plain_cloth import plain_cloth


def flag(**settings):
    body = plain_cloth("flag", *grid(6, 0.5), Material.fabric(0.2, 500, 50), pins=Pins([0, 6]))
    return Simulation(Scene([body]), Settings.quality("draft", **{"substeps": 8} | settings))


def test_a_sample_is_where_the_substep_of_its_time_ends(monkeypatch):
    """1e-6 m: positions are in single precision."""
    ends = []

    def noted(stages):
        done = substep(stages)
        ends.append(stages.state.x[: stages.model.n_vertices, :3].copy())
        return done

    monkeypatch.setattr(adaptive_substeps, "substep", noted)
    simulation = flag(samples=4)
    for _ in range(3):
        ends.clear()
        found = simulation.advance_frame()
        assert found.samples["flag"].shape == (4, 49, 3)
        assert np.array_equal(found.samples["flag"][-1], found.surfaces["flag"])
        for sample, end in zip(found.samples["flag"], ends[1::2], strict=True):
            assert np.abs(sample - (end + simulation.model.origin)).max() < 1e-6


def test_samples_between_substeps_lie_on_the_straight_way_and_change_no_frame():
    plain, sampled = flag(), flag(samples=3)
    assert not plain.start().samples and sampled.start().samples["flag"].shape == (3, 49, 3)
    for _ in range(2):
        plain_frame, frame = plain.advance_frame(), sampled.advance_frame()
        assert np.array_equal(plain_frame.positions["flag"], frame.positions["flag"]) and not plain_frame.samples
    falling = frame.samples["flag"][:, :, 2].mean(1)
    assert (np.diff(falling) < 0).all()


@pytest.mark.parametrize("samples", [1, 4])
def test_a_cache_of_samples_is_read_and_repaired_frame_by_frame(tmp_path, samples):
    path = tmp_path / "a.pc2"
    data = np.random.default_rng(0).random((5, samples, 7, 3), np.float32)
    writer = Pc2Writer(path, 7, 3, {"topology": "t", "samples": samples})
    for pose in data[:4]:
        writer.append(pose if samples > 1 else pose[0])
    writer.close()
    again = Pc2Writer.resume(path, 7, "t", 3)
    again.append(data[4] if samples > 1 else data[4, 0])
    again.close()
    assert pc2.read_header(path) == pc2.Header(7, 3.0, 4, samples)
    kept = data[[0, 1, 2, 4]]
    assert np.array_equal(pc2.read_samples(path), kept) and np.array_equal(pc2.read_frames(path), kept[:, -1])
    content = bytearray(path.read_bytes())
    content[24:32] = bytes(8)
    path.write_bytes(content)
    assert mend(path) and pc2.read_header(path).samples == samples and not pc2.verify(path)
