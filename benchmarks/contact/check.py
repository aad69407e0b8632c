"""Runs contact scenes and counts intersections in every frame: `python -m benchmarks.contact.check two fold n=32`."""

from __future__ import annotations

import sys
import time

from tests.scenes.contact import SCENES
from tests.scenes.counted_runs import run_scene
from tests.scenes.plain_settings import plain_settings


def main() -> None:
    names = [a for a in sys.argv[1:] if "=" not in a]
    options = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    numbers = {k: float(v) if "." in v else int(v) for k, v in options.items()}
    threads = numbers.pop("threads", 1)
    frames = numbers.pop("frames", None)
    for name in names or SCENES:
        began = time.perf_counter()
        r = run_scene(name, plain_settings(threads=threads), frames, verbose=True, **numbers)
        print(
            f"{name}: {r['vertices']} vertices, {r['frames']} frames, {sum(h > 0 for h in r['hits'])} with intersections "
            f"(most {max(r['hits'])}), {sum(p.unresolved for p in r['reports'])} unresolved, {r['ms']:.0f} ms a frame, "
            f"rms speed {1e3 * r['rms']:.2f} mm/s; {time.perf_counter() - began:.0f} s"
        )


if __name__ == "__main__":
    main()
