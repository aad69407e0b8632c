#!/usr/bin/env python3
"""Everything a developer runs: `python3 dev.py demo | test | bench | gpu | docs | build`.

Needs Python 3.11 or 3.13 and a network.

It makes an environment with the pinned packages of pyproject.toml in `.venv/`, once, and runs the command in it.
Python 3.13 gets Blender 5.2 as a module (bpy), Python 3.11 gets Blender 4.5. Standard library only.
"""

from __future__ import annotations

import argparse
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
SUPPORTED = ("3.13", "3.11")  # as in pyproject.toml, [dependency-groups]
ENVIRONMENTS = ROOT / ".venv"

#: What mypy cannot know of Blender: properties that we register at run time, of what subtype a thing is, what is never None.
BLENDER_AT_RUN_TIME = re.compile(
    r'"(Object|Scene|WindowManager)" has no attribute "gpbd'
    r'|"(Modifier|Attribute|ContextTempOverride|ActionStrip|Node|NodeSocket|Property)" has no attribute'
    r'|incompatible type "(Armature \| Camera \||(Scene|UILayout|Region|RegionView3D|ID) \| None)'
    r'|incompatible type "str.*expected "Literal'
)


class DevError(Exception):
    """What stops the command, for the reader of the terminal."""


def say(text: str) -> None:
    print(f"dev.py: {text}", flush=True)


def run(command: list[str], **options) -> int:
    """Runs the command from the repository root and returns its exit code."""
    return subprocess.call([str(part) for part in command], cwd=options.pop("cwd", ROOT), **options)


# --- Python interpreters


def version_of(python: str) -> str | None:
    """'3.13' for an interpreter of that version, None for something that does not run (a pyenv shim without its version)."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def candidates(version: str) -> list[str]:
    """Where a Python of this version may be: the running one, the PATH, pyenv."""
    names = [f"python{version}", "python3", "python"]
    found = [getattr(sys, "_base_executable", sys.executable)] + [path for name in names if (path := shutil.which(name))]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for pattern in (f"versions/{version}.*/bin/python", f"pyenv-win/versions/{version}.*/python.exe"):
        found += sorted(glob.glob(str(pyenv / pattern)), reverse=True)
    if os.name == "nt":
        local = Path(os.environ.get("LOCALAPPDATA", Path.home())) / "Programs" / "Python"
        found.append(str(local / f"Python{version.replace('.', '')}" / "python.exe"))
    return found


def find_python(wanted: str | None) -> tuple[str, str]:
    """The interpreter to use and its version. `wanted` is a path, a version such as 3.11, or None: the running one first.

    Raises: DevError if there is none of a supported version.
    """
    if wanted and wanted not in SUPPORTED:
        path = shutil.which(wanted) or wanted
        version = version_of(path)
        if version not in SUPPORTED:
            found = f"is Python {version}" if version else "does not run"
            raise DevError(f"--python {wanted} {found}; wanted Python {' or '.join(SUPPORTED)}, as a path or a version.")
        return path, version
    running = ".".join(map(str, sys.version_info[:2]))
    versions = [wanted] if wanted else sorted(SUPPORTED, key=lambda v: v != running)
    for version in versions:
        for path in candidates(version):
            if version_of(path) == version:
                return path, version
    raise DevError(
        f"found no Python {' or '.join(versions)}, for which Blender exists as module; this is {running}, {sys.executable}."
        " Install one, from python.org or with `pyenv install 3.13`, and run this again, or name it: --python PATH."
    )


# --- environments


def pins(*groups: str) -> list[str]:
    """The requirements of some dependency groups and extras of pyproject.toml."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["dependency-groups"] | project["project"]["optional-dependencies"]
    return [requirement for group in groups for requirement in listed[group]]


