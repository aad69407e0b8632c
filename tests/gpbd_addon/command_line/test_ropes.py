"""A rope with keyed numbers, baked and continued by the command line, as on a farm."""

from solver.cache import pc2 as frames
from tests.gpbd_addon import scenes
from tests.gpbd_addon.bake.test_rope import keyed, rope


def test_a_rope_with_keyed_numbers_is_continued_with_the_same_bits(blender, command, tmp_path):
    """Frames 4 to 6 after a checkpoint as without one, while the rope swells, shortens and stiffens."""
    ob = rope(blender, end=6)
    keyed(ob.gpbd, "rope_radius", {1: 0.006, 6: 0.012})
    keyed(ob.gpbd, "shrink_min", {1: 0.0, 6: 0.2})
    keyed(ob.gpbd.elastic_rod, "bending", {1: 1e7, 6: 1e9})
    scenes.save(blender, tmp_path)
    baked = lambda: frames.read_frames(blender.path.abspath(blender.data.objects["Rope"].modifiers[0].filepath)).copy()
    assert command("bake", "--frames", "1-3")[0] == 0
    code, lines = command("resume")
    assert code == 0 and [line["frame"] for line in lines if line["event"] == "frame"] == [4, 5, 6]
    continued = baked()
    assert command("bake")[0] == 0
    assert len(continued) == 6 and baked().tobytes() == continued.tobytes()
