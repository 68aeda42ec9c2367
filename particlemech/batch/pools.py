"""Many small tasks on many workers, none of them lost: chunks, pools, and what is done when a worker dies.

Tasks travel in chunks of about `SPELL` seconds, so that the way there and back costs little. A chunk whose future fails
has lost its worker, for the function that works on it does not raise. Its tasks are suspects then: each goes out again
alone, so that a task which kills its worker takes no other with it, and is given up after `TRIES`.
"""

from __future__ import annotations

import concurrent.futures as cf
import math
import multiprocessing
import multiprocessing.context
import os
import pickle
import signal
import sys
import threading
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

SPELL = 0.25  # s of work in a chunk
MOST = 1000  # tasks in a chunk
AHEAD = 2  # chunks under way per worker: one at work, one waiting
TRIES = 3  # flights of a task
TICK = 1.0  # s between two looks at Ctrl-C where waiting cannot be interrupted
MAIN = "__main__"

Chunk = Callable[[Sequence[Any], Any], list[Any]]


@dataclass(frozen=True)
class Work:
    """A chunk on its way: a function, its tasks and what they share."""

    chunk: Chunk
    tasks: list[Any]
    shared: Any
    ticket: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __dask_tokenize__(self) -> str:
        """Return a name of its own for each flight: a cluster answers equal names with the answer it has."""
        return self.ticket


def done(work: Work) -> list[Any]:
    """Return the outcomes of a chunk."""
    return work.chunk(work.tasks, work.shared)


def unpacked(packed: bytes) -> list[Any]:
    """Return the outcomes of a chunk that was packed by the sender."""
    return done(pickle.loads(packed))


class Workers(Protocol):
    """Who works: a way to send a chunk, and to stop."""

    workers: int

    def send(self, work: Work) -> cf.Future[list[Any]]:
        """Return the future of a chunk."""

    def stop(self, at_once: bool) -> None:
        """Let go; at once: what is under way is not waited for."""


class Here:
    """The calling thread."""

    workers = 1

    def send(self, work: Work) -> cf.Future[list[Any]]:
        """Work on a chunk, and return its future."""
        future: cf.Future[list[Any]] = cf.Future()
        future.set_result(done(work))
        return future

    def stop(self, at_once: bool) -> None:
        """Nothing to let go."""


class Threads:
    """Threads of our own."""

    def __init__(self, workers: int) -> None:
        self.workers, self.pool = workers, cf.ThreadPoolExecutor(workers, "particlemech")

    def send(self, work: Work) -> cf.Future[list[Any]]:
        """Return the future of a chunk."""
        return self.pool.submit(done, work)

    def stop(self, at_once: bool) -> None:
        """Let go."""
        self.pool.shutdown(wait=not at_once, cancel_futures=True)


class Processes:
    """Processes of our own, started afresh (spawn); when they die, others take over."""

    def __init__(self, workers: int, main: bool) -> None:
        self.workers, self.main = workers, main
        self._open()

    def _open(self) -> None:
        self.context = _Context(self.main)
        self.pool = cf.ProcessPoolExecutor(self.workers, self.context, initializer=_settled)

    def send(self, work: Work) -> cf.Future[list[Any]]:
        """Return the future of a chunk, packed here so that it is unpacked where errors are seen."""
        packed = pickle.dumps(work)
        try:
            return self.pool.submit(unpacked, packed)
        except cf.BrokenExecutor:
            self.stop(at_once=True)
            self._open()
            return self.pool.submit(unpacked, packed)

    def stop(self, at_once: bool) -> None:
        """Let go; at once: end the processes."""
        if at_once:
            for process in self.context.started:
                if process.pid is not None:
                    process.terminate()
        self.pool.shutdown(wait=True, cancel_futures=True)


class Given:
    """An executor of the caller; it stays open. Where it breaks, processes of our own take over."""

    def __init__(self, executor: cf.Executor, workers: int) -> None:
        self.executor, self.workers = executor, workers
        self.substitute: Processes | None = None

    def send(self, work: Work) -> cf.Future[list[Any]]:
        """Return the future of a chunk."""
        if self.substitute is None:
            try:
                return self.executor.submit(done, work)
            except cf.BrokenExecutor:
                self.substitute = Processes(self.workers, MAIN.encode() in pickle.dumps(work))
        return self.substitute.send(work)

    def stop(self, at_once: bool) -> None:
        """Let go of what is our own."""
        if self.substitute is not None:
            self.substitute.stop(at_once)


