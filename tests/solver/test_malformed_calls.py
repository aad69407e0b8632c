"""Every malformed call of the public API is refused by a class of `solver.errors`, with finding, wish and remedy.

The calls are made from tables: each field of each class, times the wrong values of a field of its kind. Nothing is
simulated.
"""

import dataclasses
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import solver
from solver import (
    Cloth,
    Collider,
    FrameInputs,
    GpbdError,
    Material,
    Pins,
    Plane,
    Region,
    Rigid,
    Scene,
    Settings,
    SoftBody,
    Tie,
)
from solver.cache import checkpoint, pc2
from solver.cache.pc2_writer import Pc2Writer
from solver.scene import presets
from solver.settle import settle
from tests.solver.wrong_fields import CLASSES
from tests.solver.wrong_values import (
    COUNT,
    FABRIC,
    SOLID,
    TETRAHEDRON,
    TEXT,
    T,
    X,
    changed,
)


def refused(call: Callable[[], Any], *what: Any) -> str:
    """Return the message of a call that must be refused; it names the accepted values and ends with a remedy, in 600
    letters."""
    try:
        call()
    except GpbdError as error:
        text = str(error)
    else:
        pytest.fail(f"taken: {what}")
    assert re.search(r"[;:,] (wanted|it takes|there is none).*[.;] .+\.$", text, re.DOTALL), text
    assert len(text) < 600, text
    return text


#: What a message calls a field, where it is not the field's name.
CALLED = {
    (Collider, "vertices"): "positions",
    (SoftBody, "surface_triangles"): "(surface): triangles",
    (Cloth, "maps"): "map",
    (SoftBody, "maps"): "map",
}


@pytest.mark.parametrize(("cls", "good", "owner", "table"), [pytest.param(*row, id=row[0].__name__) for row in CLASSES])
def test_a_field_of_the_wrong_kind_is_refused(cls, good, owner, table):
    for field, wrongs in table.items():
        for value, words in wrongs:
            text = refused(lambda value=value, field=field: cls(**{**good, field: value}), field, value)
            assert owner in text and CALLED.get((cls, field), field) in text and words in text, text


def test_the_tables_have_a_thousand_wrong_values_of_every_public_field():
    """So many that a field whose check is forgotten is seen; a new field of a class has to have a row. The targets of pins
    are checked with their body, below."""
    assert sum(len(wrongs) for _, _, _, table in CLASSES for wrongs in table.values()) > 1000
    for cls, _, _, _ in CLASSES:
        told = {field for other, _, _, more in CLASSES if other is cls for field in more}
        missing = {field.name for field in dataclasses.fields(cls)} - told - {"name", "targets"}
        assert not missing, f"{cls.__name__}: {missing}"


@pytest.mark.parametrize(("cls", "good"), [pytest.param(cls, good, id=cls.__name__) for cls, good, _, _ in CLASSES])
def test_without_the_mistake_the_same_call_is_taken(cls, good):
    """Else the refusals above would say nothing."""
    cls(**good)


@pytest.mark.parametrize("cls", [Cloth, SoftBody, Rigid, Collider, Plane, Material])
def test_what_has_no_name_is_called_by_its_class(cls):
    good = next(good for found, good, _, _ in CLASSES if found is cls)
    for value, words in TEXT:
        text = refused(lambda value=value: cls(**{**good, "name": value}), "name", value)
        assert f"{cls.__name__}: name is " in text and words in text


FLAG = Cloth("flag", X, T, FABRIC)


def pinned(pins: Pins) -> Cloth:
    return Cloth("flag", X, T, FABRIC, pins=pins)


def of_regions(*regions: Region) -> Cloth:
    return Cloth("flag", X, T, FABRIC, regions=regions)


