"""Counts in sentences."""

from solver.cache.pc2 import framed
from solver.counted import counted


def test_words_agree_with_their_count():
    told = [counted(count, "frame is", "frames are") for count in (0, 1, 2, 24)]
    assert told == ["0 frames are", "1 frame is", "2 frames are", "24 frames are"]


def test_frames_are_named_with_their_number():
    assert [framed(numbers) for numbers in ([7], [3, 4, 5], [3, 4, 7])] == ["frame 7", "frames 3 to 5", "frames 3 to 4, 7"]
