"""A window that plays, of a flag that moves."""

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.live.playing import Window


@pytest.fixture
def window(blender, tmp_path, monkeypatch):
    from gpbd.gpbd_addon.live import files, player

    scenes.moving_flag(blender, tmp_path)
    blender.context.scene.gpbd.frame_end = 30
    made = Window(blender, player, files)
    monkeypatch.setattr(player, "has_window", lambda: True)
    monkeypatch.setattr(player, "is_playing", lambda: made.playing)
    blender.context.scene.frame_set(1)
    yield made
    player.end()
