"""Every kernel of a device compiles for CUDA without a GPU: in single precision, without calls, registers bounded."""

from __future__ import annotations

import functools
import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from solver import Pins, Scene, Settings, Simulation
from solver.device.cuda import compiled, device_functions
from solver.device.cuda.compile_ahead import body_of, read, written
from solver.device.cuda.device import Recorder, types_of
from solver.device.cuda.device_array import arguments
from solver.device.cuda.device_functions import for_gpu
from solver.device.cuda.turns import REGISTERS
from solver.device.lanes import gather
from solver.model.build import build
from solver.report.gpu.intersection_count import DeviceIntersections
from solver.report.intersections import IntersectionSearch
from tests.covering_set import long
from tests.scenes.bodies import box, in_sheet
from tests.scenes.every_energy import FABRICS, SCENES, SOLIDS, block
from tests.scenes.jelly import pile
from tests.scenes.loads import FIELDS, filled, net
from tests.scenes.loads import SCENES as LOADS
from tests.scenes.thrown import NORMALS, thrown
from tests.scenes.touching import on_ball

#: Scenes of the global step: of every membrane and bending, in contact, with what gives way, and with a gas.
KEEP_LENGTH = (*FABRICS, "pairs", "planes", "rigid", "gas", "free gas")
#: Turing, the oldest that current drivers support, and Hopper.
CAPABILITIES = ((7, 5), (9, 0))
#: Scenes that are the same for every method: of contact, and of what acts beside gravity.
ALIKE = {
    "planes": lambda: thrown(NORMALS["corner"]),
    "pairs": on_ball,
    "coupled": pile,
    "rigid": in_sheet,
    "pushed": lambda: Scene([box("box", (0, 0, 0))], fields=FIELDS),
    **LOADS,
    "free gas": lambda: Scene([replace(body, pins=None) for body in filled(False).bodies], air_density=0.0),
    "still": lambda: Scene([net(pins=Pins([0, 4]))]),
}
#: Solids that *Keep Length* solves for, and that soft pins pull, so that they are swept on.
PULLED = {f"pulled {energy}": lambda energy=energy: block(energy, weight=0.5) for energy in SOLIDS}
#: Kernels that look up in tables take long to compile.
WITHOUT_TABLES = [name for name in FABRICS if name != "yarns"]
#: And those of every energy.
LAUNCHING = {**SCENES, **ALIKE}
#: What is launched after a frame.
COUNTING = "intersections"
#: Bytes that a thread may spill or keep in memory: what a local solve of yarns looks up and keeps, and the second derivative
#: of a patch, is more than the registers that there are; a field of any kind has one vector there.
SPILLED = {"hylc.": 4096, "discrete_shell.add_hessians": 256, "vertex_fields.add_field": 32}
#: Kernels that compute in double precision what they are given in single: where edges pass through triangles, as on the CPU.
DOUBLES = ("intersection_count.count_pierced",)
#: Bytes of local memory that a thread may take else: closest points are chosen among regions, whose numbers are kept
#: there by the compiler, as is one of a loop over planes.
LOCAL = {"pair_selection.": 64, "ccd_passes.": 80, "embedded_ccd.write_pushed": 8}


def launched(method: str, name: str, keep_length: int = 0) -> dict:
    """The bodies that a scene launches by a method, each with what it is given. keep_length: iterations of the global
    step."""
    numbers = {"substeps": 2, "iterations": 1, "global_iterations": keep_length, "samples": 2}
    numbers["quasi_static"] = name == "still"
    settings = Settings(method=method, device="cuda-serial", threads=1, **numbers)
    made = Simulation((LAUNCHING | PULLED)[name](), settings)
    made._on_device.device = Recorder()
    try:
        made.advance_frame()
    finally:
        found = made._on_device.device.launched
    return found


@pytest.mark.cuda
@pytest.mark.timeout(3600)  # kernels of yarns take minutes each where other work is beside
@pytest.mark.parametrize("name", LAUNCHING)
@pytest.mark.parametrize("method", ["gpbd", "gpbd_jacobi", "pbng"])
def test_kernels_compute_in_single_precision_and_fit_into_registers(method, name, capsys):
    """Needs the packages of the extra `cuda`, no GPU: `python3 dev.py test --cuda` makes an environment that has them."""
    if not importlib.util.find_spec("numba_cuda_mlir"):
        pytest.skip("numba-cuda-mlir is not installed here: python3 dev.py test --cuda makes an environment that has it")
    if name in ALIKE and method != ("pbng" if name == "still" else "gpbd"):
        pytest.skip("contact, and what acts beside gravity, is the same for every method")
    if method == "pbng" and name == "yarns":
        pytest.skip("a kernel of all second derivatives of yarns takes the compiler longer than a quarter of an hour")
    fit(launched(method, name), capsys)


