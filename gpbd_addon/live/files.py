"""The cache that live play writes: a version as a bake writes it, marked, which takes the place of the one before it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import bpy
import numpy as np

from ...solver.cache import pc2
from ...solver.cache.atomic_write import write_atomically
from ...solver.scene import Scene
from ..bake import cache_path, kept_tetrahedra, trash, versions
from ..bake.differences import unchangeable
from ..bake.files import BakeFiles, Call, Steps
from ..bake.versions import LIVE, Version

Array = np.ndarray


class LiveFiles(BakeFiles):
    """Files of one live play."""

    def __init__(self, *of_bake: Any) -> None:
        super().__init__(*of_bake)
        self._head[LIVE] = True

    def _numbering_new(self, call: Call) -> Steps:
        """The first free number after those of bakes: the number of a live version that goes is used again."""
        scene = self._scene.now()
        present = {
            number for by_version in cache_path.present(self.folder, self._identities).values() for number in by_version
        }
        baked = present - {one.number for one in find(scene, self._bodies())}
        number = 1 + max(baked, default=0)
        while number in present:
            number += 1
        yield from self._numbering(call, number)
        self.paths = self._target(self.version)

    def going_on(
        self, call: Call, before: LiveFiles, kept: Mapping[str, str], scene: Scene, inverses: Mapping[str, Array]
    ) -> Steps:
        """Take the place of the files of other bodies, and continue them after their last frame; bodies that come stand at
        their start until then. kept: of `Simulation.as_scene`. inverses: of `Session.regroup`. Raises: CacheError;
        LockedError; SceneError."""
        self._left_locked, self._kept = before._left_locked, before.frames
        yield from call("lock", [str(path) for path in self._lock_paths if path not in before._lock_paths], False)
        yield from self._numbering(call, before.version)
        for name, path in self._target(self.version).items():
            self.paths[name] = before.paths[kept[name]] if name in kept else path
        plans = [
            self._plan(body, self._manifest(body, []), self.paths[body.name] if body.name in kept else "")
            for body in self.world.bodies
        ]
        stored = kept_tetrahedra.of_world(self.world), kept_tetrahedra.files(self.folder, self.world)
        yield from call("regroup", scene, self.world.settings, kept, self._bake_plan(plans), inverses, *stored)
        self.reports, self.frames, self.is_open = before.reports, before.frames, True
        self.checkpoint_frames = self.frames
        before.is_open = False

    def _refused(self, identity: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
        """Live play knows of the other changes, which act from a frame on."""
        return unchangeable(identity, now)

    def show(self) -> None:
        """As `play`, without what only renders and nodes want of it: that takes long where it is made first."""
        self.play(attributes=False)

    def drop_others(self) -> None:
        """Delete live versions before this one, once its first frame plays. Raises: CacheError."""
        bodies = self._bodies()
        for one in find(self._scene.now(), bodies):
            if one.number != self.version:
                for ob in bodies:
                    path = one.paths.get(ob.name)
                    if path is not None:
                        trash.delete_version(path, ob.gpbd.uuid)

    def _bodies(self) -> list[bpy.types.Object]:
        wanted = set(self._identities)
        return [ob for ob in self._scene.now().objects if ob.gpbd.uuid in wanted]


def find(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object] | None = None) -> list[Version]:
    """Live versions in the scene's folder, the newest first."""
    return [one for one in versions.find(scene, bodies) if one.live]


def bake_plays(bodies: Iterable[bpy.types.Object]) -> bool:
    """Return whether one of the bodies plays a bake."""
    played = [cache_path.of(ob) for ob in bodies]
    return any(path is not None and path.exists() and not versions.is_live(path) for path in played)


def make_baked(version: Version) -> None:
    """A live version becomes one as a bake writes it. Raises: CacheError."""
    for path in version.paths.values():
        manifest = pc2.read_manifest(path)
        manifest.pop(LIVE, None)
        write_atomically(pc2.manifest_path(path), json.dumps(manifest, indent=1).encode(), durable=True)
