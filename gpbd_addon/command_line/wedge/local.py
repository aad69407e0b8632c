"""Jobs in processes of this machine, some at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

from . import job
from .job import Job, Result


def run(jobs: list[Job], at_once: int) -> Iterator[Result]:
    """The results, as they come."""
    ended = threading.Event()
    with ThreadPoolExecutor(at_once, "gpbd wedge") as pool:
        futures = [pool.submit(job.run, one, ended.is_set) for one in jobs]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            ended.set()
            pool.shutdown(wait=False, cancel_futures=True)
            job.end()
            raise
