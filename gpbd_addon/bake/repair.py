"""Check of the caches of bodies frame by frame, and repair of the damaged parts, and nothing else. They may be many
gigabytes: a worker reads them."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ...solver.cache import lock, pc2
from ...solver.cache.atomic_write import MEND
from ...solver.cache.checkpoints import SUFFIX, Checkpoints
from ...solver.cache.manifest import Manifest
from ...solver.counted import counted
from ...solver.errors import CacheError, ContactMemoryError, SceneError, UnstableError
from ..read import scene_input
from ..translations import tr
from . import cache_path
from .remaking import Remaking, stretches
from .stepped_job import CANCELLED, DONE, SteppedJob, Steps

__all__ = ["CANCELLED", "DONE", "RepairJob", "VerifyJob"]

Calling = Generator[bool, None, Any]
#: Remedy for damage that *Repair* leaves.
BEYOND = "Choose another version, or bake again."


@dataclass
class Checked:
    """Check of one body. cache: the checked one, None without one. frames: that exist and are whole, from the first on.
    damaged: frames of the scene that differ from the written ones. problems, done: sentences."""

    object: str
    cache: Path | None
    version: int = 0
    frames: int = 0
    damaged: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)


#: Of one bake.
Caches = list[tuple[Path, Checked]]


class _CacheJob(SteppedJob):
    """found: of each body, so far."""

    doing = ""

    def __init__(self, scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> None:
        """names: of bodies, default all. out: folder whose newest version is meant, default what the bodies play."""
        super().__init__(scene)
        self.names, self.out = names, out
        self.checked: list[Checked] = []

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        self.status = self.doing
        self.checked = _chosen(scene, self.names, self.out)
        return self._run()

    def _run(self) -> Steps:
        raise NotImplementedError

    def _verifying(self, share: float) -> Calling:
        """Compare each frame with its written state. share: of all the work."""
        for one in self.checked:
            if one.cache is None:
                one.problems.append(f"{one.object}: has no cache. Bake it.")
            else:
                self._say(f"{tr(self.doing)}: {one.object}")
                read = yield from self._result_of(one, "verify", str(one.cache))
                if read is not None:
                    one.problems += read.problems
                    one.damaged, one.frames = read.damaged, read.frames
            self.progress += share / len(self.checked)

    def _copies(self, one: Checked) -> Calling:
        """Return `cache.repair.copies` in other versions of a body: index -> its cache."""
        assert one.cache is not None
        others = [path for path in _versions(one) if path != one.cache]
        sources = yield from self._result_of(one, "copies", str(one.cache), [str(path) for path in others])
        return {index: Path(other) for index, other in sources or ()}

    def _result_of(self, one: Checked, method: str, *arguments: Any) -> Calling:
        """Return the worker's result; where it raises a CacheError, None, and a problem."""
        try:
            return (yield from self._call(method, *arguments))
        except CacheError as error:
            one.problems.append(str(error))
            return None


