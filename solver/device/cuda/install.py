"""Install the packages for CUDA into a folder, from downloaded or local wheels, and remove them again.

Each wheel is compared with its hash before it is unpacked; the unpacked folder is renamed at the end. So there are all of
them or none.
"""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from ...errors import GpbdError
from .. import child
from . import download
from .packages import modules_folder
from .pinned import Wheel, here, wheels_for

#: Called with the progress, 0 to 1, and the current operation.
Tell = Callable[[float, str], object]

DOWNLOAD = download.__name__.removeprefix(f"{child.PACKAGE}.")
#: Share of the whole that unpacking takes.
UNPACKING = 0.3
AGAIN = "Press Install CUDA Support again."
BY_FOLDER = "Look whether this computer reaches the package index, or install from a folder of wheels."


def unfinished(folder: Path) -> tuple[Path, Path]:
    """Return the folders of an unfinished installation, and of an unfinished removal."""
    return folder.with_name(f"{folder.name}.part"), folder.with_name(f"{folder.name}.gone")


def wheels_here() -> tuple[Wheel, ...]:
    """Raises: GpbdError if there are none for this Python and system."""
    python, system = here()
    wheels = wheels_for(python, system)
    if not wheels:
        raise GpbdError(
            f"CUDA: there are no wheels for {python} on {system}; wanted cp311 or cp313 on Linux (x86_64, aarch64) or "
            "Windows (AMD64; ARM64 with cp313). Set Device to CPU."
        )
    return wheels


def install(wheels: Sequence[Wheel], source: Path | None, folder: Path, tell: Tell) -> None:
    """source: folder of these wheels; None downloads them. Raises: GpbdError; then the folder is as it was."""
    part, _ = unfinished(folder)
    needed = sum(wheel.unpacked + (0 if source else wheel.size) for wheel in wheels)
    try:
        remove_unfinished(folder)
        part.mkdir(parents=True)
        _check_room(part, needed)
        files = _given(wheels, source) if source is not None else _downloaded(wheels, part / "wheels", tell)
        for wheel, file in zip(wheels, files, strict=True):
            _check(wheel, file)
        _unpack(files, modules_folder(part), tell)
        if source is None:
            shutil.rmtree(part / "wheels")
        _remove(folder)
        part.rename(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def remove(folder: Path) -> None:
    """Raises: GpbdError."""
    try:
        remove_unfinished(folder)
        _remove(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error


def remove_unfinished(folder: Path) -> None:
    """Remove the remains of a killed installation or removal. Raises: OSError."""
    for remains in unfinished(folder):
        if remains.exists():
            shutil.rmtree(remains)


def clear(folder: Path) -> None:
    """Call `remove_unfinished` after an interruption. Raises: GpbdError."""
    try:
        remove_unfinished(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _remove(folder: Path) -> None:
    """Renamed first, so that nobody finds a part of it. Raises: OSError."""
    if folder.exists():
        _, gone = unfinished(folder)
        folder.rename(gone)
        shutil.rmtree(gone)


def _check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise GpbdError(
            f"Folder {folder.parent}: {free / 1e9:.2f} GB are free; wanted {needed / 1e9:.2f} GB. Free space there. {AGAIN}"
        )


def _given(wheels: Sequence[Wheel], source: Path) -> list[Path]:
    """Raises: GpbdError if one is missing."""
    missing = [wheel.file for wheel in wheels if not (source / wheel.file).is_file()]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise GpbdError(
            f"Folder {source}: {missing[0]}{more} is missing; wanted all {len(wheels)} wheels of this Python and system. "
            "Download them on a computer with internet, as the page GPU of the guide says."
        )
    return [source / wheel.file for wheel in wheels]


def _downloaded(wheels: Sequence[Wheel], folder: Path, tell: Tell) -> list[Path]:
    """Raises: GpbdError; OSError."""
    folder.mkdir()
    done, whole = 0, sum(wheel.size for wheel in wheels)
    for number, wheel in enumerate(wheels, 1):
        tell((1.0 - UNPACKING) * done / whole, f"Downloading {number} of {len(wheels)}: {wheel.pin} ({wheel.size >> 20} MB)")
        _download(wheel, folder)
        done += wheel.size
    return [folder / wheel.file for wheel in wheels]


def _download(wheel: Wheel, folder: Path) -> None:
    log = folder / "told"
    with log.open("wb") as printed:
        process = child.start(DOWNLOAD, download.run.__name__, [wheel.pin, wheel.sha256, str(folder)], printed)
    code = process.wait()
    words = log.read_text(encoding="utf-8", errors="replace").strip()
    if code or not (folder / wheel.file).is_file():
        errors = [line for line in words.splitlines() if line.startswith("ERROR")] or words.splitlines() or ["no message"]
        raise GpbdError(f"CUDA: {wheel.file} was not downloaded ({errors[-1].rstrip('.')}). {BY_FOLDER}")


def _check(wheel: Wheel, file: Path) -> None:
    with file.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    if digest != wheel.sha256:
        raise GpbdError(
            f"{file.name}: its SHA-256 is {digest[:16]}...; wanted {wheel.sha256[:16]}... It is not the file that was "
            "published, so nothing is installed. Download it again."
        )


def _unpack(files: Sequence[Path], target: Path, tell: Tell) -> None:
    """Raises: OSError."""
    target.mkdir(parents=True)
    for number, file in enumerate(files):
        tell(1.0 - UNPACKING * (1.0 - number / len(files)), f"Unpacking {number + 1} of {len(files)}")
        with zipfile.ZipFile(file) as wheel:
            for entry in wheel.infolist():
                path = Path(wheel.extract(entry, target))
                if entry.external_attr >> 16 & 0o111 and path.is_file():
                    path.chmod(path.stat().st_mode | 0o111)


def _unwritable(folder: Path, error: OSError) -> GpbdError:
    return GpbdError(
        f"Folder {folder.parent}: cannot be written ({error.strerror}). Free space there, or make it writable. {AGAIN}"
    )
