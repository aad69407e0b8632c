"""The demo scenes are made and baked for a few frames; the pictures are assembled right."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from tests.covering_set import long

pytest.importorskip("bpy", reason="Blender is not installed as a module")


@pytest.fixture(scope="module")
def run():
    """The module demo.run, its extension registered."""
    module = importlib.import_module("demo.run")
    importlib.import_module("demo.extension").enable()
    return module


LONG = long("tablecloth", "jelly", "bunny", "clay", "jiggle", "creases", "ropes", "bridge", "hung")


@pytest.mark.parametrize("name", ["flag", "shirt", *LONG])
def test_a_scene_plays_its_cache_when_its_file_is_opened_again(run, name, tmp_path):
    """Three frames: enough to fall; 1e-3 m is far below the 3.4 cm of free fall from the first to the last."""
    import bpy

    scene = importlib.import_module(f"demo.{name}")
    measured = run.Measured(name)
    run.build_and_bake(scene, tmp_path, measured, frames=3)
    assert len(measured.reports) == 3
    assert all(report.max_stretch < 0.2 for report in measured.reports)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / f"{name}.blend"))
    body = next(ob for ob in bpy.context.scene.objects if ob.gpbd.body_type != "NONE")
    playing = next(md for md in body.modifiers if md.type == "MESH_CACHE")
    assert playing.filepath.startswith(f"//{name}_cache")
    first, last = (_positions(bpy, body, frame) for frame in (1, 3))
    assert np.abs(last - first).max() > 1e-3, "the cache is not played"


def test_an_unknown_scene_is_refused_with_the_known_ones(run, capsys):
    with pytest.raises(SystemExit) as end:
        run.main(["teapot"])
    assert end.value.code == 2
    assert "flag, tablecloth, jelly, shirt, bunny, jiggle, creases, clay" in capsys.readouterr().err


def _positions(bpy, ob, frame):
    bpy.context.scene.frame_set(frame)
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    x = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", x)
    return x.reshape(-1, 3)
