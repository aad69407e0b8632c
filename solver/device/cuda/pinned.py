"""The packages that CUDA needs, as `wheels.toml` has them: which versions, of which files, for which Python and system."""

from __future__ import annotations

import functools
import platform
import sys
import sysconfig
import tomllib
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).with_name("wheels.toml")
#: Python's names of machines -> those of wheels.
MACHINES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}


@dataclass(frozen=True)
class Wheel:
    """A wheel. file: its name. size, unpacked: of the file and of its content [B]. only: the required Python, "" for any."""

    file: str
    size: int
    unpacked: int
    sha256: str
    only: str = ""

    @property
    def pin(self) -> str:
        """Requirement for pip: name==version."""
        name, version, *_ = self.file.split("-")
        return f"{name.replace('_', '-')}=={version}"


@dataclass(frozen=True)
class Pinned:
    """package, version: of the one that compiles kernels. driver, driver_name: the oldest, as `cuDriverGetVersion` counts
    and as it is called; capability: of the oldest device that it compiles for."""

    package: str
    version: str
    driver: int
    driver_name: str
    capability: tuple[int, int]
    wheels: tuple[Wheel, ...]


@functools.cache
def pinned() -> Pinned:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    wheels = tuple(
        Wheel(row["file"], row["bytes"], row["unpacked"], row["sha256"], row.get("only", "")) for row in table["wheels"]
    )
    driver = table["driver"], table["driver_name"], tuple(table["capability"])
    return Pinned(table["package"], table["version"], *driver, wheels)


def here() -> tuple[str, str]:
    """Python and system as wheels are called by: ("cp313", "linux_x86_64"), ("cp311", "win_amd64")."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    if sys.platform == "win32":
        return python, sysconfig.get_platform().replace("-", "_")
    machine = platform.machine().lower()
    return python, f"{sys.platform}_{MACHINES.get(machine, machine) if sys.platform == 'linux' else machine}"


def wheels_for(python: str, system: str) -> tuple[Wheel, ...]:
    """Return the wheels for a Python and system; none if the compiler's package has none."""
    wheels = tuple(wheel for wheel in pinned().wheels if _fits(wheel, python, system))
    compiler = pinned().package
    return wheels if any(wheel.pin.startswith(f"{compiler}==") for wheel in wheels) else ()


def _fits(wheel: Wheel, python: str, system: str) -> bool:
    of_python, _, of_system = wheel.file.removesuffix(".whl").split("-")[-3:]
    linux, _, machine = system.partition("_")
    systems = of_system.split(".")
    runs = "any" in systems or system in systems
    runs |= linux == "linux" and any(tag.startswith("manylinux") and tag.endswith(f"_{machine}") for tag in systems)
    return runs and wheel.only in ("", python) and not {python, "py3"}.isdisjoint(of_python.split("."))