#: What fields alone do not show, and functions: name, call, what the message says.
CALLS: list[tuple[str, Callable[[], Any], str]] = [
    ("pin twice", lambda: pinned(Pins([1, 1])), "flag: a pin index is listed twice"),
    ("pin outside", lambda: pinned(Pins([4])), "flag: pins[0] is 4"),
    ("pin weight", lambda: pinned(Pins([1], 1.5)), "flag: the pin of vertex 1 has weight 1.5"),
    ("target text", lambda: pinned(Pins([1], targets="up")), "flag (pins): positions are 'up'"),
    ("target nan", lambda: pinned(Pins([1], targets=[[0, math.nan, 0]])), "first: vertex 0, [0, nan"),
    ("target count", lambda: pinned(Pins([1, 2], targets=X)), "flag: 4 pin targets for 2"),
    ("target later", lambda: pinned(Pins([1], targets=[X[:1], X[:1] * math.nan])), "of pose 1"),
    ("target function", lambda: pinned(Pins([1], targets=lambda t: None)), "at 0 s: positions are None"),
    ("collider function", lambda: Collider("floor", lambda t: [[0, 0]], T), "floor at 0 s: positions are of shape (1, 2)"),
    ("nothing touches", lambda: Collider("floor", X, T, without_contact=[0, 1, 2]), "leaves no triangle"),
    ("solid for cloth", lambda: Cloth("flag", X, T, SOLID), "material 'jelly' is a solid; wanted a fabric"),
    ("region outside", lambda: of_regions(Region([4], FABRIC)), "elements of region 'linen'[0] is 4"),
    ("region twice", lambda: of_regions(Region([1], FABRIC), Region([1], FABRIC)), "element 1 is of two regions"),
    ("region kind", lambda: of_regions(Region([1], SOLID)), "'jelly' of a region is a solid"),
    ("no mesh to touch", lambda: SoftBody("jelly", X, TETRAHEDRON, SOLID, contact_surface="mesh"), "there is no mesh"),
    ("triangles of nothing", lambda: SoftBody("jelly", X, TETRAHEDRON, SOLID, surface_triangles=T), "without surface"),
    ("no bodies", lambda: Scene([]), "no bodies"),
    ("same name", lambda: Scene([FLAG], [Plane("flag")]), "named 'flag'"),
    ("touches a stranger", lambda: Scene([Cloth("flag", X, T, FABRIC, touches=["ghost"])]), "touches 'ghost'"),
    ("tied at of a stranger", lambda: Scene([FLAG], tied_at={"ghost": X}), "tied_at: the scene has no body 'ghost'"),
    ("tied at of others", lambda: Scene([FLAG], tied_at={"flag": X[:2]}), "flag (tied_at): positions"),
    ("tie to a stranger", lambda: Scene([FLAG], ties=[Tie("flag", "ghost", 0.1)]), "no body 'ghost'"),
    ("tie to itself", lambda: Tie("flag", "flag", 0.1), "same body"),
    ("material of two", lambda: Material.fabric(0.1, (1, 2, 3), 30), "young is (1, 2, 3)"),
    ("material text", lambda: Material.fabric(0.1, "stiff", 30), "young_warp is 'stiff'"),
    ("material pair", lambda: Material.fabric(0.1, 100, 30, bending=(1e-5, None)), "bending_weft is None"),
    ("material bool", lambda: Material.fabric(True, 100, 30), "density is True"),
    ("material nan", lambda: Material.fabric(0.1, 100, math.nan), "shear is nan N/m"),
    ("material energy", lambda: Material.solid(1000, 1e5, 0.3, energy=["volume"]), "energy is ['volume']"),
    ("material unknown", lambda: Material.solid(1000, 1e5, 0.3, energy="rubber"), "unknown energy 'rubber'"),
    ("poisson", lambda: Material.solid(1000, 1e5, 0.5), "poisson is 0.5"),
    ("poisson complex", lambda: Material.solid(1000, 1e5, 0.3j), "poisson is 0.3j"),
    ("changed stranger", lambda: FABRIC.changed(colour="red"), "linen: the field to change is 'colour'"),
    ("changed density", lambda: FABRIC.changed(density="0.2"), "linen: density is '0.2'"),
    ("parameter missing", lambda: FABRIC.changed(energies={"spring": {}}), "is missing"),
    ("parameter unknown", lambda: FABRIC.changed(energies={"spring": {"colour": 1}}), "unknown parameter 'colour'"),
    ("quality", lambda: Settings.quality("best"), "quality is 'BEST'"),
    ("quality of none", lambda: Settings.quality(None), "quality is None"),
    ("method and step", lambda: Settings(method="pbng", global_iterations=4), "global_iterations is 4"),
    ("two accelerations", lambda: Settings(method="pbng", relaxation=1.5, chebyshev=0.9), "chebyshev is 0.9"),
    ("input nan", lambda: FrameInputs(colliders={"floor": changed(X, (3, 0), math.nan)}), "floor: positions are not finite"),
    ("input shape", lambda: FrameInputs(pins={"flag": X[:, :2]}), "flag (pins): positions are of shape (4, 2)"),
    ("input function", lambda: FrameInputs(pins={"flag": lambda t: X}), "flag (pins): positions are <function"),
    ("input far", lambda: FrameInputs(colliders={"floor": X * 1e30}), "too large at 3 places"),
    ("scene a body", lambda: solver.Simulation(FLAG), "Simulation: scene is a Cloth; wanted a Scene"),
    ("scene a list", lambda: solver.Simulation([FLAG]), "Simulation: scene is [Cloth("),
    ("settings a mapping", lambda: solver.Simulation(Scene([FLAG]), {"fps": 24}), "settings is {'fps': 24}"),
    ("settings zero", lambda: solver.Simulation(Scene([FLAG]), 0), "settings is 0"),
    ("settle a body", lambda: settle(FLAG), "Settle: scene is a Cloth"),
    ("settle settings", lambda: settle(Scene([FLAG]), "fast"), "Settle: settings is 'fast'"),
    *((f"settle {name} {value!r:.9}", lambda n=name, v=value: settle(Scene([FLAG]), **{n: v}), f"Settle: {name} is ")
      for name in ("tolerance", "speed", "steps") for value in ("1", None, 0, -1, math.nan, math.inf, True, 1j)),
    *((f"settle time {value!r}", lambda v=value: settle(Scene([FLAG]), time=v), "Settle: time is ")
      for value in ("1", None, math.nan, True)),
    *((f"load {value!r:.9}", lambda v=value: solver.load_material(v), "Material: name is ") for value, _ in TEXT),
    ("load unknown", lambda: solver.load_material("unobtainium"), "'unobtainium'"),
    *((f"folder {value!r:.9}", lambda v=value: solver.load_material("cotton", v), f"its path is {value!r}")
      for value in (3, "", b"x", "a\0b", ["x"])),
    *((f"list {value!r:.9}", lambda v=value: presets.list_presets(v), "Presets: kind is ") for value in (3, [], "metal")),
    *((f"{read.__name__} {value!r:.9}", lambda r=read, v=value: r(v), "its path is ")
      for read in (presets.read_preset, checkpoint.read, pc2.read_header, pc2.read_frames, pc2.read_manifest, pc2.verify)
      for value in (None, 3, "", ["x"], b"x", "a\0b")),
    ("write no material", lambda: presets.write_preset("x.toml", "cotton"), "x.toml: material is 'cotton'"),
    ("write aliases", lambda: presets.write_preset("x.toml", FABRIC, aliases="linen"), "aliases is 'linen'"),
    ("write to a number", lambda: presets.write_preset(3, FABRIC), "its path is 3"),
    ("cache of a number", lambda: Pc2Writer(3, 4, 1, {}), "its path is 3"),
]  # fmt: skip