def environment(python: str, name: str, requirements: list[str]) -> str:
    """The interpreter of the environment `.venv/name` with these packages; made, or brought up to date, if needed.

    Raises: DevError if it cannot be made.
    """
    folder = ENVIRONMENTS / name
    inside = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    stamp = folder / "pins.sha256"
    wanted = hashlib.sha256("\n".join([*requirements, version_of(python) or ""]).encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted and version_of(inside) == version_of(python):
        return inside
    blender = any(requirement.startswith("bpy==") for requirement in requirements)
    if version_of(inside) != version_of(python):
        say(f"making {folder.relative_to(ROOT)} with {python}")
        if run([python, "-m", "venv", "--clear", folder]):
            raise DevError(f"`{python} -m venv` failed. On Debian and Ubuntu: apt-get install python3-venv.")
    say(f"installing {', '.join(requirements)} (once{'; Blender alone is about 400 MB' if blender else ''})")
    if run([inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", *requirements]):
        raise DevError(
            "pip could not install the packages, its reason is above. 'No matching distribution' or 'Connection' means: "
            "the network or the package index was not reached (behind a proxy set HTTPS_PROXY), or this system has no "
            "wheels: Linux x86-64, Windows x86-64 and macOS arm64 have."
        )
    if blender and run([inside, "-c", "import bpy"], stdout=subprocess.DEVNULL):
        raise DevError(
            "Blender as a module was installed but does not start, its reason is above. On a bare Linux it lacks libraries: "
            "apt-get install libx11-6 libxrender1 libxxf86vm1 libxfixes3 libxi6 libxkbcommon0 libsm6 libice6 libgl1 libegl1"
        )
    stamp.write_text(wanted)
    return inside


def blender_environment(wanted: str | None) -> tuple[str, str]:
    """The interpreter of the environment with Blender as a module and all tools, and its version."""
    python, version = find_python(wanted)
    inside = environment(python, version, pins(version, "bundled", "test", "farm", "lint"))
    blender = next(r for r in pins(version) if r.startswith("bpy==")).removeprefix("bpy==")
    say(f"Python {version}, Blender {blender} as a module, in {(ENVIRONMENTS / version).relative_to(ROOT)}")
    return inside, version


def with_root_on_path() -> dict[str, str]:
    """Environment variables for scripts that import `solver` from the repository."""
    others = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *([others] if others else [])])}


# --- commands


def demo(options: argparse.Namespace, more: list[str]) -> int:
    """builds, bakes and renders the demo scenes into out/"""
    python, _ = blender_environment(options.python)
    return run([python, ROOT / "demo" / "run.py", *more], env=with_root_on_path())


