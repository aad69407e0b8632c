"""A file that is saved elsewhere names its caches relative to itself."""

import shutil

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache


@pytest.mark.parametrize("copy", [False, True])
def test_a_file_saved_elsewhere_names_its_caches_relative_to_itself(blender, tmp_path, monkeypatch, copy):
    """A folder that is moved, or rendered on another machine without the extension, has its frames: nothing relinks them."""
    from gpbd.gpbd_addon.bake import collecting

    def save(path, **how):
        path.parent.mkdir()
        blender.ops.wm.save_as_mainfile(filepath=str(path), **how)

    flag = scenes.cloth(blender, pins=[0, 6], end=3)
    save(tmp_path / "one" / "shot.blend")
    baked = cache(bake(blender))
    name = f"//gpbd_cache/Flag-{flag.gpbd.uuid[:8]}.v1.pc2"
    flag.modifiers[0].name = "mine"  # found by its path from then on
    save(tmp_path / "two" / "shot.blend", copy=copy)
    (tmp_path / "two").rename(tmp_path / "moved")
    shutil.rmtree(tmp_path / "one")
    monkeypatch.setattr(collecting, "relink", lambda: [])
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "moved" / "shot.blend"))
    again = blender.data.objects["Flag"]
    assert again.modifiers["mine"].filepath == again.gpbd.cache_file == name
    blender.context.scene.frame_set(3)
    assert scenes.evaluated_positions(blender, again).tobytes() == baked[2].tobytes()
