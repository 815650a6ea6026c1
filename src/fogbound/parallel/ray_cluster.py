"""The ordered map over a Ray cluster: machines besides this one, with the same results in the same order.

Ray's own driver lives in a process beside this one (`ray_driver`), which is handed bytes and hands back bytes. So
whatever becomes of it, ours goes on: where the head of a cluster is lost, Ray ends the process that was connected to it
without a word, and Ctrl-C, signals and what is said on standard error stay ours. What is shared is pickled and put into
the cluster once; each worker takes it out once, as a copy of its own, since Ray's own arrays are read-only, and kernels
would be compiled a second time for those.

Jobs and answers travel as pickles, over connections that are Ray's, and an answer is unpickled here: a cluster is
trusted as this process is, and must be one's own.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from fogbound.core.cancel import check
from fogbound.core.errors import FogboundError, SpecError, one_line
from fogbound.core.registry import OWN_FILE
from fogbound.parallel.engine import Done, Item, LostJob, Result, Work, here

if TYPE_CHECKING:  # most calls need no other process, and none of the machinery for them
    from multiprocessing.connection import Connection

LOCAL, AUTO = "local", "auto"  # a cluster of this machine alone, made for one map; the one that runs on this machine
LOOK_UP = 0.1  # seconds between two looks at whether to stop
FAREWELL = 20.0  # seconds in which the process beside takes its leave, and a cluster of its own with it
MISSING = "ray is not installed: pip install 'fogbound[ray]'"


def ray(address: str = LOCAL, workers: int = 0) -> RayCluster:
    """The engine of a Ray cluster.

    Parameters
    ----------
    address
        ``"local"`` for one of this machine alone, which is made for the map and gone after it, bound to loopback and
        with a secret of its own; ``"auto"`` for the one that runs on this machine already; else the ``HOST:PORT`` of
        its head. Fogbound must be installed on all its machines, in the same version. It must be a cluster of one's
        own: what its workers answer is unpickled here, so that they could run anything.
    workers
        How many items at most are computed at a time; 0: as many as the cluster has processors.

    Returns
    -------
    RayCluster
        An ordered map: the same results in the same order as those of any other engine.

    Raises
    ------
    SpecError
        Ray is not installed, or the address is none.

    Examples
    --------
    >>> from fogbound import parallel
    >>> parallel.ray("10.0.0.1")
    Traceback (most recent call last):
    fogbound.core.errors.SpecError: ray: found the address '10.0.0.1', expected local, auto or HOST:PORT
    """
    host, _, port = address.rpartition(":")
    if address not in (LOCAL, AUTO) and not (host and "/" not in host and port.isascii() and port.isdigit()):
        raise SpecError(f"ray: found the address {address!r}, expected local, auto or HOST:PORT")
    if workers < 0:
        raise SpecError(f"workers is {workers!r}, expected at least 1, or 0 for as many as there are")
    from importlib.util import find_spec

    if find_spec("ray") is None:
        raise SpecError(MISSING)
    return RayCluster(address, workers)


@dataclass(frozen=True)
class RayCluster:
    """Workers on the machines of a Ray cluster; see `ray`, which makes one.

    Parameters
    ----------
    address
        local, auto or HOST:PORT.
    workers
        How many items at most at a time; 0: as many as there are processors.
    """

    address: str = LOCAL
    workers: int = 0

    sends = True

    def map(
        self, function: Work[Item, Result], items: Sequence[Item], shared: Any = None, done: Done | None = None
    ) -> Generator[Result, None, None]:
        if not items:
            yield from here.map(function, items, shared, done)
            return
        answers: dict[int, tuple[bool, Any]] = {}

        def take(number: int, answer: bytes) -> None:
            answers[number] = pickle.loads(answer)  # noqa: S301, from workers that were handed work here
            if done and answers[number][0]:
                done(number, answers[number][1])

        with self._driver(_ordered(self, function, shared, items)) as (link, told):
            try:
                for k in range(len(items)):
                    while k not in answers:
                        check()
                        if link.poll(LOOK_UP):
                            self._hear(link, told, len(items), take)
                    fine, result = answers.pop(k)
                    if not fine:
                        raise result
                    yield result
            finally:
                with suppress(FogboundError, OSError):  # what is done is kept, whoever leaves
                    while link.poll(0):
                        self._hear(link, told, len(items), take)

    def _hear(self, link: Connection, told: IO[bytes], jobs: int, take: Callable[[int, bytes], None]) -> None:
        """Take what the process beside has to say: a result, or why there are no more."""
        try:
            word, number, said = pickle.loads(link.recv_bytes())  # noqa: S301, from a process that was started here
        except (EOFError, OSError):
            told.seek(0)
            last = told.read().decode(errors="replace").strip().rpartition("\n")[2]
            raise FogboundError(f"{self}: its driver ended without an answer: {one_line(last, 300)}") from None
        if word == "done":
            take(number, said)
        elif word == "worn":
            raise LostJob(number, f"{self}: job {number + 1} of {jobs} was lost with its worker every time: {said}")
        else:
            raise FogboundError(f"{self}: {said}")

    @contextmanager
    def _driver(self, order: bytes) -> Iterator[tuple[Connection, IO[bytes]]]:
        """The process that speaks to Ray: what it says, and what it says on standard error."""
        import subprocess
        import tempfile
        from multiprocessing import Pipe

        link, theirs = Pipe()
        arguments = [sys.executable, "-m", "fogbound.parallel.ray_driver", str(theirs.fileno())]
        with tempfile.TemporaryFile() as told:
            beside = subprocess.Popen(
                arguments,
                pass_fds=(theirs.fileno(),),
                env=self._surroundings(),
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=told,
                start_new_session=True,  # Ctrl-C is for those who asked
            )
            theirs.close()
            try:
                with suppress(BrokenPipeError):  # it ended at once: what it said is heard
                    link.send_bytes(order)
                yield link, told
            finally:
                link.close()  # which tells it to go
                try:
                    beside.wait(FAREWELL)
                except subprocess.TimeoutExpired:
                    beside.kill()
                    beside.wait()

    def _surroundings(self) -> dict[str, str]:
        """The environment of the process beside: it finds our modules, and tells nobody about itself.

        A cluster of this machine alone listens on loopback, where only those who know its secret are answered.
        """
        import secrets

        found = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        found |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
        if self.address == LOCAL:
            found |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
            found |= {"RAY_AUTH_TOKEN": secrets.token_hex(32)}
            found.pop("RAY_ADDRESS", None)
        return found

    def __str__(self) -> str:
        return f"ray {self.address}"


def _ordered(cluster: RayCluster, function: Work[Item, Result], shared: Any, items: Sequence[Item]) -> bytes:
    """All that the process beside needs to know. Classes of people's own files travel with what is made of them."""
    from ray import cloudpickle

    own = [module for name, module in sys.modules.items() if name.startswith(OWN_FILE)]
    for module in own:
        cloudpickle.register_pickle_by_value(module)
    try:
        work = cloudpickle.dumps((function, shared))
        return pickle.dumps((cluster.address, cluster.workers, work, [cloudpickle.dumps(item) for item in items]))
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(module)
