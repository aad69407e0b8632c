"""Looks through the caches of bodies frame by frame, and mends them so that a bake can be resumed. They may be many
gigabytes: a worker reads them."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ...solver.cache import lock, pc2
from ...solver.cache.checkpoints import SUFFIX, Checkpoints
from ...solver.errors import CacheError
from ..read import scene_input
from . import cache_path
from .stepped_job import CANCELLED, DONE, SteppedJob, Steps

__all__ = ["CANCELLED", "DONE", "RepairJob", "VerifyJob"]

Asking = Generator[bool, None, Any]


@dataclass
class Checked:
    """Of one body. cache: what was looked at, None where there is none. frames: that are there and whole, from the first on.
    damaged: frames of the scene that are not as they were written. problems, done: sentences."""

    object: str
    cache: Path | None
    version: int = 0
    frames: int = 0
    damaged: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)


class _CacheJob(SteppedJob):
    """found: of each body, so far."""

    doing = ""

    def __init__(self, scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> None:
        """names: of bodies, default all. out: folder whose newest version is meant, default what the bodies play."""
        super().__init__(scene)
        self.names, self.out = names, out
        self.found: list[Checked] = []

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        self.status = self.doing
        self.found = _chosen(scene, self.names, self.out)
        return self._run()

    def _run(self) -> Steps:
        raise NotImplementedError

    def _verifying(self, share: float) -> Asking:
        """Compares each frame with how it was written. share: of all the work."""
        for one in self.found:
            if one.cache is None:
                one.problems.append(f"{one.object}: has no cache. Bake it.")
            else:
                self._say(f"{self.doing} {one.object}")
                read = yield from self._asking(one, "verify", str(one.cache))
                if read is not None:
                    one.problems += read.problems
                    one.damaged, one.frames = read.damaged, read.frames
            self.progress += share / len(self.found)

    def _asking(self, one: Checked, method: str, *arguments: Any) -> Asking:
        """The worker's answer; where it raises a CacheError, None, and a problem."""
        try:
            return (yield from self._ask(method, *arguments))
        except CacheError as error:
            one.problems.append(str(error))
            return None


class VerifyJob(_CacheJob):
    """Compares each frame of caches with how it was written, and reads the checkpoints."""

    doing = "Verifying"

    def _run(self) -> Steps:
        yield from self._verifying(0.5)
        states = [(own.path(frames), caches[0][1]) for own, caches in _bakes(self.found) for frames in own.frames()]
        for path, one in states:
            self._say(f"{self.doing} {path.name}")
            yield from self._asking(one, "identity", str(path))
            self.progress += 0.5 / len(states)
        return DONE


class RepairJob(_CacheJob):
    """Mends what `VerifyJob` finds: what is lost beside the frames is made again, and a cache ends before its first damaged
    frame, with all others of the same bake, so that *Resume* goes on from there. Fails where caches are being written."""

    doing = "Repairing"

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        steps = super()._begin(scene)
        there = [(one.cache.parent, scene.objects[one.object].gpbd.uuid) for one in self.found if one.cache is not None]
        self._locks = {path: path.exists() for path in (cache_path.lock(*own) for own in there)}
        return steps

    def _run(self) -> Steps:
        yield from self._ask("lock", [str(path) for path in self._locks], False)
        for one in self.found:
            if one.cache is not None:
                self._say(f"{self.doing} {one.object}")
                head = yield from self._head(one)
                one.done += (yield from self._asking(one, "mend", str(one.cache), head)) or []
            self.progress += 0.5 / len(self.found)
        for own, caches in _bakes(self.found):
            frames = min(pc2.read_header(path).n_frames for path, _ in caches)
            for path, one in caches:
                if (yield from self._ask("cut", str(path), frames)):
                    one.done.append(f"{path.name}: ends after {frames} frames now, as the other bodies of its bake.")
            gone = own.remove(after=frames)
            for at in own.frames():
                if (yield from self._identity(own.path(at))) is None:
                    gone.append(own.remove_one(at))
            caches[0][1].done += [f"{path.name}: was deleted; it was damaged, or of frames that are gone." for path in gone]
        for one in self.found:
            one.problems.clear()  # those that are left are found again
        yield from self._verifying(0.5)
        yield from self._ask("close_caches")
        return DONE

    def _head(self, one: Checked) -> Asking:
        """The manifest of a cache as a checkpoint beside it keeps it; None where none does, or where it can be read."""
        assert one.cache is not None
        if _manifest(one.cache) is not None:
            return None
        for path in sorted(one.cache.parent.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True):
            identity = yield from self._identity(path)
            heads = (identity or {}).get("manifests")
            for head in heads.values() if isinstance(heads, dict) else ():
                if _is_head(head, one):
                    return head
        return None

    def _identity(self, path: Path) -> Asking:
        """Of a checkpoint; None of one that is damaged."""
        try:
            return (yield from self._ask("identity", str(path)))
        except CacheError:
            return None

    def _leave(self, state: str) -> str:
        """Leaves no lock of a worker that was ended in the middle."""
        assert self.worker is not None
        if self.worker.asked:
            self.worker.close()
            for path, was_there in self._locks.items():
                if not was_there:
                    lock.clear(path)
        return state


def verify(scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> list[Checked]:
    """What `VerifyJob` finds, waiting for it. Raises: SceneError."""
    return _done(VerifyJob(scene, names, out))


def repair(scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> list[Checked]:
    """What `RepairJob` does, waiting for it. Raises: LockedError; SceneError."""
    return _done(RepairJob(scene, names, out))


def _done(job: _CacheJob) -> list[Checked]:
    job.run()
    return job.found


def _chosen(scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> list[Checked]:
    """What there is to look at, see `_CacheJob`. Raises: SceneError."""
    found = []
    for ob in scene_input.bodies_of(scene, names):
        path = cache_path.of(ob) if out is None else None
        if path is None:
            into = cache_path.folder(scene, out)
            own = cache_path.present(into, [ob.gpbd.uuid])[ob.gpbd.uuid] if ob.gpbd.uuid else {}
            path = own[max(own)] if own else None
        found.append(Checked(ob.name, path, cache_path.version_of(path) if path is not None else 0))
    return found


def _bakes(found: Iterable[Checked]) -> list[tuple[Checkpoints, list[tuple[Path, Checked]]]]:
    """The checkpoints of each bake that wrote these caches, and its caches."""
    known: dict[tuple[Path, str], list[tuple[Path, Checked]]] = {}
    for one in found:
        name = None if one.cache is None else (_manifest(one.cache) or {}).get("checkpoints")
        if one.cache is not None and name is not None:
            known.setdefault((one.cache.parent, name), []).append((one.cache, one))
    return [(Checkpoints(folder, name), caches) for (folder, name), caches in known.items()]


def _manifest(path: Path) -> dict[str, Any] | None:
    """None of one that cannot be read."""
    try:
        return pc2.read_manifest(path)
    except CacheError:
        return None


def _is_head(head: Any, one: Checked) -> bool:
    """Whether what a checkpoint keeps is the manifest of this cache."""
    whole = isinstance(head, dict) and pc2.wrong_key({**head, "hashes": []}) is None
    return (
        one.cache is not None
        and whole
        and cache_path.is_of(one.cache, head.get("uuid", ""))
        and head.get("version") == one.version
    )
