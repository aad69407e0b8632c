"""Ends running jobs before undo, redo, a file load or the end of the extension takes their scene away; the frames of a bake
are kept and played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import bpy
from bpy.app.handlers import persistent


class Job(Protocol):
    """Interface of a job. `gives_way`: whether it ends for another one. takes_hands: whether bodies can be grabbed then."""

    gives_way: bool
    takes_hands: bool

    def stop(self, reason: str) -> None: ...

    def play(self) -> None: ...


_running: list[Job] = []
_undone: list[Job] = []
_later: list[Callable[[], None]] = []
_inside = False  # a hook of ours: Blender walks over its list of hooks meanwhile, so none may be taken out


def attach(job: Job) -> None:
    """Watch a job."""
    _running.append(job)
    for hooks, function in _hooks():
        if function not in hooks:
            hooks.append(function)


def detach(job: Job) -> None:
    """The job has ended."""
    _running.remove(job)


def release() -> None:
    """Remove the hooks when no job needs them; call it after a job, any number of times."""
    if _running or _inside:
        return
    for hooks, function in _hooks():
        if function in hooks:
            hooks.remove(function)


def when_idle(function: Callable[[], None]) -> None:
    """Call a function now, or once the running jobs have ended."""
    _later.append(function)
    go_on()


def go_on() -> None:
    """Call it when a job has ended."""
    while _later and not _running:
        _later.pop(0)()


def end_all(reason: str) -> None:
    """Stop every job."""
    for job in list(_running):
        job.stop(reason)


def make_room() -> None:
    """Stop jobs that yield to others: another one begins, or caches are moved."""
    for job in list(_running):
        if job.gives_way:
            job.stop("something else began")


def is_busy() -> bool:
    """Return whether a job runs that does not yield to others."""
    return any(not job.gives_way for job in _running)


def is_draping() -> bool:
    """Return whether a job runs that does not yield to others, and in which bodies can be grabbed."""
    return any(job.takes_hands and not job.gives_way for job in _running)


@contextmanager
def hook() -> Iterator[None]:
    """Around what a hook does that may end a job."""
    global _inside
    _inside = True
    try:
        yield
    finally:
        _inside = False


@persistent
def _stop_for_load(*_: object) -> None:
    with hook():
        end_all("another file was loaded")


@persistent
def _stop_for_undo(*_: object) -> None:
    with hook():
        _undone.extend(_running)
        end_all("an edit was undone or redone")


@persistent
def _play_after_undo(*_: object) -> None:
    """Undo takes back the path that the bake gave to the modifier; the frames are there all the same."""
    while _undone:
        _undone.pop().play()


def _hooks() -> list[tuple[list, Any]]:
    on = bpy.app.handlers
    return [
        (on.load_pre, _stop_for_load),
        (on.undo_pre, _stop_for_undo),
        (on.redo_pre, _stop_for_undo),
        (on.undo_post, _play_after_undo),
        (on.redo_post, _play_after_undo),
    ]
