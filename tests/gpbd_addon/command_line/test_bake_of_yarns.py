"""A cloth made of yarns from its preset to the reports of its bake in panels and on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.gpbd_addon import scenes

ROOT = Path(__file__).resolve().parents[3]
N, PULL = 6, 0.3


@pytest.fixture
def pulled(blender, tmp_path):
    """Satin made of yarns, two sides of which a shape key draws apart by 30 %; its data ends at 3 %."""
    rows = range(0, (N + 1) ** 2, N + 1)
    ob = scenes.cloth(blender, pins=[*rows, *(row + N for row in rows)], n=N, end=6)
    blender.context.view_layer.objects.active = ob
    assert blender.ops.gpbd.apply_preset(path=str(ROOT / "presets/fabrics/satin_5.toml")) == {"FINISHED"}
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Pulled")
    for point in key.data:
        point.co.x *= 1 + PULL
    for value, frame in ((0.0, 1), (1.0, 4)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    blender.context.scene.gravity = (0, 0, 0)
    scenes.save(blender, tmp_path)
    return ob


@pytest.mark.long
def test_the_bake_tells_the_stretch_and_once_each_what_is_odd(blender, pulled, capsys):
    """Edges along the pull are longer by it, the longest by up to half as much again: stretched in 3 frames, it swings."""
    from gpbd.gpbd_addon.command_line import main

    code = main.main(["bake", "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    told = [line["text"] for line in lines if line["event"] == "warning"]
    assert code == 0 and PULL < lines[-1]["max_stretch"] < 1.5 * PULL
    (beyond,) = [text for text in told if "beyond its data" in text]
    assert f"of {2 * N * N} triangles of the fabric" in beyond
    assert len([text for text in told if "no UV map says how the yarns" in text]) == 1
    assert blender.ops.gpbd.stretch_heat_map() == {"FINISHED"}
    blender.context.scene.frame_set(6)
    found = np.empty(len(pulled.data.vertices), np.float32)
    pulled.data.attributes["gpbd_stretch"].data.foreach_get("value", found)
    now, total, count = scenes.evaluated_positions(blender, pulled), np.zeros(len(found)), np.zeros(len(found))
    rest = np.array([v.co for v in pulled.data.vertices])
    for edge in pulled.data.edges:
        a, b = edge.vertices
        total[[a, b]] += np.linalg.norm(now[a] - now[b]) / np.linalg.norm(rest[a] - rest[b]) - 1
        count[[a, b]] += 1
    assert np.abs(found - total / count).max() < 1e-5
    assert found.max() > PULL / 4
