"""Patterns and yarns as they are read: what can be woven and knitted, and that every number has its source."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from solver.errors import PresetError
from solver.yarn import compute
from solver.yarn.compute import read
from solver.yarn.pattern import FOLDER, Pattern, check_fit, check_rows, read_pattern
from solver.yarn.yarn import FOLDER as YARNS
from solver.yarn.yarn import NUMBERS, read_yarn

PATTERNS = sorted(path.stem for path in FOLDER.glob("*.toml"))


def weave(*rows):
    return Pattern("weave", "weave", rows, ("cotton_20tex",), ends=2700.0, picks=2700.0)


def knit(*rows):
    return Pattern("knit", "knit", rows, ("cotton_20tex",), stitch=0.003)


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_of_the_project_can_be_made_of_its_yarns(name):
    pattern, yarns = read(name)
    check_fit(name, pattern, yarns)


@pytest.mark.parametrize("path", sorted(YARNS.glob("*.toml")), ids=lambda path: path.stem)
def test_each_number_of_a_yarn_cites_an_author_and_a_year_or_says_that_it_is_estimated(path):
    yarn = read_yarn(path.stem)
    for key in set(NUMBERS) - {"linear_density"}:
        source = yarn.sources[key]
        assert source.startswith("estimated") or any(year.isdigit() for year in source.replace(",", " ").split()), key


def test_a_yarn_is_no_stiffer_against_bending_than_a_solid_rod_and_no_softer_than_free_fibres_allow():
    """A quarter of stretch times radius^2 is that of a solid rod; a hundredth of a per cent of it is less than one fibre of
    the hundreds in a yarn has."""
    for path in YARNS.glob("*.toml"):
        yarn = read_yarn(path.stem)
        solid = 0.25 * yarn.stretch * yarn.radius**2
        assert 1e-4 * solid < yarn.bending < solid
        assert 0.0 < yarn.twist < yarn.bending
        packed = yarn.linear_density / (math.pi * yarn.radius**2)
        assert 300.0 < packed < 1200.0  # kg/m^3: from woollen-spun to flat filaments


@pytest.mark.parametrize("rows", [("XX", "XX"), ("X.", "X."), ("XX", ".X"), ("XXX", ".X.", "X.X")])
def test_a_weave_that_falls_apart_is_refused(rows):
    with pytest.raises(PresetError, match="falls apart"):
        check_rows("it", weave(*rows))


@pytest.mark.parametrize("rows", [("X.", ".X"), ("XX.", ".XX", "X.X"), ("X....", "..X..", "....X", ".X...", "...X.")])
def test_a_weave_that_hangs_together_is_taken(rows):
    check_rows("it", weave(*rows))


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (knit("K", "S", "S", "S", "S"), "slips"),
        (knit("KS"), "slips"),
        (knit("KK", "SS"), "slips every stitch"),
        (knit("KX"), "rows have X"),
        (weave("X.", "X"), "rows of"),
        (weave("X." * 10, ".X" * 10), "at most 16"),
    ],
)
def test_what_cannot_be_knitted_or_has_no_rows_of_one_length_is_refused(pattern, message):
    with pytest.raises(PresetError, match=message):
        check_rows("it", pattern)


def test_yarns_that_are_too_thick_for_their_spacing_are_refused():
    """Round yarns in a plain square cloth touch all around at the square root of 3 times their diameter (Peirce 1937)."""
    cotton = read_yarn("cotton_20tex")
    closest = 1.0 / (math.sqrt(3.0) * 2.0 * cotton.radius)
    near = weave("X.", ".X")
    check_fit("it", Pattern(**vars(near) | {"ends": 0.99 * closest, "picks": 0.99 * closest}), (cotton, cotton))
    with pytest.raises(PresetError, match="ends per metre; wanted at most"):
        check_fit("it", Pattern(**vars(near) | {"ends": 1.01 * closest}), (cotton, cotton))
    with pytest.raises(PresetError, match="of yarn in a stitch; wanted at least"):
        check_fit("it", Pattern(**vars(knit("K")) | {"stitch": 20 * cotton.radius}), (cotton, cotton))


def test_a_fabric_that_does_not_come_to_rest_is_refused_with_what_helps(monkeypatch):
    monkeypatch.setattr(compute, "make_patch", lambda pattern, yarns: rods_of(2))
    monkeypatch.setattr(compute, "relax", lambda patch, share, free, seed: (patch, False))
    with pytest.raises(PresetError, match=r"Plain weave, .*: the yarns do not come to rest\. Take more yarn"):
        compute.rest_of(*read("plain_weave"))


def rods_of(yarns):
    """Stands for a patch: which yarn its vertices are of, and that the last of them is the weft."""
    rods = SimpleNamespace(yarn=np.arange(yarns), period=np.array([[0, 1]] * (yarns - 1) + [[1, 0]]))
    return SimpleNamespace(problem=SimpleNamespace(rods=rods))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind = 1", "wanted weave or knit"),
        ('kind = "knit"', "unknown or missing"),
        ("kind = [", "cannot be read"),
        ('name = "a"\nkind = "knit"\nrows = ["K"]\nyarns = []\nabout = {}\nstitch = 0.003', "yarns is"),
        ('name = "a"\nkind = "knit"\nrows = ["K"]\nyarns = ["b"]\nabout = {}\nstitch = nan', "stitch"),
        ('name = "a"\nkind = "knit"\nrows = ["K"]\nyarns = ["b", "c"]\nabout = {}\nstitch = 0.003', "2 yarns"),
    ],
)
def test_a_file_that_is_no_pattern_is_refused(tmp_path, text, message):
    (tmp_path / "it.toml").write_text(text, encoding="utf-8")
    with pytest.raises(PresetError, match=message):
        read_pattern(str(tmp_path / "it.toml"))


def test_a_missing_pattern_or_yarn_is_named_with_those_there_are():
    with pytest.raises(PresetError, match=r"herringbone.*plain_weave"):
        read_pattern("herringbone")
    with pytest.raises(PresetError, match=r"hemp.*cotton_20tex"):
        read("plain_weave", "cotton_20tex,hemp")
    with pytest.raises(PresetError, match="one of a knit"):
        read("stockinette", "cotton_20tex,cotton_30tex")


def test_a_yarn_without_a_source_is_refused(tmp_path):
    text = (YARNS / "cotton_20tex.toml").read_text(encoding="utf-8")
    (tmp_path / "it.toml").write_text(text.replace('set = "', 'said = "'), encoding="utf-8")
    with pytest.raises(PresetError, match="sources"):
        read_yarn(str(tmp_path / "it.toml"))
    (tmp_path / "it.toml").write_text(text.replace("radius = 8", "radius = -8"), encoding="utf-8")
    with pytest.raises(PresetError, match="radius is -8"):
        read_yarn(str(tmp_path / "it.toml"))
    (tmp_path / "it.toml").write_text(text.replace("stretch = 56.7", "stretch = nan"), encoding="utf-8")
    with pytest.raises(PresetError, match="stretch is nan"):
        read_yarn(str(tmp_path / "it.toml"))


def test_mirror_images_are_known():
    assert weave("X.", ".X").mirrored and weave("XX..", "XX..", "..XX", "..XX").mirrored and knit("KP").mirrored
    assert not weave("XX.", ".XX", "X.X").mirrored