def run(
    chunk: Chunk,
    tasks: Sequence[Any],
    shared: Any,
    worker_pool: Workers,
    arrived: Callable[[int, Any], None],
    lost: Callable[[int, str], None],
    pace: float | None = None,
    least: int = 1,
    landed: Callable[[], None] | None = None,
) -> None:
    """Work on all tasks; return when each has arrived or is lost.

    Parameters
    ----------
    chunk
        Function of the module level (tasks, shared) -> outcomes in the same order, each with its `seconds`.
    tasks, shared
        What to work on, and what each chunk is told besides.
    worker_pool
        Who works.
    arrived, lost
        Called in this thread with the place of a task, and its outcome or the reason of its loss.
    pace
        Seconds that a task takes, if known.
    least
        Tasks in a chunk, as long as there are so many.
    landed
        Called when all tasks of a chunk have arrived.
    """
    chunks = _Chunks(chunk, tasks, shared, worker_pool, arrived, lost, pace, least, landed)
    try:
        chunks.go()
    except BaseException:
        for future in chunks.flying:
            future.cancel()
        worker_pool.stop(at_once=True)
        raise
    worker_pool.stop(at_once=False)


class _Chunks:
    def __init__(
        self,
        chunk: Chunk,
        tasks: Sequence[Any],
        shared: Any,
        worker_pool: Workers,
        arrived: Callable[[int, Any], None],
        lost: Callable[[int, str], None],
        pace: float | None,
        least: int,
        landed: Callable[[], None] | None,
    ) -> None:
        self.chunk, self.tasks, self.shared, self.worker_pool = chunk, tasks, shared, worker_pool
        self.arrived, self.lost, self.pace, self.least, self.landed = arrived, lost, pace, least, landed
        self.fresh, self.suspects = deque(range(len(tasks))), deque[int]()
        self.tries: Counter[int] = Counter()
        self.flying: dict[cf.Future[list[Any]], list[int]] = {}

    def go(self) -> None:
        while self.fresh or self.suspects or self.flying:
            while batch := self._next():
                self._send(batch)
            landed, _ = cf.wait(self.flying, timeout=TICK, return_when=cf.FIRST_COMPLETED)
            for future in landed:
                self._land(future, self.flying.pop(future))

    def _next(self) -> list[int]:
        """Return the tasks to send next, if any: suspects alone and one at a time, all others ahead of the workers."""
        if self.suspects:
            return [] if self.flying else [self.suspects.popleft()]
        if len(self.flying) >= AHEAD * self.worker_pool.workers:
            return []
        size = 1 if self.pace is None else min(MOST, int(SPELL / max(self.pace, 1e-9)))
        fair = math.ceil(len(self.fresh) / (AHEAD * self.worker_pool.workers))
        return [self.fresh.popleft() for _ in range(max(self.least, min(size, fair))) if self.fresh]

    def _send(self, batch: list[int]) -> None:
        work = Work(self.chunk, [self.tasks[k] for k in batch], self.shared)
        for k in batch:
            self.tries[k] += 1
        try:
            future = self.worker_pool.send(work)
        except Exception as error:  # an executor that was shut down, or cannot pack the work
            future = cf.Future()
            future.set_exception(error)
        self.flying[future] = batch

    def _land(self, future: cf.Future[list[Any]], batch: list[int]) -> None:
        try:
            outcomes = future.result()
        except (Exception, cf.CancelledError) as error:
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            for k in batch:
                if self.tries[k] >= TRIES:
                    self.lost(k, reason)
                else:
                    self.suspects.append(k)
            return
        self.pace = sum(outcome.seconds for outcome in outcomes) / len(outcomes)
        for k, outcome in zip(batch, outcomes, strict=True):
            self.arrived(k, outcome)
        if self.landed is not None:
            self.landed()


# -- processes that do not run the caller's script again ---------------------------------------------------------


def _settled() -> None:
    """Leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class _Process(multiprocessing.context.SpawnProcess):
    """A process that does not import the caller's script: that would start it again where it has no main guard."""

    def start(self) -> None:
        with _hidden_main():
            super().start()


class _Context(multiprocessing.context.SpawnContext):
    """Starts processes with or without the caller's script, and knows them."""

    def __init__(self, main: bool) -> None:
        super().__init__()
        self.started: list[multiprocessing.context.SpawnProcess] = []
        self.kind = multiprocessing.context.SpawnProcess if main else _Process

    def Process(self, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """Return a process, not yet started."""
        process = self.kind(*args, **kwargs)
        self.started.append(process)
        return process


_LOCK = threading.Lock()


@contextmanager
def _hidden_main() -> Iterator[None]:
    """Take away what tells a new process where the caller's script is."""
    main: Any = sys.modules[MAIN]
    with _LOCK:
        kept = {name: main.__dict__[name] for name in ("__spec__", "__file__") if name in main.__dict__}
        main.__dict__.pop("__file__", None)
        main.__spec__ = None
        try:
            yield
        finally:
            main.__dict__.update(kept)


def starting() -> bool:
    """Return whether this process is still being started, by running the caller's script again."""
    return bool(getattr(multiprocessing.current_process(), "_inheriting", False))
