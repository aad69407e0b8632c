"""A lock file: one writer of a cache at a time, in two Blenders on one machine, or on two.

The operating system holds the lock for as long as the process lives, so one that was killed leaves a file but no lock. The
file says who writes; it is touched with each frame. Where another machine has written it the system's lock may not reach, as
on some network drives: such a lock is asked about, with its age, and never taken silently.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import CacheError, LockedError
from .atomic_write import write_error

#: Another process may remove the file between opening and locking it, or hold it while it looks who writes; so often it is
#: opened again, after so long [s].
ATTEMPTS, PAUSE = 8, 0.01
#: Held by somebody else.
TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
#: Longest lock file that is read [bytes].
LONGEST = 4096
BINARY = getattr(os, "O_BINARY", 0)
POSIX = os.name == "posix"

if sys.platform == "win32":
    import msvcrt

    def _system_lock(file: int) -> None:
        os.lseek(file, LONGEST, os.SEEK_SET)  # beyond the text, which others read
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _system_lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@dataclass(frozen=True)
class Holder:
    """Who writes. begun, seen: seconds since 1970, seen by the file's time. version: of the bake. living: False where the
    process has ended, None where that cannot be known."""

    machine: str
    process: int
    begun: float
    version: int
    seen: float = 0.0
    living: bool | None = None

    def __str__(self) -> str:
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.begun))
        return f"machine '{self.machine}', process {self.process}, since {since}"

    @property
    def age(self) -> str:
        """How long it has not been heard of."""
        minutes = max(int(time.time() - self.seen) // 60, 0)
        return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


class Lock:
    """Not taken yet. path: of the lock file, in the folder of what is written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None
        self._found: Holder | None = None  # who left it behind

    def take(self, take_over: bool = False) -> Holder | None:
        """Returns who left it behind, None where nobody did. take_over: also where another machine may still have it.

        Raises: LockedError, naming who has it; CacheError if the file cannot be written.
        """
        try:
            file, held, locked = self._open()
            same_machine = held is None or held.machine == socket.gethostname()
            if locked is False or not (take_over or held is None or (locked and same_machine)):
                os.close(file)
                raise _refusal(self.path, held, locked)
            self._file, self._found = file, held
            self.name_version(0 if held is None else held.version)
        except OSError as error:
            self.release()
            raise write_error(self.path, error) from error
        return held

    def name_version(self, version: int) -> None:
        """Says which version of the caches is being written. Raises: CacheError."""
        if self._file is None:
            return
        try:
            _write(self._file, Holder(socket.gethostname(), os.getpid(), round(time.time()), version))
        except OSError as error:
            raise write_error(self.path, error) from error

    def _open(self) -> tuple[int, Holder | None, bool | None]:
        """The file of that name, also where another process removes it meanwhile; who is in it; whether it is ours now."""
        for left in reversed(range(ATTEMPTS)):
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
            locked = _try(file)
            if _is_named(file, self.path) and (locked is not False or not left):
                return file, _read(file), locked
            os.close(file)
            time.sleep(PAUSE)
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    def touch(self) -> None:
        """Says that the bake goes on. Raises: CacheError, also where somebody took the lock away: the frames may be gone,
        or another bake begun."""
        if self._file is None:
            return
        try:
            named = _is_named(self._file, self.path)
            if named:
                os.utime(self.path)
        except OSError as error:
            raise write_error(self.path, error) from error
        if not named:
            raise CacheError(
                f"Cache {self.path}: was deleted during the bake, by hand or by another Blender. Press Resume where the "
                "frames are still there, or bake again."
            )

    def release(self, as_found: bool = False) -> None:
        """As often as you like. A file that cannot be removed any more stays, as that of a process that was killed does.

        as_found: leaves behind what another has left behind, as nothing has been made of it.
        """
        file, self._file = self._file, None
        if file is None:
            return
        try:
            if as_found and self._found is not None:
                _write(file, self._found)
                os.utime(self.path, (self._found.seen, self._found.seen))
                return
            os.ftruncate(file, 0)  # an empty one is nobody's, where Windows does not remove what another has open
            if POSIX and _is_named(file, self.path):
                _remove(self.path)  # while it is held: afterwards it may be the lock of another process
        except OSError as error:
            if error.errno != errno.EROFS:
                raise write_error(self.path, error) from error
            return
        finally:
            os.close(file)
        if not POSIX:
            _remove(self.path)  # where nobody has it open: neither this process nor one that writes meanwhile


def holder(path: Path) -> Holder | None:
    """Who has a lock, or has left it; None where there is none. Takes nothing."""
    try:
        file = os.open(path, os.O_RDWR | BINARY)
    except OSError:
        return None
    try:
        held, locked = _read(file), _try(file)
    finally:
        os.close(file)
    if held is None:
        return None
    ended = locked and held.machine == socket.gethostname()
    return Holder(**{**asdict(held), "living": True if locked is False else False if ended else None})


def clear(path: Path) -> None:
    """Takes away what a process of this machine has left that was ended, maybe before it said who it was. Raises:
    CacheError."""
    held = holder(path)
    if path.exists() and (held is None or held.living is False):
        left = Lock(path)
        try:
            left.take()
        except LockedError:
            return  # somebody else writes by now
        left.release()


def _is_named(file: int, path: Path) -> bool:
    """Whether an open file still has its name; Windows takes none away from an open file."""
    if not POSIX:
        return True
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False  # removed since it was opened


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # it is empty, and so nobody's


def _try(file: int) -> bool | None:
    """Whether the system gives the lock; None where it keeps none."""
    try:
        _system_lock(file)
    except OSError as error:
        return False if error.errno in TAKEN else None
    return True


def _read(file: int) -> Holder | None:
    try:
        os.lseek(file, 0, os.SEEK_SET)
        found: Any = json.loads(os.read(file, LONGEST))
        machine, process, begun, version = (found[name] for name in ("machine", "process", "begun", "version"))
        return Holder(str(machine), int(process), float(begun), int(version), os.fstat(file).st_mtime)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None  # empty, or not ours


def _write(file: int, held: Holder) -> None:
    text = {name: value for name, value in asdict(held).items() if name not in ("seen", "living")}
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, json.dumps(text).encode())


def _refusal(path: Path, held: Holder | None, locked: bool | None) -> LockedError:
    who = "another process" if held is None else str(held)
    if locked is False:
        return LockedError(f"Cache {path}: is being written by {who}. Wait for that bake or end it, then bake again.")
    assert held is not None
    return LockedError(
        f"Cache {path}: is locked by {who}, last heard of {held.age} ago. If that bake is gone, press Unlock in the panel "
        "Cache or delete this file, then bake again."
    )
