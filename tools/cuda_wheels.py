"""Writes `solver/device/cuda/wheels.toml`: the wheels for CUDA, with their hashes, for every platform that has them.

    python3 tools/cuda_wheels.py FOLDER

downloads all of them into FOLDER (1.3 GB; existing files stay) and reads them there.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "solver" / "device" / "cuda" / "wheels.toml"
#: Tags that pip takes a wheel of, newest first; the machine's name is filled in.
LINUX = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_24", "manylinux_2_17", "manylinux2014", "manylinux_2_12")
LINUX += ("manylinux2010",)
PLATFORMS = (
    [f"{tag}_x86_64" for tag in LINUX],
    [f"{tag}_aarch64" for tag in LINUX],
    ["win_amd64"],
    ["win_arm64"],
)
PYTHONS = ("311", "313")
#: No wheels: numba-cuda-mlir has none for it.
MISSING = {("win_arm64", "311")}
HEAD = """\
# What CUDA needs beside what the extension brings; made by `python3 tools/cuda_wheels.py FOLDER` from the pins of the extra
# `cuda` in pyproject.toml. bytes: of the wheel; unpacked: of what is in it;
# only: the Python that needs it. There are none for macOS, which has no CUDA.

# Of numba-cuda-mlir, whose version is looked at before it is used.
package = "numba-cuda-mlir"
version = "{version}"
# The oldest driver for these, as `cuDriverGetVersion` counts, and as it is called.
driver = 13000
driver_name = "580"
# The oldest capability of a device that they compile for.
capability = [7, 5]
"""


def pins() -> list[str]:
    """Return the pins of the extra `cuda`, without the marker of its last part."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [pin.partition(";")[0].strip() for pin in project["project"]["optional-dependencies"]["cuda"]]


def only(path: Path) -> str:
    """The line of a wheel that one Python needs, as a marker of its pin says."""
    return 'only = "cp311"\n' if path.name.startswith("typing_extensions-") else ""


def download(folder: Path) -> None:
    """Raises: CalledProcessError where a wheel is not to be had."""
    for platforms in PLATFORMS:
        for python in PYTHONS:
            if (platforms[0], python) in MISSING:
                continue
            tags = [word for platform in platforms for word in ("--platform", platform)]
            tags += ["--python-version", python, "--implementation", "cp", "--abi", f"cp{python}", "--abi", "none"]
            command = ["pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", str(folder), *tags, *pins()]
            subprocess.run([sys.executable, "-m", *command], check=True)


def row(path: Path) -> str:
    with zipfile.ZipFile(path) as wheel:
        unpacked = sum(entry.file_size for entry in wheel.infolist())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    size = path.stat().st_size
    return f'\n[[wheels]]\nfile = "{path.name}"\nbytes = {size}\nunpacked = {unpacked}\nsha256 = "{digest}"\n{only(path)}'


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    download(folder)
    version = next(pin for pin in pins() if pin.startswith("numba-cuda-mlir")).partition("==")[2]
    TABLE.write_text(HEAD.format(version=version) + "".join(map(row, sorted(folder.glob("*.whl")))), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
