"""Makes the extension zip: a folder of the users' files, pinned wheels, then Blender's own builder and validator."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT / ".wheels"  # downloads, kept between builds


@dataclass(frozen=True)
class Platform:
    """tags: of the wheels that Blender's official builds load there, oldest first. pythons: versions for which wheels exist,
    None for all. without: packages that have no wheel there and that the extension does without."""

    tags: tuple[str, ...]
    pythons: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()


#: By Blender's name of the platform.
PLATFORMS = {
    "linux-x64": Platform(
        ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_27_x86_64", "manylinux_2_28_x86_64")
    ),
    "windows-x64": Platform(("win_amd64",)),
    "windows-arm64": Platform(("win_arm64",), pythons=("3.13",), without=("pytetwild",)),
    "macos-arm64": Platform(tuple(f"macosx_{version}_0_arm64" for version in range(11, 16))),
}
#: The Blenders that a Python belongs to: the first one, and the first one that has another Python.
BLENDERS: dict[str, tuple[str, str | None]] = {"3.11": ("4.5.0", "5.1.0"), "3.13": ("5.1.0", None)}
FILES = ("__init__.py", "blender_manifest.toml", "LICENSE")
#: Files for scripts in a clone, not reached from the extension.
FOR_CLONES = ("gpbd_addon/__main__.py", "solver/yarn/__main__.py")
#: Folders that go into the zip, and which paths below them belong there: a stray file stops the build.
MODULES = r"([a-z0-9_]+/)*[a-z0-9_]+\.py"
FOLDERS = {
    "gpbd_addon": rf"{MODULES}|translations/(de|ja)\.json",
    "solver": rf"{MODULES}|device/kernels\.json|device/cuda/wheels\.toml",
    "presets": r"(fabrics|solids|ropes|shapes|yarns|patterns)/[a-z0-9_]+\.toml|fabrics/data/[a-z0-9_]+\.npz"
    r"|pictures/([a-z0-9_]+\.jpg|drape\.toml)",
}
#: The site of the documentation goes into the folder `site`: the files for a browser, with a limit on their size [bytes].
SITE = re.compile(r"([a-z_]+/)*[A-Za-z_]+\.html|searchindex\.js|_static/(?!.*\.map$).*|_images/.*|_downloads/[0-9a-f]+/.*")
SITE_MOST = 6_000_000
#: Files of Python and Numba beside modules.
COMPILED = re.compile(r"(.*/)?__pycache__/.*|.*\.(pyc|nbi|nbc)")


class BuildError(Exception):
    """An error that stops the build of a zip."""


class NoIndexError(BuildError):
    """The package index could not be reached."""


def make(python: str, out: Path, platform: str, version: str, requirements: list[str], site: Path) -> Path:
    """The zip for one platform and one version of Python, in the folder `out`.

    site: folder of the site of the documentation, as `dev.py docs site` makes it.
    python: an interpreter with bpy and pip (bpy is not imported; only its builder is run).
    version: of the Python inside Blender, such as "3.13"; requirements: the pinned packages.
    Raises: BuildError, with the reason.
    """
    if version not in pythons(platform, (version,)):
        raise BuildError(
            f"no wheels exist for {platform}, Python {version}; wanted {', '.join(pythons(platform, BLENDERS))}."
        )
    wheels = all_wheels(python, platform, version, requirements)
    builder = find_builder(python)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gpbd-extension-") as folder:
        source = Path(folder) / "gpbd"
        stage(source, platform, version, wheels, site)
        archive = out / f"{identifier(source)}-{platform}-cp{version.replace('.', '')}.zip"
        run_builder(python, builder, "build", "--source-dir", source, "--output-filepath", archive)
        run_builder(python, builder, "validate", archive)
    return archive


def pythons(platform: str, versions: Iterable[str]) -> list[str]:
    """Return the Pythons with wheels on a platform. Raises: BuildError if there is no such platform."""
    if platform not in PLATFORMS:
        raise BuildError(f"unknown platform '{platform}'; wanted one of {', '.join(PLATFORMS)}.")
    there = PLATFORMS[platform].pythons
    return [version for version in versions if there is None or version in there]


def all_wheels(python: str, platform: str, version: str, requirements: list[str]) -> list[Path]:
    """Return the wheels of all requirements, without those that the platform leaves out."""
    wanted = [
        requirement for requirement in requirements if requirement.partition("==")[0] not in PLATFORMS[platform].without
    ]
    return sorted((wheel(python, requirement, platform, version) for requirement in wanted), key=lambda path: path.name)


def contents(root: Path = ROOT) -> list[str]:
    """The files of the project that go into the zip, in order: paths below the root, with '/'.

    Raises: BuildError if one is missing, or if a folder holds a file that does not belong there.
    """
    for name in FILES:
        if not (root / name).is_file():
            raise BuildError(f"{name} is missing in {root}.")
    paths_in_zip = list(FILES)
    for folder, wanted in FOLDERS.items():
        paths = [path.relative_to(root / folder).as_posix() for path in (root / folder).rglob("*") if not path.is_dir()]
        sources = sorted(path for path in paths if not COMPILED.fullmatch(path))
        for path in sources:
            if not re.fullmatch(wanted, path):
                raise BuildError(f"{folder}/{path} does not belong into the zip; wanted {wanted} in {folder}/. Remove it.")
        paths_in_zip += [f"{folder}/{path}" for path in sources if f"{folder}/{path}" not in FOR_CLONES]
    return paths_in_zip


def of_site(site: Path, root: Path = ROOT) -> list[str]:
    """The files of the site that go into the zip, in order: paths below it, with '/'.

    Raises: BuildError if a page of the guide is missing, or if they are too large.
    """
    paths = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    pages_and_files = [path for path in paths if SITE.fullmatch(path)]
    pages = ["index.html", *(f"guide/{path.stem}.html" for path in sorted((root / "docs" / "guide").glob("*.md")))]
    missing = [page for page in pages if page not in pages_and_files]
    if missing:
        raise BuildError(f"{site / missing[0]} is missing. Build the site: python3 dev.py docs site.")
    size = sum((site / path).stat().st_size for path in pages_and_files)
    if size > SITE_MOST:
        raise BuildError(f"The site has {size / 1e6:.1f} MB; wanted at most {SITE_MOST / 1e6:g}. Make pictures smaller.")
    return pages_and_files


def stage(folder: Path, platform: str, version: str, wheels: list[Path], site: Path) -> None:
    """Copy the users' files into the folder, and complete the manifest for the platform and the Python."""
    for name in of_site(site):
        (folder / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(site / name, folder / "site" / name)
    for name in contents():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    (folder / "wheels").mkdir()
    for path in wheels:
        shutil.copy2(path, folder / "wheels" / path.name)
    manifest = folder / "blender_manifest.toml"
    manifest.write_text(complete(manifest.read_text(encoding="utf-8"), platform, version, wheels), encoding="utf-8")


def complete(manifest: str, platform: str, version: str, wheels: list[Path]) -> str:
    """The manifest's text for this platform and the Blenders of this Python only, with the wheels, which belong before its
    first table."""
    first, after = BLENDERS.get(version, BLENDERS["3.13"])
    listed = "".join(f'    "./wheels/{path.name}",\n' for path in wheels)
    blenders = f'blender_version_min = "{first}"' + (f'\nblender_version_max = "{after}"' if after else "")
    for line, replacement in (
        (r'blender_version_min = ".*"', blenders),
        (r"platforms = \[.*\]", f'platforms = ["{platform}"]\nwheels = [\n{listed}]'),
    ):
        manifest, n = re.subn(rf"(?m)^{line}$", replacement, manifest)
        if n != 1:
            raise BuildError(f"blender_manifest.toml: wanted exactly one line '{line}'.")
    return manifest


def identifier(folder: Path) -> str:
    """'gpbd-0.1.0', from the manifest."""
    values = tomllib.loads((folder / "blender_manifest.toml").read_text(encoding="utf-8"))
    return f"{values['id']}-{values['version']}"


def wheel(python: str, requirement: str, platform: str, version: str) -> Path:
    """The wheel of a pinned requirement for a platform and Python version: from the cache, or downloaded into it.

    Raises: BuildError if there is none or the package index cannot be reached.
    """
    cache = WHEELS / platform / version
    name, _, pinned = requirement.partition("==")
    wheels = list(cache.glob(f"{name}-{pinned}-*.whl"))
    if wheels:
        return wheels[0]
    cache.mkdir(parents=True, exist_ok=True)
    print(f"downloading {requirement} for {platform}, Python {version}", flush=True)
    tags = [part for tag in PLATFORMS[platform].tags for part in ("--platform", tag)]
    with tempfile.TemporaryDirectory(prefix="partial-", dir=cache) as partial:  # an interrupted download leaves nothing
        command = [python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary", ":all:", "--implementation", "cp", "--python-version", version, *tags]
        done = subprocess.run([*command, "--dest", partial, requirement], capture_output=True, text=True)
        wheels = list(Path(partial).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            raise _failure(requirement, platform, version, done.stderr)
        return Path(shutil.move(str(wheels[0]), cache / wheels[0].name))


def _failure(requirement: str, platform: str, version: str, stderr: str) -> BuildError:
    wanted = f"{requirement} for {platform}, Python {version}"
    if re.search("NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError|SSLError", stderr):
        return NoIndexError(f"could not download {wanted}: the package index cannot be reached. pip said:\n{stderr.strip()}")
    return BuildError(f"NO WHEEL of {wanted}: pin another version in pyproject.toml. pip said:\n{stderr.strip()}")


def find_builder(python: str) -> Path:
    """Blender's command line tool for extensions, a plain script inside the bpy module.

    Raises: BuildError if bpy is not installed there.
    """
    code = "import importlib.util as u; s = u.find_spec('bpy'); print(s.submodule_search_locations[0] if s else '')"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=tempfile.gettempdir())
    module = done.stdout.strip()
    builders = sorted(Path(module).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py")) if module else []
    if not builders:
        raise BuildError(f"{python} has no bpy module, whose builder is needed. Use the Python that dev.py sets up.")
    return builders[-1]


def run_builder(python: str, builder: Path, *arguments: str | Path) -> None:
    done = subprocess.run([python, str(builder), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"Blender's builder: {arguments[0]} failed:\n{done.stdout}{done.stderr}")
    warned = [line for line in (done.stdout + done.stderr).splitlines() if "warning" in line.lower()]
    if warned:
        raise BuildError(f"Blender's builder: {arguments[0]} warns:\n" + "\n".join(warned))
