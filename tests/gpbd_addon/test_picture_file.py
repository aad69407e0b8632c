"""Image files as arrays."""

import numpy as np
import pytest

#: Rows that are not where the colours meet.
BESIDE = np.r_[0:12, 20:32]


def test_a_picture_that_is_written_is_read_again(blender, tmp_path):
    """8 bits a channel: half a step is 0.002, and 0.003 the limit; of a JPEG some steps more, away from where it blurs."""
    from gpbd.gpbd_addon import picture_file

    pixels = np.ones((32, 32, 4), np.float32)
    pixels[:16, :, 0], pixels[16:, :, 2] = 0.2, 0.6
    for name, limit in (("x.png", 0.003), ("x.jpg", 0.05)):
        picture_file.write(tmp_path / name, pixels)
        found = picture_file.read(tmp_path / name)
        assert found.shape == pixels.shape and found[BESIDE] == pytest.approx(pixels[BESIDE], abs=limit)
    assert (tmp_path / "x.jpg").read_bytes()[:2] == b"\xff\xd8"


def test_pictures_stand_row_by_row(extension):
    from gpbd.gpbd_addon.picture_file import GAP, joined

    tiles = [np.full((2, 3, 4), k / 8, np.float32) for k in range(5)]
    whole = joined(tiles, 2)
    assert whole.shape == (3 * (2 + GAP) - GAP, 2 * (3 + GAP) - GAP, 4)
    assert whole[2 + GAP, 3 + GAP, 0] == 3 / 8 and whole[-1, -1, 0] == 1
