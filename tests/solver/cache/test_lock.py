"""One writer at a time, whoever comes and goes meanwhile."""

import dataclasses
import json
import os
import socket

import pytest

from solver.cache import lock as locks
from solver.cache.lock import Lock, holder
from solver.errors import LockedError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "gpbd-1.lock"


def test_a_lock_has_one_holder_and_leaves_no_file(path):
    first = Lock(path)
    assert first.take() is None and holder(path).living and holder(path).process == os.getpid()
    with pytest.raises(LockedError, match=f"process {os.getpid()}"):
        Lock(path).take()
    first.release()
    first.release()
    assert not path.exists() and holder(path) is None


def test_what_a_killed_process_has_left_stays_where_nothing_was_made_of_it(path):
    """A refused bake: the interrupted one can still be continued."""
    left = {"machine": socket.gethostname(), "process": 1, "begun": 1.7e9, "version": 7}
    path.write_text(json.dumps(left))
    os.utime(path, (1.7e9, 1.7e9))
    lock = Lock(path)
    found = lock.take()
    lock.name_version(8)
    lock.release(as_found=True)
    assert holder(path) == dataclasses.replace(found, living=False) and found.version == 7 and found.seen == 1.7e9
    lock.take()
    lock.release()
    assert not path.exists()


@pytest.mark.skipif(os.name != "posix", reason="Windows takes no name away from an open file")
def test_who_was_unlocked_does_not_take_away_the_lock_of_another(path):
    first, second = Lock(path), Lock(path)
    first.take()
    path.unlink()
    second.take()
    first.release()
    assert holder(path).living
    with pytest.raises(LockedError):
        Lock(path).take()
    second.release()
    assert not path.exists()


@pytest.mark.skipif(os.name != "posix", reason="Windows takes no name away from an open file")
def test_the_file_goes_while_it_is_held(path, monkeypatch):
    """Between letting go and removing it another process could take it, and a third one make a new file."""
    lock, seen, close = Lock(path), [], os.close
    lock.take()
    monkeypatch.setattr(os, "close", lambda file: (seen.append(path.exists()), close(file)))
    lock.release()
    assert seen == [False]


def test_who_only_looks_for_a_moment_stops_no_bake(path, monkeypatch):
    """`holder` takes the lock for as long as it needs to see that nobody has it."""
    looking, pauses = os.open(path, os.O_RDWR | os.O_CREAT), []
    locks._system_lock(looking)

    def pause(seconds):
        if not pauses:
            os.close(looking)
        pauses.append(seconds)

    monkeypatch.setattr(locks.time, "sleep", pause)
    lock = Lock(path)
    lock.take()
    assert pauses == [locks.PAUSE]
    lock.release()