class VerifyJob(_CacheJob):
    """Compares each frame of caches with how it was written, and reads the checkpoints. planned: what *Repair* would do, as
    sentences."""

    doing = "Verifying"

    def __init__(self, scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> None:
        super().__init__(scene, names, out)
        self.planned: list[str] = []

    def _run(self) -> Steps:
        yield from self._verifying(0.5)
        for one in self.checked:
            if one.cache is not None and _manifest(one.cache) is None:
                self.planned.append(f"Restore the manifest of {one.object}, if a checkpoint has it.")
        bakes = _bakes(self.checked)
        count = max(sum(len(checkpoints.frames()) for checkpoints, _ in bakes), 1)
        for checkpoints, caches in bakes:
            whole = []
            for frames in checkpoints.frames():
                self._say(f"{tr(self.doing)}: {checkpoints.path(frames).name}")
                if (yield from self._result_of(caches[0][1], "identity", str(checkpoints.path(frames)))) is not None:
                    whole.append(frames)
                else:
                    self.planned.append(f"Delete {checkpoints.path(frames).name}, which is damaged.")
                self.progress += 0.5 / count
            damaged = yield from self._result_of(caches[0][1], "damaged", [str(path) for path, _ in caches])
            for (path, one), indices in zip(caches, damaged or [], strict=False):
                copied = yield from self._copies(one)
                solved = [index for index in indices if index not in copied]
                self.planned += _copied(one, copied, done=False) + _planned(path, one, solved, whole)
                if indices:
                    there = pc2.read_header(path).n_frames
                    stay = counted(there - sum(index < there for index in indices), "other frame", "other frames")
                    self.planned.append(f"Keep {stay} of {one.object}.")
        return DONE


class RepairJob(_CacheJob):
    """Repair of the damage that `VerifyJob` finds: lost files beside the frames are written again, and damaged frames are
    copied from another version, or solved again from the checkpoint before them. All others stay, and after a stop or
    failure damaged ones too. Fails where caches are being written."""

    doing = "Repairing"

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        steps = super()._begin(scene)
        there = [(one.cache.parent, scene.objects[one.object].gpbd.uuid) for one in self.checked if one.cache is not None]
        self._locks = {path: path.exists() for path in (cache_path.lock(*identity) for identity in there)}
        return steps

    def _run(self) -> Steps:
        yield from self._call("lock", [str(path) for path in self._locks], False)
        for one in self.checked:
            if one.cache is not None:
                self._say(f"{tr(self.doing)}: {one.object}")
                head = yield from self._head(one)
                one.done += (yield from self._result_of(one, "mend", str(one.cache), head)) or []
                if copied := (yield from self._copies(one)):
                    yield from self._result_of(
                        one, "copy", str(one.cache), [(index, str(other)) for index, other in copied.items()]
                    )
                    one.done += _copied(one, copied, done=True)
            self.progress += 0.2 / len(self.checked)
        failed: list[tuple[Checked, str]] = []
        for checkpoints, caches in _bakes(self.checked):
            whole = []
            for at in checkpoints.frames():
                if (yield from self._identity(checkpoints.path(at))) is not None:
                    whole.append(at)
                else:
                    checkpoints.remove_one(at)
                    caches[0][1].done.append(f"Deleted {checkpoints.path(at).name}, which was damaged.")
            try:
                yield from self._remaking(checkpoints, caches, whole)
            except (CacheError, SceneError, UnstableError, ContactMemoryError) as error:
                failed.append((caches[0][1], str(error)))
        for one in self.checked:
            one.problems.clear()  # those that are left are found again
        yield from self._verifying(0.3)
        for one, why in failed:
            one.problems.insert(0, why)
        for one in self.checked:
            one.problems = list(dict.fromkeys(_left(text) for text in one.problems))
        yield from self._call("close_caches")
        return DONE

    def _remaking(self, checkpoints: Checkpoints, caches: Caches, whole: list[int]) -> Calling:
        """Remake the damaged frames of the caches of a bake."""
        assert self.worker is not None
        damaged_frames = yield from self._call("damaged", [str(path) for path, _ in caches])
        damaged = {one.object: indices for (_, one), indices in zip(caches, damaged_frames, strict=True)}
        paths = {one.object: path for path, one in caches}
        remaking = Remaking(self.scene, self.worker, self._call, self._say, checkpoints, paths, damaged)
        going = stretches(sorted(set().union(*damaged.values())), whole)
        for stretch in going:
            yield from remaking.steps(stretch)
            self.progress += 0.5 / len(going)
        for _, one in caches:
            if damaged[one.object]:
                one.done.append(f"Solved {_frames(one, damaged[one.object])} of {one.object} again.")

    def _head(self, one: Checked) -> Calling:
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

    def _identity(self, path: Path) -> Calling:
        """Return the identity of a checkpoint; None of a damaged one."""
        try:
            return (yield from self._call("identity", str(path)))
        except CacheError:
            return None

    def _leave(self, state: str) -> str:
        """Leave no lock of a worker that was ended in the middle."""
        assert self.worker is not None
        if self.worker.pending:
            self.worker.close()
            for path, was_there in self._locks.items():
                if not was_there:
                    lock.clear(path)
        return state


def verify(scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> list[Checked]:
    """Run `VerifyJob` to its end and return its findings. Raises: SceneError."""
    return _done(VerifyJob(scene, names, out))


def repair(scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> list[Checked]:
    """Run `RepairJob` to its end and return its results. Raises: LockedError; SceneError."""
    return _done(RepairJob(scene, names, out))


def _left(problem: str) -> str:
    """Return a problem that *Repair* has left, without the remedy to press it."""
    return problem.replace(MEND, BEYOND).replace(pc2.REPAIR, BEYOND)


def _done(job: _CacheJob) -> list[Checked]:
    job.run()
    return job.checked


def _chosen(scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> list[Checked]:
    """Return the caches to check, see `_CacheJob`. Raises: SceneError."""
    checked = []
    for ob in scene_input.bodies_of(scene, names):
        path = cache_path.of(ob) if out is None else None
        if path is None:
            into = cache_path.folder(scene, out)
            by_version = cache_path.present(into, [ob.gpbd.uuid])[ob.gpbd.uuid] if ob.gpbd.uuid else {}
            path = by_version[max(by_version)] if by_version else None
        checked.append(Checked(ob.name, path, cache_path.version_of(path) if path is not None else 0))
    return checked


def _bakes(checked: Iterable[Checked]) -> list[tuple[Checkpoints, list[tuple[Path, Checked]]]]:
    """The checkpoints of each bake that wrote these caches, and its caches."""
    known: dict[tuple[Path, str], list[tuple[Path, Checked]]] = {}
    for one in checked:
        name = None if one.cache is None else (_manifest(one.cache) or {}).get("checkpoints")
        if one.cache is not None and name is not None:
            known.setdefault((one.cache.parent, name), []).append((one.cache, one))
    return [(Checkpoints(folder, name), caches) for (folder, name), caches in known.items()]


def _versions(one: Checked) -> list[Path]:
    """The caches of all versions of a body, the oldest first."""
    identity = None if one.cache is None else (_manifest(one.cache) or {}).get("uuid")
    if one.cache is None or identity is None:
        return []
    caches = cache_path.present(one.cache.parent, [identity])[identity]
    return [caches[number] for number in sorted(caches)]


def _copied(one: Checked, copied: dict[int, Path], done: bool) -> list[str]:
    """Return copies of frames of a body, as sentences. copied: see `_copies`. done: whether they were made already."""
    by_version: dict[int, list[int]] = {}
    for index in sorted(copied):
        by_version.setdefault(cache_path.version_of(copied[index]), []).append(index)
    lines = []
    for version, indices in by_version.items():
        frames = _frames(one, indices)
        plan = f"Copy {frames} of {one.object} from v{version}."
        lines.append(f"Copied {frames} of {one.object} from v{version}." if done else plan)
    return lines


def _frames(one: Checked, indices: list[int]) -> str:
    """Return `pc2.framed` of frames by their indices."""
    assert one.cache is not None
    start = int(pc2.read_header(one.cache).start)
    return pc2.framed([start + index for index in indices])


def _planned(path: Path, one: Checked, indices: list[int], whole: list[int]) -> list[str]:
    """Return the plans for damaged frames to solve, as sentences. whole: the readable checkpoints."""
    if not indices:
        return []
    start = int(pc2.read_header(path).start)
    solved = stretches(indices, whole)
    begun = ", ".join(
        f"the checkpoint after {start + stretch.keep - 1}" if stretch.keep else "the start" for stretch in solved
    )
    number = sum(stretch.solved for stretch in solved)
    sentences = [
        f"Solve {_frames(one, indices)} of {one.object} again from {begun}, {counted(number, 'frame', 'frames')} in all."
    ]
    for change in (_manifest(path) or {}).get("changes", []):
        old = [index for index in indices if start + index < change.get("frame", start)]
        if old and change.get("changed"):
            then = ", ".join(change["changed"])
            sentences.append(f"Solving {_frames(one, old)} of {one.object} needs the settings of then: {then}.")
    return sentences


def _manifest(path: Path) -> Manifest | None:
    """None of one that cannot be read."""
    try:
        return pc2.read_manifest(path)
    except CacheError:
        return None


def _is_head(head: Any, one: Checked) -> bool:
    """Return whether the manifest in a checkpoint is that of this cache."""
    whole = isinstance(head, dict) and pc2.wrong_key({**head, "hashes": []}) is None
    return (
        one.cache is not None
        and whole
        and cache_path.is_of(one.cache, head.get("uuid", ""))
        and head.get("version") == one.version
    )
