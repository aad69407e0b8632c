"""Stand-in for a window of Blender that plays, and the same frames by a script."""

import time

import numpy as np

from solver.cache import pc2

LONGEST = 300.0


class Window:
    """Stand-in for a window that plays, and for the artist's actions there."""

    def __init__(self, blender, player, files):
        self.blender, self.player, self.files = blender, player, files
        self.scene = blender.context.scene
        self.playing = False

    def ticks(self, count=3):
        for _ in range(count):
            self.player.tick()
            time.sleep(0.002)
        assert not self.player.problem, self.player.problem

    def play(self, last, at=lambda frame: None):
        """Presses Space until the timeline stands at a frame; returns the frames that were shown."""
        until, shown, self.playing = time.monotonic() + LONGEST, [self.scene.frame_current], True
        while shown[-1] < last:
            assert time.monotonic() < until, f"stands at {shown[-1]}"
            self.scene.frame_set(shown[-1] + 1)
            if self.scene.frame_current != shown[-1]:
                shown.append(self.scene.frame_current)
                at(shown[-1])
            self.ticks()
        self.playing = False
        return shown

    def wait(self, done):
        until = time.monotonic() + LONGEST
        while not done():
            assert time.monotonic() < until
            self.ticks(1)

    def go_to(self, frame):
        """Move the playhead to a frame, and wait for the solved frames."""
        self.scene.frame_set(frame)
        self.wait(lambda: self.player.job is None or self.player.job.solved >= frame)

    def edited(self):
        """Send Blender's notice of an edit."""
        self.blender.context.view_layer.update()
        self.player.after_edit(self.scene)

    def cache(self):
        """Return the frames that live play has written, (frames, n, 3)."""
        (version,) = self.files.find(self.scene)
        return np.array(pc2.read_frames(version.paths["Flag"]))


def by_script(blender, change=lambda frame: None, first=2, last=30, grabs=lambda frame: {}):
    """The same frames from the solver's API, in this process. change: called before a frame is read.
    grabs: of the interval before a frame."""
    from gpbd.gpbd_addon.bake.engine import Engine
    from gpbd.gpbd_addon.read import modifier, scene_input
    from gpbd.solver.cache import object_space
    from gpbd.solver.session import Session
    from gpbd.solver.simulation import Simulation

    scene, flag, found = blender.context.scene, blender.data.objects["Flag"], []

    class Asked:
        """A stand-in for a worker, which calls the simulation with the requests of a bake."""

        def submit(self, method, *arguments):
            getattr(session, method)(*arguments)

    class Kept:
        frames = kept = 0
        measured = None

        def write(self, surfaces, inverses, report, values=None):
            found.append(object_space.local_positions(surfaces["Flag"], inverses["Flag"]))

        def abandon(self):
            """Do nothing: no file is open."""

    with modifier.switched_off([flag]):
        layer = blender.context.view_layer.name
        world = scene_input.gather(scene, layer, [flag])
        session = Session(lambda kind, value: None)
        session._simulation, session._writer = Simulation(world.build(), world.settings), Kept()
        session._write(session._simulation, session._simulation.start(), world.first.inverses, np.inf)
        session._kept = np.inf
        for frame in range(first, last + 1):
            change(frame)
            data = scene_input.read_frame(scene, layer, world, frame)
            data.number, data.grabs = frame, grabs(frame)
            session._writer.kept = session._writer.frames = 0
            Engine(world, Asked()).advance(data)
    return np.array(found, np.float32)