def check_types(python: str, version: str) -> int:
    """mypy on a copy of the packages under the name `gpbd`, as Blender imports it, whatever the clone is called."""
    stage = ROOT / ".types"
    shutil.rmtree(stage / "gpbd", ignore_errors=True)
    for package in ("solver", "gpbd_addon"):
        shutil.copytree(ROOT / package, stage / "gpbd" / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "__init__.py", stage / "gpbd" / "__init__.py")
    command = [python, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--python-version", version, "-p", "gpbd"]
    done = subprocess.run([str(part) for part in command], cwd=stage, capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if ": error:" in line and not BLENDER_AT_RUN_TIME.search(line)]
    shown = [line if len(line) < 300 else line[:297] + "..." for line in found]
    told = "\n".join([*shown, done.stderr]).replace("gpbd" + os.sep, "").rstrip() or "All checks passed!"
    print(f"\ndev.py: mypy\n{told}", flush=True)
    return int(bool(found) or done.returncode > 1)


#: What a bake leaves in files and how it ends: the solver's process and files of its own, which know no version of Blender.
OF_FILES = (
    "bake_stopped", "live_view", "malformed_caches", "many_stops", "moved_files", "recovering", "renaming", "repair",
    "saving", "statistics", "versions",
)  # fmt: skip
#: Tests that smoke leaves out: of sources and pages, of benchmarks, of the physics, whose functions the same compiler
#: compiles, and of the extension those that ask more of what others ask of the same functions of Blender.
ALIKE = (
    "gates",
    "guards",
    "validation",
    *(f"test_{page}.py" for page in ("api_reference", "benchmarks", "covering_set", "demo", "docs", "dev", "gpu_check")),
    *(f"test_{page}.py" for page in ("presets", "site")),
    *(f"solver/{part}" for part in ("energies", "elements", "methods", "global_step", "contact", "gpu", "yarn", "linalg")),
    *(f"solver/{part}" for part in ("topology", "mathlib", "model", "report", "stepping", "how_to_add", "device", "scene")),
    *(f"solver/test_{part}.py" for part in ("counted", "fabrics_of_yarns", "keyed", "malformed_calls", "samples", "settle")),
    *(f"gpbd_addon/bake/test_{part}.py" for part in OF_FILES),
    *(f"gpbd_addon/live/test_{part}.py" for part in ("continuing", "edits", "grab")),
    "gpbd_addon/command_line",
)


def test(options: argparse.Namespace, more: list[str]) -> int:
    """lints, checks types and runs the tests; further arguments go to pytest"""
    if options.cuda:
        python, version = find_python(options.python or "3.13")  # of which its pin of NumPy is
        inside = environment(python, f"{version}-cuda", pins("cuda", "cuda_test", "test"))
        return run([inside, "-m", "pytest", "-m", "cuda", "tests/guards", "tests/solver/device/cuda", *more])
    python, version = blender_environment(options.python)
    # One worker a core, whole files to a worker, so that what a file compiles is compiled once.
    pytest = [python, "-m", "pytest", "-n", "auto", "--dist", "loadfile"]
    if options.smoke:
        say("pytest, of what a version of Blender, Python or NumPy may change")
        return run([*pytest, "-m", "not slow and not long", *(f"--ignore=tests/{part}" for part in ALIKE), *more])
    say("ruff")
    failed = run([python, "-m", "ruff", "check", "."])
    say("mypy, and pytest")
    with ThreadPoolExecutor() as beside:
        types = beside.submit(check_types, python, version)  # on one core, while others are free
        tests = run([*pytest, *([] if options.long else ["-m", "not long"]), *more])
        failed |= types.result()
    if failed:
        say("ruff or mypy found something, see above")
    return tests or int(failed != 0)


def bench(options: argparse.Namespace, more: list[str]) -> int:
    """runs the named benchmarks, or all but `fabrics`, `kernels` and `paper/*`, and prints ratios"""
    scripts = {path.stem: path for path in sorted((ROOT / "benchmarks").glob("[a-z]*.py"))}
    usual = [name for name in scripts if name not in ("fabrics", "kernels")]  # which take much of an hour
    for folder in ("paper",):  # long ones, run when they are named
        scripts |= {f"{folder}/{path.stem}": path for path in sorted((ROOT / "benchmarks" / folder).glob("[a-z]*.py"))}
    unknown = [name for name in options.names if name not in scripts]
    if unknown:
        raise DevError(f"no benchmark '{unknown[0]}'; there are {', '.join(scripts) or 'none'}.")
    python, _ = blender_environment(options.python)
    failed = 0
    for name in options.names or usual:
        say(f"benchmark {name}")
        failed |= run([python, scripts[name], *(["--peers"] if options.peers else []), *more], env=with_root_on_path())
    return failed


def gpu(options: argparse.Namespace, more: list[str]) -> int:
    """checks and times a CUDA GPU in eight minutes: kernels, contact, frames; writes out/gpu/gpu.md"""
    python, version = find_python(options.python or "3.13")  # of which its pin of NumPy is
    inside = environment(python, f"{version}-cuda", pins("cuda", "cuda_test", "test"))
    return run([inside, "-m", "benchmarks.gpu", *more])


#: What the plots in docs/ are drawn from: the file, the benchmark that writes it and its arguments.
DRAWN = {
    "agreement.csv": ("paper.agreement",),
    "stiffness.csv": ("paper.stiffness",),
    "motion.csv": ("motion", "--parts", "flag"),
    "drape.csv": ("drape", "--n", "32", "--peers"),
    "solids.csv": ("solids", "--scene", "S3", "S3F", "--n", "10", "--peers"),
}
#: What draws them.
PLOTS = ("benchmarks.paper.plots", "benchmarks.peers.plot")


def docs(options: argparse.Namespace, more: list[str]) -> int:
    """writes the API reference, runs the benchmarks that pages show, draws plots, renders stills, photographs panels;
    `presets` drapes the presets, `site` builds a site"""
    from tools import api_reference

    if options.part == "site":
        return site(options)
    if options.part == "stills":
        return stills(options)
    if options.part == "panels":
        return panels(options)
    if options.part == "presets":
        return presets(options, more)

    say(f"wrote {api_reference.write().relative_to(ROOT)}")
    if options.api_only:
        return 0
    python, version = find_python(options.python)
    inside = environment(python, f"{version}-docs", pins(version, "bundled", "docs"))
    folder = ROOT / "out" / "docs"
    folder.mkdir(parents=True, exist_ok=True)
    for file, (name, *arguments) in DRAWN.items():
        if options.draw_only and (folder / file).is_file():
            continue
        say(f"benchmark {name}")
        command = [inside, "-m", f"benchmarks.{name}", *arguments, "--csv", folder / file, *more]
        if run(command, env=with_root_on_path()):
            raise DevError(f"the benchmark {name} failed, its reason is above.")
    say("plots in docs/pictures")
    drawn = [run([inside, "-m", m, folder, ROOT / "docs" / "pictures"], env=with_root_on_path()) for m in PLOTS]
    return max(drawn) or (0 if options.draw_only else stills(options) or panels(options))


def stills(options: argparse.Namespace) -> int:
    """Bakes the demo scenes and renders their stills, 1920 x 1080, into docs/pictures."""
    python, _ = blender_environment(options.python)
    say("stills of the demo scenes in docs/pictures")
    command = [python, ROOT / "demo" / "run.py", "--out", ROOT / "out" / "docs", "--stills", ROOT / "docs" / "pictures"]
    return run(command, env=with_root_on_path())


def presets(options: argparse.Namespace, more: list[str]) -> int:
    """Drapes every preset, or the named ones, and draws their pictures into presets/pictures; and a simulation mesh."""
    python, _ = blender_environment(options.python)
    say("pictures of presets in presets/pictures")
    failed = run([python, ROOT / "tools" / "preset_pictures.py", *more], env=with_root_on_path())
    return failed or (0 if more else run([python, ROOT / "tools" / "simulation_mesh_picture.py"], env=with_root_on_path()))


def panels(options: argparse.Namespace) -> int:
    """Photographs the panels in a Blender with a window, into docs/pictures; where there is none it says so."""
    from tools import photograph

    blender = shutil.which(options.blender)
    missing = photograph.missing(blender)
    if missing or blender is None:
        say(f"no pictures of panels: {missing}. The old ones stay.")
        return 0
    taken = photograph.photograph(blender, ROOT / "docs" / "pictures")
    say(f"photographed {', '.join(path.name for path in taken)}")
    return 0 if taken else 1


def site(options: argparse.Namespace) -> int:
    """Builds the guide and the reference as pages of a site, in out/site. Raises: DevError if Sphinx cannot be installed."""
    built = build_site(options.python)
    say(f"built {built.relative_to(ROOT)}/index.html")
    return 0


def build_site(wanted: str | None) -> Path:
    """Its folder. Raises: DevError."""
    python, version = find_python(wanted)
    inside = environment(python, f"{version}-site", pins("site"))
    out = ROOT / "out" / "site"
    command = [inside, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-c", ROOT / "tools" / "site"]
    if run([*command, "-d", ROOT / "out" / "site_cache", ROOT / "docs", out]):
        raise DevError("the site could not be built, its reason is above.")
    return out


def build(options: argparse.Namespace, more: list[str]) -> int:
    """makes the extension zips, with wheels and the site, one for each platform and Python"""
    from tools import extension_zip

    python, _ = blender_environment(options.python)
    versions, built = (*SUPPORTED, *options.wheels_for), build_site(options.python)
    try:
        for platform in options.platform or extension_zip.PLATFORMS:
            for version in extension_zip.pythons(platform, versions):
                say(f"extension for {platform}, Python {version}")
                made = extension_zip.make(python, Path(options.out).resolve(), platform, version, pins("bundled"), built)
                say(f"made {made}, {made.stat().st_size / 1e6:.0f} MB")
    except extension_zip.BuildError as error:
        raise DevError(str(error)) from error
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="dev.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    made = {}
    for function in (demo, test, bench, gpu, docs, build):
        made[function] = commands.add_parser(function.__name__, help=function.__doc__, allow_abbrev=False)
        made[function].add_argument("--python", help="interpreter or version: 3.13 (Blender 5.2) or 3.11 (Blender 4.5)")
        made[function].set_defaults(function=function)
    made[test].add_argument("--smoke", action="store_true", help="only what another Blender, Python or NumPy may change")
    made[test].add_argument("--long", action="store_true", help="with the long tests, of which quicker ones ask the same")
    made[test].add_argument("--cuda", action="store_true", help="only compile the kernels for CUDA, in an own environment")
    made[bench].add_argument(
        "--peers", action="store_true", help="drape and solids: install other solvers and compare with them"
    )
    unless = "if none is named, all but fabrics, kernels and paper/*"
    made[bench].add_argument("names", nargs="*", help=f"benchmarks to run; {unless}")
    made[docs].add_argument("part", nargs="?", choices=["site", "stills", "panels", "presets"], help="one of these only")
    made[docs].add_argument("--api-only", action="store_true", help="write the API reference only, which takes a second")
    made[docs].add_argument("--blender", default="blender", help="a Blender with a window, for the pictures of panels")
    made[docs].add_argument("--draw-only", action="store_true", help="draw again from the last run's files in out/docs")
    made[build].add_argument("--out", required=True, help="folder for the zips")
    made[build].add_argument(
        "--platform", action="append", help="linux-x64, windows-x64, windows-arm64 or macos-arm64; all if not given"
    )
    made[build].add_argument("--wheels-for", action="append", default=[], metavar="3.14", help="a zip for this Python too")
    return top


def main(arguments: list[str]) -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 - no tomllib here: start again in a Python that has it
        return run([find_python(None)[0], __file__, *arguments], cwd=os.getcwd())
    options, more = parser().parse_known_args(arguments)
    if more and options.function is build:
        raise DevError(f"unknown argument {more[0]}; see dev.py build --help.")
    return options.function(options, more)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except DevError as error:
        sys.exit(f"dev.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
