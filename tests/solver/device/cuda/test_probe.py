"""Available devices, and the reasons against one: by a stand-in for the driver's library."""

import ctypes
import shutil
import subprocess

import pytest

from solver.device.cuda import packages, probe
from solver.device.cuda.pinned import pinned
from tests.solver.device.cuda.driver import Card, Driver, installed

OLD = Card(b"Tesla P100", capability=(6, 0))
STUCK = Card(b"Quadro RTX 4000", allocates=False)
MISSING = "CUDA: the package is missing; wanted version 0.6.0. Install it."


def test_a_device_is_told_with_its_memory_and_left_as_it_was(monkeypatch):
    driver = Driver([Card(b"NVIDIA H200", memory=141 << 30, free=139 << 30), OLD])
    installed(monkeypatch, driver)
    found = probe.probe()
    assert (found.driver, found.why) == (13050, "")
    assert found.usable == (probe.Device(0, "NVIDIA H200", (9, 0), 141 << 30, 139 << 30),)
    assert "capability is 6.0; wanted 7.5" in found.devices[1].why
    assert driver.left == 0


@pytest.mark.parametrize(
    ("driver", "package", "words"),
    [
        (None, "", ("no driver of NVIDIA's", "libcuda.so.1", "wanted driver 580")),
        (Driver(version=12040), "", ("knows CUDA 12.4", "wanted 13.0, which is driver 580", "Update the driver")),
        (Driver(init=803), "", ("does not start (error 803: system has", "Restart")),
        (Driver(init=999), "", ("does not start (error 999: unknown)",)),
        (Driver(init=100), "", ("finds no device",)),
        (Driver([]), "", ("finds no device",)),
        (Driver([OLD]), "", ("CUDA device 0 (Tesla P100)", "capability is 6.0; wanted 7.5")),
        (Driver([STUCK]), "", ("device 0 (Quadro RTX 4000)", "cannot allocate 1 MiB (error 2: out of memory)")),
        (Driver(), MISSING, (MISSING,)),
    ],
)
def test_what_cannot_be_used_says_why_and_what_to_do(monkeypatch, driver, package, words):
    installed(monkeypatch, driver, package)
    found = probe.probe()
    assert not found.usable and found.why.endswith(".")
    for word in words:
        assert word in found.why
    assert driver is None or driver.left == 0


def test_another_system_has_no_cuda(monkeypatch):
    monkeypatch.setattr(probe.sys, "platform", "darwin")
    assert "there is none for this system (darwin)" in probe.probe.__wrapped__().why


@pytest.mark.parametrize(("version", "words"), [(None, "is missing"), ("0.5.4", "is version 0.5.4"), ("", "")])
def test_the_package_has_to_be_of_the_version_that_is_pinned(monkeypatch, version, words):
    def found(name):
        assert name == pinned().package
        if version is None:
            raise packages.importlib.metadata.PackageNotFoundError(name)
        return version or pinned().version

    monkeypatch.setattr(packages.importlib.metadata, "version", found)
    said = packages.problem()
    assert words in said and (said == "") == (words == "")
    if words:
        assert f"wanted {pinned().version}" in said or f"wanted version {pinned().version}" in said


LIBRARY = r"""
#include <stddef.h>
#include <string.h>
static int contexts;
int left(void) { return contexts; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuInit(unsigned flags) { return flags; }
int cuDeviceGetCount(int *n) { *n = 2; return 0; }
int cuDeviceGet(int *d, int i) { *d = i + 7; return 0; }
int cuDeviceGetName(char *s, int n, int d) { strncpy(s, d == 7 ? "First" : "Second", n); return 0; }
int cuDeviceTotalMem_v2(size_t *n, int d) { *n = (size_t)80 << 30; return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 8 : a == 76 ? 9 : -1; return 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { contexts++; *c = (void *)((char *)NULL + ((size_t)1 << 40)); return d / 9; }
int cuDevicePrimaryCtxRelease_v2(int d) { contexts--; return 0; }
int cuCtxSetCurrent(void *c) { return c && c != (void *)((char *)NULL + ((size_t)1 << 40)) ? 1 : 0; }
int cuMemGetInfo_v2(size_t *f, size_t *n) { *f = (size_t)79 << 30; *n = (size_t)80 << 30; return 0; }
int cuMemAlloc_v2(unsigned long long *p, size_t n) { *p = 1ull << 45; return n == 1 << 20 ? 0 : 2; }
int cuMemFree_v2(unsigned long long p) { return p == 1ull << 45 ? 0 : 1; }
int cuGetErrorString(int e, const char **s) { *s = "x"; return 0; }
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler of C is here")
def test_a_library_is_called_as_the_driver_declares_its_functions(monkeypatch, tmp_path):
    """Sizes, pointers and handles of 64 bits arrive whole."""
    source, library = tmp_path / "driver.c", tmp_path / "driver.so"
    source.write_text(LIBRARY)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    monkeypatch.setattr(probe, "LIBRARIES", {probe.sys.platform: str(library)})
    monkeypatch.setattr(packages, "problem", lambda: "")
    found = probe.probe.__wrapped__()
    assert found.why == ""
    assert found.devices == tuple(probe.Device(i, ("First", "Second")[i], (8, 9), 80 << 30, 79 << 30) for i in (0, 1))
    assert ctypes.CDLL(str(library)).left() == 0


def test_a_worker_answers_and_imports_nothing_heavy():
    """The result on this machine, whatever it is: with a device or a reason."""
    import sys

    from solver.device.worker import Worker

    worker = Worker("device.cuda.probe:Probe")
    try:
        worker.submit("probe")
        assert worker.is_ready(60.0)
        found = worker.result()
    finally:
        worker.close()
    assert isinstance(found, probe.DetectedDevices) and bool(found.why) != bool(found.usable)
    assert "numba_cuda_mlir" not in sys.modules
