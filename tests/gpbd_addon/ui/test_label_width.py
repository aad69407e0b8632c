"""Room for labels beside their fields, in pixels of Blender's font."""

import pytest


@pytest.fixture
def widths(extension, monkeypatch):
    from gpbd.gpbd_addon.ui import label_width

    def in_row_of(pixels):
        monkeypatch.setattr(label_width, "row_width", lambda: pixels)
        return label_width

    return in_row_of


def test_a_short_label_has_blenders_share(widths):
    assert widths(222.0).share_of("Drag") == 0.4


@pytest.mark.parametrize("row", [222.0, 300.0])
def test_a_long_label_has_the_room_that_it_needs(widths, row):
    """222 is a row of a panel of 256 pixels."""
    module = widths(row)
    share = module.share_of("Max Sewing Force", unit="N/m")
    assert share * row >= module.text_width("Max Sewing Force") + module.LABEL_PADDING - 1e-9
    assert (1 - share) * row >= module.FIELD + module.unit_width("N/m") + module.DOT - 1e-9


def test_a_field_keeps_its_room_where_both_have_none(widths):
    module = widths(191.0)
    share = module.share_of("A label of more than a whole row of this panel", unit="N/m")
    assert (1 - share) * 191.0 == pytest.approx(module.FIELD + module.unit_width("N/m") + module.DOT)


def test_the_widest_of_several_labels_counts(widths, blender):
    module = widths(222.0)
    settings = blender.context.scene.gpbd
    assert module.label_share(settings, "drag", "samples") == module.share_of("Motion Blur Samples")


def test_a_number_of_five_digits_has_its_room(widths):
    """1000 kg/m^3 in a panel of 226 pixels: Blender draws a number that does not fit without its last digits."""
    module = widths(192.0)
    needed = module.NUMBER + module.unit_width("kg/m³") + module.DOT
    assert (1 - module.number_share("kg/m³")) * 192.0 >= needed - 1e-9 and module.text_width("1000.0") + 16 <= module.NUMBER
    assert widths(300.0).number_share("kg/m³") == module.LABEL_SHARE