@pytest.mark.cuda
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", [*KEEP_LENGTH, *PULLED])
def test_kernels_of_the_global_step_compute_in_single_precision_and_fit_into_registers(name, capsys):
    """As above; what the sweeps launch is compiled there, what those of sheets do with these."""
    if not importlib.util.find_spec("numba_cuda_mlir"):
        pytest.skip("numba-cuda-mlir is not installed here: python3 dev.py test --cuda makes an environment that has it")
    others = launched("gpbd", name)
    if name in PULLED:
        others |= launched("gpbd", "knit", keep_length=1)
    fit({key: both for key, both in launched("gpbd", name, keep_length=1).items() if key not in others}, capsys)


@pytest.mark.cuda
@pytest.mark.timeout(3600)
def test_kernels_that_count_intersections_fit_into_registers(capsys):
    """As above."""
    if not importlib.util.find_spec("numba_cuda_mlir"):
        pytest.skip("numba-cuda-mlir is not installed here: python3 dev.py test --cuda makes an environment that has it")
    fit(counting(), capsys)


def counting() -> dict:
    """As `launched`, of what counts intersections with a collider."""
    surfaces, start = IntersectionSearch(build(on_ball(), Settings()), None).world
    device, colliders = Recorder(), surfaces.count - surfaces.n
    x, poses = device.zeros((surfaces.n + 4, 4), np.float32), device.zeros((2 * colliders, 3), np.float32)
    DeviceIntersections(device, surfaces, start).launch(x, poses, colliders)
    return device.launched


def fit(bodies, capsys):
    for body, args in bodies.values():
        for capability in CAPABILITIES:
            found = compiled.resources(body, args, capability)
            assert found.widths == widths_of(args), body.name
            with capsys.disabled():
                print(f"\n{body.name} sm_{capability[0]}{capability[1]}: {replace(found, widths=())}", end="")
            most = next((most for kernel, most in SPILLED.items() if body.name.startswith(kernel)), 0)
            assert found.calls == 0
            assert len(body.bodies) == 1 or found.registers <= REGISTERS, "else its block is never launched"
            doubles = body.name in DOUBLES or "float64" in str(types_of(args))
            assert found.doubles == 0 or doubles, "doubles are of those that are given doubles, or are told above"
            assert found.spilled <= most
            assert most or found.local <= next((most for kernel, most in LOCAL.items() if body.name.startswith(kernel)), 0)


def widths_of(args):
    """Of what a GPU is handed for a launch [B]."""
    numbers = arguments(1, read(written(args)))
    return tuple(8 if isinstance(value, int) else value.dtype.itemsize for value in numbers)


def test_a_scene_launches_every_stage_of_a_substep():
    """What the guard above compiles: without it a stage that no scene has would go unseen."""
    names = {body.name.rsplit(".", 1)[-1] for body, _ in launched("gpbd", "woven").values()}
    assert names >= {"set_strains", "set_excess", "blow", "add_wind", "predict", "draw", "clear", "sweep", "place", "end"}
    names = {body.name for body, _ in launched("gpbd", "planes").values()}
    assert names >= {f"plane_contacts.{stage}" for stage in ("begin", "project", "end", "stop")}
    for name, energy in zip(PULLED, SOLIDS, strict=True):
        names = {one.name for body, _ in launched("gpbd", name, keep_length=1).values() for one in body.bodies}
        assert names >= {f"{energy}.linearise_volume", f"{energy}.store_displacement", "volume_elements.add_blocks"}


@pytest.mark.parametrize("name", [*WITHOUT_TABLES, *long("yarns"), *PULLED, *ALIKE, COUNTING])
def test_launches_are_given_arrays_and_numbers_and_call_what_has_a_twin(name, monkeypatch):
    """The serial twin takes anything; a kernel has no type for what is neither array nor number."""
    monkeypatch.setattr(device_functions, "device_function", functools.cache(for_gpu))
    method = "pbng" if name == "still" else "gpbd"
    keep_length = 0 if name in ALIKE else 1
    for body, args in (counting() if name == COUNTING else launched(method, name, keep_length)).values():
        assert "object" not in str(types_of(args)), body.name
        for one in body.bodies:
            for_gpu(one.function)
        assert body_of(body.listed) is body, "other processes find it"
        assert types_of(read(written(args))) == types_of(args)


def test_what_has_no_twin_on_a_gpu_is_told():
    with pytest.raises(TypeError, match=r"gather: rows_to_lanes is an instruction of the CPU.*TWINS"):
        for_gpu(gather.py_func)
    with pytest.raises(TypeError, match=r"test_cuda_kernels.*: len is another number on a GPU; wanted array.shape\[0\]"):
        for_gpu(lambda array: len(array))
