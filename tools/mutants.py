"""Makes mistakes in the solver, one at a time, and checks that a test fails for each.

    python tools/mutants.py            each mistake of `mutants.toml`, by the test that it names
    python tools/mutants.py bending    those whose entry contains a word
    python tools/mutants.py --all      by all quick tests, until one fails; hours

Works on a new copy of the tree in a folder of its own, `--folder`, with its compiled kernels. First the tests are run
without a mistake: they must pass. Exit code 1 if a mistake survives.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_name("mutants.toml")
COPIED = ("__init__.py", "blender_manifest.toml", "pyproject.toml", "solver", "gpbd_addon", "presets", "tests", "tools")
COPIED += ("benchmarks", "demo")
#: A test that takes longer than this is killed, and the mistake with it [s].
LONGEST = 600


@dataclass(frozen=True)
class Mutant:
    """A mistake. file: its path, from the repository on. text: the original, which occurs exactly once. put: its
    replacement. breaks: effect on the physics. test: the failing test, as pytest takes it."""

    file: str
    text: str
    put: str
    breaks: str
    test: str

    def broken(self, source: str) -> str:
        """The file with the mistake. Raises: ValueError if its text is not there exactly once."""
        if source.count(self.text) != 1:
            count = source.count(self.text)
            raise ValueError(f"{self.file}: {self.text!r} occurs {count} times; wanted once. Bring {LIST.name} up to date.")
        return source.replace(self.text, self.put)


def listed() -> list[Mutant]:
    """Return all mutants."""
    return [Mutant(**entry) for entry in tomllib.loads(LIST.read_text(encoding="utf-8"))["mutant"]]


def copy_tree(folder: Path) -> None:
    """Copy the working tree, without files that git ignores."""
    for name in COPIED:
        there = folder / name
        if (ROOT / name).is_dir():
            shutil.rmtree(there, ignore_errors=True)
            shutil.copytree(ROOT / name, there, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, there)


def run(folder: Path, *arguments: str) -> int:
    """The exit code of pytest in the copy: 0 if all passed, 1 if a test failed, or took too long."""
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    environment = {"NUMBA_CACHE_DIR": str(folder / "kernels")} | os.environ
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), *others])
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *arguments]
    try:
        return subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, timeout=LONGEST).returncode
    except subprocess.TimeoutExpired:
        return 1


def fate(mutant: Mutant, folder: Path, arguments: list[str]) -> str:
    """Return "killed", "survived", or the exit of pytest."""
    place = folder / mutant.file
    source = place.read_text(encoding="utf-8")
    place.write_text(mutant.broken(source), encoding="utf-8")
    try:
        code = run(folder, *arguments)
    finally:
        place.write_text(source, encoding="utf-8")
    return {0: "survived", 1: "killed"}.get(code, f"pytest ended with {code}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of entries; if none is named, all mistakes")
    parser.add_argument("--all", action="store_true", help="run all quick tests for each, not the one that it names")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "gpbd-mutants", help="of the copy")
    options = parser.parse_args(arguments)
    chosen = [m for m in listed() if not options.words or any(word in " ".join(vars(m).values()) for word in options.words)]
    options.folder.mkdir(parents=True, exist_ok=True)
    copy_tree(options.folder)
    if not options.all:  # only kernels of the named test that the mistake changes need be compiled
        (options.folder / "solver/device/kernels.json").unlink()
    quick = ["-m", "not slow and not long"]
    if run(options.folder, *(quick if options.all else dict.fromkeys(m.test for m in chosen))):
        print("The tests fail without a mistake; see to that first.")
        return 2
    killed = 0
    for number, mutant in enumerate(chosen, 1):
        began = time.perf_counter()
        result = fate(mutant, options.folder, quick if options.all else [mutant.test])
        killed += result == "killed"
        print(f"{number:3} {result:8} {time.perf_counter() - began:5.0f} s  {mutant.file}: {mutant.breaks}", flush=True)
    print(f"{killed} of {len(chosen)} killed")
    return int(killed < len(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