def test_a_malformed_call_is_refused():
    for name, call, words in CALLS:
        assert words in refused(call, name), name


#: Name, call of a simulation, and its message.
ASKED: list[tuple[str, Callable[[Any], Any], str]] = [
    ("inputs a mapping", lambda s: s.advance_frame({"pins": X}), "Simulation: inputs is {'pins': "),
    ("inputs zero", lambda s: s.advance_frame(0), "inputs is 0"),
    ("inputs a class", lambda s: s.advance_frame(FrameInputs), "inputs is the class FrameInputs"),
    ("pins of a stranger", lambda s: s.advance_frame(FrameInputs(pins={"ghost": X})), "'ghost' is no body with pins"),
    ("pins of none", lambda s: s.advance_frame(FrameInputs(pins={"free": X})), "'free' is no body with pins"),
    ("a strange collider", lambda s: s.advance_frame(FrameInputs(colliders={"flag": X})), "'flag' is no collider mesh"),
    ("fewer pins", lambda s: s.advance_frame(FrameInputs(pins={"flag": X[:1]})), "flag (pins): 1 positions, 2 at the start"),
    ("more vertices", lambda s: s.advance_frame(FrameInputs(colliders={"floor": np.r_[X, X[:1]]})), "floor: 5 positions, 4"),
    *((f"frames {value!r:.9}", lambda s, v=value: next(s.frames(v)), "Frames: first is ") for value, _ in COUNT),
    ("last before first", lambda s: next(s.frames(3, 2)), "Frames 3 to 2"),
    *((f"restore {v!r:.9}", lambda s, v=v: s.restore(v), "Checkpoint: the snapshot is ") for v in (None, "x", 3, [X])),
    ("restore nothing", lambda s: s.restore({}), "Checkpoint: 'x' is missing"),
    ("restore a list", lambda s: s.restore(s.snapshot() | {"x": [1, 2]}), "Checkpoint: 'x' is a list"),
    ("restore doubles", lambda s: s.restore(s.snapshot() | {"v": s.snapshot()["v"].astype(float)}), "type float64; wanted"),
    ("restore a shape", lambda s: s.restore(s.snapshot() | {"x": s.snapshot()["x"][1:]}), "'x' is of shape"),
    ("restore nan", lambda s: s.restore(s.snapshot() | {"x": np.full_like(s.snapshot()["x"], np.nan)}), "'x' is not finite"),
]  # fmt: skip


def test_a_simulation_refuses_and_stays_as_it_was():
    free = Cloth("free", X + 3, T, FABRIC)
    scene = Scene([pinned(Pins([0, 1])), free], [Collider("floor", X - 2, T)])
    simulation = solver.Simulation(scene, Settings(threads=1))
    before = simulation.snapshot()
    for name, ask, words in ASKED:
        assert words in refused(lambda ask=ask: ask(simulation), name), name
    after = simulation.snapshot()
    assert all(before[key].tobytes() == after[key].tobytes() for key in before)
