"""One file in a folder of one's own is an energy: the catalogue, the sweeps, the residual and the global step have it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.covering_set import long

ROOT = Path(__file__).resolve().parents[3]
ADDED = Path(__file__).with_name("added") / "plain_membrane.py"


def answer_of(code: str, folder: Path, kernels: Path | None = None) -> dict:
    """Return the JSON that the code prints, run in a process of its own with this folder of energies."""
    environment = os.environ | {"GPBD_ENERGIES": str(folder)} | ({"NUMBA_CACHE_DIR": str(kernels)} if kernels else {})
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


CATALOGUE = """
import json
from solver.scene import catalog
energy = catalog.energies()["plain_membrane"]
print(json.dumps([energy.label, energy.element, list(energy.parameters), catalog.sweep_order("plain_membrane")]))
"""


@pytest.fixture
def folder(tmp_path):
    """With a copy of the added energy."""
    shutil.copy(ADDED, tmp_path)
    return tmp_path


def test_the_catalogue_has_it(folder):
    label, element, parameters, _ = answer_of(CATALOGUE, folder)
    assert (label, element, parameters) == ("Plain Stretch", "triangle", ["young", "poisson"])


@pytest.mark.parametrize(
    "change, told",
    [
        (('"plain_membrane"', '"other"'), "NAME is 'other'; wanted the file's own"),
        (('"triangle"', '"square"'), "ELEMENT is 'square'; wanted one of vertex"),
        (('LABEL = "Plain Stretch"', ""), "the literal LABEL is missing"),
    ],
)
def test_a_file_that_does_not_fit_is_told(folder, change, told):
    path = folder / ADDED.name
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(AssertionError, match=told):
        answer_of(CATALOGUE, folder)


def test_an_energy_of_a_name_that_there_is_is_told(folder):
    shutil.copy(ROOT / "solver" / "energies" / "spring.py", folder)
    with pytest.raises(AssertionError, match="there is an energy 'spring' already"):
        answer_of(CATALOGUE, folder)


def test_a_folder_that_does_not_exist_is_told(tmp_path):
    with pytest.raises(AssertionError, match="which is no folder"):
        answer_of(CATALOGUE, tmp_path / "nowhere")


SIMULATED = """
import json
import numpy as np
from solver import Material, Pins, Scene, Settings, Simulation
from tests.scenes.plain_cloth import plain_cloth
from tests.validation.meshes import grid

values = {"plain_membrane": {"young": 2000.0, "poisson": 0.3}}
bend = {"discrete_shell": {"bending_warp": 1e-5, "bending_weft": 1e-5, "damping": 0.0}}
flat, triangles = grid(32, 32, 1.0, 1.0)
x = np.stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]], 1)
pins = Pins(np.flatnonzero(x[:, 2] > 1 - 1e-9))
found = {}
for iterations in (0, 8):
    material = Material("plain", "fabric", 0.15, values | bend)
    cloth = plain_cloth("sheet", x, triangles, material, pins=pins, rest_vertices=flat)
    sim = Simulation(Scene([cloth]), Settings(substeps=8, iterations=4, global_iterations=iterations, integrator="bdf1"))
    *_, last = sim.frames(1, 25)
    step = sim.substeps.now.global_step
    found[iterations] = {
        "stretch": last.report.mean_stretch, "elastic": last.report.elastic_energy, "residual": last.report.residual,
        "solved": [] if step is None else [sim.model.batches[k].energy.NAME for k in sorted(step.solves)],
        "warnings": sim.warnings,
    }
print(json.dumps(found))
"""


@pytest.mark.slow
def test_it_is_swept_reported_and_solved_for_as_a_whole(folder):
    """A hung sheet of 1 m, eight substeps of four sweeps. By the continuum it stretches by rho g L / (2 E) = 0.04 %;
    sweeps alone leave more than ten times that, 1.2 % measured, and all of the force at substep start (the bound is more
    than half); the global step 0.02 %, and of the force the root of 3e-4, at which its linear systems end (the bounds
    are a sixth more, and of stretch twice as much)."""
    found = answer_of(SIMULATED, folder)
    swept, solved = found["0"], found["8"]
    assert swept["stretch"] > 0.004 and solved["stretch"] < 0.0004
    assert swept["elastic"] > solved["elastic"] > 0 and solved["residual"] < 0.02 and swept["residual"] > 0.5
    assert solved["solved"] == ["discrete_shell", "plain_membrane"] and not solved["warnings"]


KERNELS = """
import json
from solver import energies
from solver.device import jit
from solver.energies import plain_membrane
names = ("plain_membrane", "spring")
print(json.dumps([jit.import_hash(frozenset({f"solver.energies.{name}"})) for name in names]))
"""


def test_its_compiled_kernels_follow_edits_of_its_file(folder):
    before = answer_of(KERNELS, folder)
    assert before == answer_of(KERNELS, folder)
    path = folder / ADDED.name
    path.write_text(path.read_text().replace("Sideways contraction", "Contraction"))
    after = answer_of(KERNELS, folder)
    assert after[0] != before[0] and after[1] == before[1]


@pytest.mark.slow
@pytest.mark.parametrize("more", [["--collect-only"], *long([])])
def test_the_contract_is_asked_of_it_too(folder, more):
    """More than fifteen tests are chosen by its name, and pass."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not long",
        "-k",
        "plain_membrane",
        *more,
    ]
    files = [str(Path(__file__).with_name(f"test_energy_{name}.py")) for name in ("hooks", "contract")]
    environment = os.environ | {"GPBD_ENERGIES": str(folder)}
    done = subprocess.run([*command, *more, *files], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+)(?:/\d+ tests collected| passed)", done.stdout)[1]) > 15
