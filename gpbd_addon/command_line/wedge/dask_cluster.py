"""Jobs on a Dask cluster, a task each; `dask.distributed` is imported here only, and only for this.

The scheduler gives the task of a worker that has died to another one, as often as its setting `allowed-failures` says (3);
the bake continues there from its checkpoint. Workers need Blender with this extension and the same folders, nothing of ours.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ....solver.errors import SceneError
from . import job
from .job import Job, Result

#: Timeout of the scheduler's response [s].
PATIENCE = 30


def run(jobs: list[Job], scheduler: str) -> Iterator[Result]:
    """The results, as they come. Raises: SceneError if there is no such scheduler, or no package to reach it."""
    try:
        import cloudpickle
        from distributed import Client, as_completed
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise SceneError(
            f"--scheduler: the package 'distributed' is not installed ({error}); wanted that of the scheduler. Install it "
            "with `python -m pip install distributed` for the Python that runs this, or use --jobs."
        ) from error
    cloudpickle.register_pickle_by_value(job)  # workers have no package of ours
    try:
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise SceneError(
            f"Scheduler {scheduler}: cannot be reached ({str(error) or type(error).__name__}); wanted an address such as "
            "tcp://host:8786. Start `dask scheduler`, or use --jobs."
        ) from error
    run_job, make = job.run, Job

    def task(fields: dict[str, Any]) -> dict[str, Any]:  # a local function: it is sent by value, and so is all that it calls
        return asdict(run_job(make(**fields)))

    with client:
        token = uuid.uuid4().hex[:8]
        tasks = {client.submit(task, asdict(one), key=f"gpbd-{token}-{one.name}", pure=False): one for one in jobs}
        for future in as_completed(list(tasks), loop=client.loop):
            try:
                result = Result(**future.result())
            except KilledWorker as error:
                result = Result(tasks[future].name, error=str(error))
            except FutureCancelledError as error:
                raise SceneError(
                    f"Scheduler {scheduler}: was lost ({error}). Give the same command again: what is baked is kept."
                ) from error
            future.release()  # a released result is not computed again when its worker dies
            yield result
