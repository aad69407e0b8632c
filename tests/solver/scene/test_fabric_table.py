"""Files of fabric tables and published fabrics: written files are read back, and faults of a file are reported."""

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from solver.errors import PresetError
from solver.scene import published_fabric
from solver.scene.fabric_table import SCALARS, FabricTable, read_table, write_table
from solver.scene.presets import read_preset, write_preset
from solver.scene.published_fabric import read_published
from tests.scenes.linear_table import linear_table


def same(a: FabricTable, b: FabricTable) -> bool:
    curves = all(
        np.array_equal(getattr(x, key), getattr(y, key))
        for x, y in zip(a.curves, b.curves, strict=True)
        for key in ("knots", "values", "slopes")
    )
    scalars = all(getattr(a, key) == getattr(b, key) for key in SCALARS)
    return curves and scalars and all(np.array_equal(a.patches[pair].nodes, b.patches[pair].nodes) for pair in a.patches)


def test_a_table_is_read_as_it_was_written_in_few_bytes(tmp_path):
    numbers = {key: 0.25 * (n + 1) for n, key in enumerate(SCALARS)}
    path, table = tmp_path / "own.npz", replace(linear_table(), **numbers)
    write_table(path, table, "float64")
    assert same(read_table(path), table)
    first = path.read_bytes()
    write_table(path, table, "float64")
    assert path.read_bytes() == first


def arrays(**changes):
    """Return the arrays of a good file, with changes; None removes one."""
    table = linear_table()
    good = {"version": np.array(1)}
    for k, curve in enumerate(table.curves):
        good |= {f"t{k}": curve.knots.copy(), f"p{k}": curve.values.copy(), f"m{k}": curve.slopes.copy()}
    patch = table.patches["02"]
    good |= {"u02": patch.u.copy(), "v02": patch.v.copy(), "g02": patch.nodes.copy()}
    return {key: array for key, array in (good | changes).items() if array is not None}


