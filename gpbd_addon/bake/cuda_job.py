"""Installing the packages that CUDA needs into the extension's user folder, and removing them, by a worker."""

from __future__ import annotations

import bpy

from ...solver import session
from ...solver.device.cuda import install
from .. import user_folder
from . import devices
from .stepped_job import DONE, SteppedJob, Steps


class CudaJob(SteppedJob):
    """Job that installs CUDA. source: a folder of wheels, "" to download them; None removes the installation."""

    def __init__(self, scene: bpy.types.Scene, source: str | None) -> None:
        super().__init__(scene)
        self.source, self.folder = source, user_folder.cuda_folder()

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        self.status = "Removing CUDA support" if self.source is None else "Installing CUDA support"
        return self._run()

    def _run(self) -> Steps:
        assert self.worker is not None
        if self.source is None:
            yield from self._call("remove_cuda", str(self.folder))
            return DONE
        self.worker.submit("install_cuda", self.source, str(self.folder))
        while not self.worker.is_ready():
            for kind, value in self.worker.messages:
                if kind == session.INSTALLING:
                    self.progress, words = value
                    self._say(words)
            self.worker.messages.clear()
            yield False
        self.worker.result()
        return DONE

    def _leave(self, state: str) -> str:
        """Remove partial results of a stopped job."""
        assert self.worker is not None
        if state != DONE:
            self.worker.close()
            install.clear(self.folder)
        devices.end()
        return state
