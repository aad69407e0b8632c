"""Redraws of a window during a job, by a clock of the test: a quick window shows every frame."""

import itertools
from types import SimpleNamespace

import pytest


class Job:
    """Writes a frame every so often."""

    waits, state = True, "running"

    def __init__(self, clock, every):
        self.clock, self.every, self.seen, self.shows = clock, every, 0, []

    @property
    def written(self):
        return int(self.clock.now / self.every + 1e-9)

    @property
    def news(self):
        return self.written != self.seen

    def poll(self):
        return False

    def show(self):
        self.seen = self.written
        self.shows.append((self.clock.now, self.seen))


@pytest.fixture
def shows(extension, monkeypatch):
    """Simulate a second with a frame every `every` seconds and redraws of `drawing` seconds; return the time of each shown
    frame, and the number of redraws."""
    from gpbd.gpbd_addon.operators import modal_job, progress

    def run(every, drawing):
        clock, drawn = SimpleNamespace(now=0.0), []
        monkeypatch.setattr(modal_job, "perf_counter", lambda: clock.now)
        monkeypatch.setattr(progress, "show", lambda *_: drawn.append(clock.now))
        operator = type("Operator", (modal_job.ModalJob,), {})()
        operator._job, timer = Job(clock, every), SimpleNamespace(type="TIMER", value="NOTHING")
        for step in itertools.count(1):
            clock.now = max(clock.now, step * modal_job.TIMER_SECONDS)
            if clock.now > 1.0:
                return [(when, frame) for when, frame in operator._job.shows if frame], drawn
            before = len(drawn)
            operator.modal(None, timer)
            clock.now += drawing * (len(drawn) > before)

    return run


@pytest.mark.parametrize("every", [0.03, 0.05, 0.2])
def test_where_drawing_is_quick_every_frame_is_seen_as_it_comes(shows, every):
    """A tick of the timer, 20 ms, after it was written."""
    seen, _ = shows(every, drawing=0.01)
    frames = list(dict.fromkeys(frame for _, frame in seen))
    assert frames == list(range(1, frames[-1] + 1)) and frames[-1] >= int(1.0 / every) - 1
    first = {frame: when for when, frame in reversed(seen)}
    assert max(first[frame] - frame * every for frame in frames) < 0.021


@pytest.mark.parametrize("drawing", [0.03, 0.06, 0.2])
def test_where_drawing_is_slow_a_frame_is_seen_a_tenth_of_a_second_after_the_window_was_drawn_last(shows, drawing):
    """And no sooner than it has to be: drawing takes the processor from the solver."""
    seen, drawn = shows(0.02, drawing)
    between = [b - a - drawing for a, b in itertools.pairwise(drawn)][1:]
    assert max(between) < 0.101 and min(between) >= 0.08 - 1e-9 and len(seen) > 3


def test_where_nothing_is_made_the_window_is_drawn_ten_times_a_second_for_what_is_said(shows):
    _, drawn = shows(10.0, drawing=0.01)
    assert 9 <= len(drawn) <= 13


def test_panels_are_drawn_again_after_the_end_of_a_job(blender, monkeypatch):
    """Blender itself draws the area where the operator began, which may be a 3D view."""
    from gpbd.gpbd_addon.operators import progress

    shown = []
    manager = blender.context.window_manager
    monkeypatch.setattr(progress, "redraw", lambda: shown.append(manager.gpbd_status))
    manager.gpbd_status = "Frame 3 of 4"
    progress.end(SimpleNamespace(window_manager=manager, workspace=None), None)
    assert shown == [""]