def with_nan():
    values = linear_table().curves[3].values.copy()
    values[2] = np.nan
    return values


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": np.array(2)}, "the version is 2"),
        ({"p3": with_nan()}, "1 numbers that are not finite"),
        ({"t0": np.array([0.0, 0.2, 0.1, 0.3, 0.4, 0.5])}, "do not ascend"),
        ({"t0": np.linspace(0.1, 0.9, 6)}, "have no 0 among them"),
        ({"t0": np.array([0.0, 0.1, 0.2, 0.3, 0.5, 0.6])}, "not evenly spaced above 0"),
        ({"m1": np.zeros(3)}, "have the shape (3,)"),
        ({"p2": None}, "there is no array 'p2'"),
        ({"u02": None}, "there is no array 'u02'"),
        ({"p9": np.zeros(3)}, "there is an unknown array 'p9'"),
        ({"g02": np.ones((4, 6, 6))}, "where it must be 0"),
        ({"t1": np.array(["a"])}, "float32 or float64"),
        ({"t1": np.linspace(-1, 1, 201), "p1": np.zeros(201), "m1": np.zeros(201)}, "3 to 64 of them"),
        ({"twist": np.array(np.inf)}, "not finite"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(tmp_path, changes, said):
    np.savez(tmp_path / "bad.npz", **arrays(**changes))
    with pytest.raises(PresetError, match=said.replace("(", r"\(").replace(")", r"\)")):
        read_table(tmp_path / "bad.npz")


def test_a_bomb_or_what_is_no_npz_is_not_unpacked(tmp_path):
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("t0.npy", bytes(64 << 20))
    (tmp_path / "bomb.npz").write_bytes(bomb.getvalue())
    with pytest.raises(PresetError, match="its arrays have 67108864 bytes"):
        read_table(tmp_path / "bomb.npz")
    (tmp_path / "text.npz").write_text("no table")
    with pytest.raises(PresetError, match="not an npz file"):
        read_table(tmp_path / "text.npz")
    np.savez(tmp_path / "pickled.npz", t0=np.array([{}], object))
    with pytest.raises(PresetError, match="not an npz file"):
        read_table(tmp_path / "pickled.npz")


def published(**changes):
    """A published file of the linear table."""
    table, scale = linear_table(), np.array([1, 0.5, 1, 100, 100.0])
    curves = [
        {"k": k, "t": list(c.knots / scale[k]), "p": list(c.values + 0.5), "m": list(c.slopes * scale[k])}
        for k, c in enumerate(table.curves)
    ]
    patch = table.patches["02"]
    nodes = {key: patch.nodes[n].ravel().tolist() for n, key in enumerate(("p", "mu", "mv", "muv"))}
    patches = [{"k0": 0, "k1": 2, "tu": patch.u.tolist(), "tv": patch.v.tolist(), **nodes}]
    coeffs = {"const": -2.5, "1D": curves, "2D": patches} | changes.pop("coeffs", {})
    return {"density": 0.3, "strain scale": scale.tolist(), "strain shift": [1, 0, 1, 0, 0], "coeffs": coeffs} | changes


def one_curve(**changes):
    """The five curves, the first one of three knots and changed."""
    three = {"k": 0, "t": [-1.0, 0.0, 1.0], "p": [1.0, 0.0, 1.0], "m": [-1.0, 0.0, 1.0]}
    if len(changes.get("t", three["t"])) != 3:
        three |= {"p": [0.0] * len(changes["t"]), "m": [0.0] * len(changes["t"])}
    return [three | changes, *published()["coeffs"]["1D"][1:]]


def one_patch(**changes):
    """A patch of nothing, changed."""
    nine = {key: [0.0] * 9 for key in ("p", "mu", "mv", "muv")}
    return [{"k0": 0, "k1": 2, "tu": [-1.0, 0.0, 1.0], "tv": [-1.0, 0.0, 1.0], **nine, **changes}]


def test_a_published_file_becomes_a_preset_with_its_table_beside_it(tmp_path):
    """1e-12: the file's strains are scaled."""
    (tmp_path / "own_knit.json").write_text(json.dumps(published()))
    material = read_published(tmp_path / "own_knit.json")
    assert material.name == "Own Knit" and material.density == 0.3 and "not-for-profit" in material.source
    assert abs(material.table.constant) < 1e-12
    for curve, wanted in zip(material.table.curves, linear_table().curves, strict=True):
        assert np.abs(curve.values - wanted.values).max() < 1e-12
    write_preset(tmp_path / "own_knit.toml", material)
    read = read_preset(tmp_path / "own_knit.toml")
    assert same(read.table, material.table) and (tmp_path / "data" / "own_knit.npz").is_file()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"density": -1}, "density is -1"),
        ({"density": "1"}, "density is '1'"),
        ({"licence": "none"}, "unknown key 'licence'"),
        ({"strain scale": [1, 1, 1]}, "strain scale is a list of 3"),
        ({"strain scale": [1, 1, 1, 1, float("nan")]}, "not finite"),
        ({"strain scale": [1, 1, 1, 1, 10**400]}, "not finite"),
        ({"coeffs": {"1D": []}}, "there are curves of the axes"),
        ({"coeffs": {"2D": [{}]}}, "lacks the key 'k0'"),
        ({"coeffs": {"1D": [[]] * 5}}, "curve 0 is"),
        ({"coeffs": []}, "coeffs is"),
        ({"coeffs": {"1D": one_curve(t=[0.0, 0.2, 0.1, 0.3])}}, "do not ascend"),
        ({"coeffs": {"1D": one_curve(p=[0.0, float("nan"), 0.0])}}, "p of curve 0 has numbers that are not finite"),
        ({"coeffs": {"1D": one_curve(m=[0.0])}}, "m of curve 0 is a list of 1"),
        ({"coeffs": {"1D": one_curve(t=[0.0, 1.0])}}, "t of curve 0 is a list of 2"),
        ({"coeffs": {"1D": one_curve(more=1)}}, "curve 0 has the unknown key 'more'"),
        ({"coeffs": {"1D": one_curve(k=5)}}, "the axis of curve 0 is 5"),
        ({"coeffs": {"2D": one_patch(tv=[-1.0, 1.0, 0.0])}}, "do not ascend"),
        ({"coeffs": {"2D": one_patch(p=[0.0] * 5)}}, "p of patch 0 is a list of 5"),
        ({"coeffs": {"2D": one_patch(mu=[float("inf")] * 9)}}, "mu of patch 0 has numbers that are not finite"),
        ({"coeffs": {"2D": 2 * one_patch()}}, "there are two patches of the axes 0 and 2"),
        ({"coeffs": {"2D": one_patch(tx=[0.0])}}, "patch 0 has the unknown key 'tx'"),
    ],
)
def test_what_is_wrong_with_a_published_file_is_said(tmp_path, changes, said):
    values = published()
    coeffs = changes.get("coeffs")
    values |= {**changes, "coeffs": {**values["coeffs"], **coeffs}} if isinstance(coeffs, dict) else changes
    (tmp_path / "bad.json").write_text(json.dumps(values))
    with pytest.raises(PresetError, match=said):
        read_published(tmp_path / "bad.json")


def test_a_huge_or_deep_published_file_is_refused(tmp_path, monkeypatch):
    (tmp_path / "deep.json").write_text("[" * 200000)
    with pytest.raises(PresetError, match="not a JSON text"):
        read_published(tmp_path / "deep.json")
    monkeypatch.setattr(published_fabric, "MOST_BYTES", 1000)
    (tmp_path / "huge.json").write_text(json.dumps([0] * 1000))
    with pytest.raises(PresetError, match="at most 1000"):
        read_published(tmp_path / "huge.json")
