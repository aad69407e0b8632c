"""Intersections in every frame's report against ipctk's count: all scenes, all qualities, contact on or off."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver.scene.qualities import QUALITIES
from tests.scenes.contact import SCENES
from tests.scenes.counted_runs import told_and_counted
from tests.scenes.materials import FABRIC
from tests.scenes.meshes import sheet

pytestmark = pytest.mark.slow  # compilation

DEFAULT = "default"  # `Settings()`
KINDS = [*(name.lower() for name in QUALITIES), DEFAULT]
#: Of each scene, as small as it says something, and frames.
SMALL = {
    "two": ({"n": 6}, 4), "press": ({"n": 2}, 6), "flat": ({"n": 8}, 4), "fold": ({"n": 6}, 4), "fast": ({"n": 6}, 8),
    "pile": ({"n": 4, "count": 3}, 6), "twist": ({"n": 8}, 14), "cubes": ({"n": 1, "count": 2}, 3),
    "box": ({"count": 3}, 4), "drape": ({"n": 6}, 6), "sleeve": ({"n": 6, "period": 12}, 2), "strips": ({"n": 4}, 4),
    "heap": ({"count": 2}, 2), "trampoline": ({"n": 6}, 4),
}  # fmt: skip
#: Without self-collision its layers come to lie in one plane, and what lies in a plane with a triangle does not count here.
COPLANAR = ("fold", False)
#: Without self-collision these pass through themselves in all qualities; "fold" only where its layers do not lie in planes.
THROUGH = ("twist",)


def settings(kind: str) -> solver.Settings:
    return solver.Settings(threads=1) if kind == DEFAULT else solver.Settings.quality(kind, threads=1)


def check(name: str, kind: str, on: bool) -> None:
    """Exact; of `COPLANAR` whether there are any."""
    pytest.importorskip("ipctk", reason="ipctk, which counts intersections, is not installed", exc_type=ImportError)
    size, frames = SMALL[name]
    scene, _ = SCENES[name](solver, **size)
    for body in scene.bodies:
        body.self_contact = on and not isinstance(body, solver.Rigid)
    told, counted = told_and_counted(scene, settings(kind), frames)
    if (name, on) == COPLANAR:
        assert [count > 0 for count in told] == [count > 0 for count in counted]
    else:
        assert told == counted
    assert on or name not in THROUGH or max(counted) > 10


@pytest.mark.each_value
@pytest.mark.parametrize(("name", "kind"), [(name, KINDS[k % len(KINDS)]) for k, name in enumerate(SMALL)])
@pytest.mark.parametrize("on", [True, False])
def test_the_report_counts_what_ipctk_counts(name, kind, on):
    """From the start on. Each scene in one of the qualities; the test below has all of them."""
    check(name, kind, on)


@pytest.mark.long
@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SMALL)
def test_the_report_counts_what_ipctk_counts_in_every_quality(name, kind, on):
    check(name, kind, on)


@pytest.mark.parametrize("off", ["touches", "without_contact", "alone"])
def test_what_contact_leaves_alone_counts(off):
    """Exact. Two sheets that fall through one another, or one that starts through itself and has nothing to collide with."""
    pytest.importorskip("ipctk", reason="ipctk, which counts intersections, is not installed", exc_type=ImportError)
    x, t = sheet(6, 0.5, (0, 0, 0.3))
    y, u = sheet(6, 0.5, (0.013, 0.007, 0.302), 0.3, (0, 1, 0))
    material = solver.Material.fabric(**FABRIC)
    if off == "alone":
        bodies = [
            solver.Cloth("both", np.concatenate([x, y]), np.concatenate([t, u + len(x)]), material, self_contact=False)
        ]
    else:
        left = {"touches": ["one"]} if off == "touches" else {"without_contact": np.arange(len(x))}
        bodies = [solver.Cloth("one", x, t, material, **left), solver.Cloth("other", y, u, material)]
    told, counted = told_and_counted(solver.Scene(bodies), settings("draft"), 3)
    assert told == counted
    assert min(counted) > 5
