"""The process beside ours that speaks to Ray: it is handed work in bytes, submits it, and hands back what comes of it.

It knows nothing of what is computed. A worker or a machine that is lost takes its jobs with it: each is submitted
again, a bounded number of times. It goes when its caller does, and ends what was still being computed; a cluster of its
own goes with it. Whether the head of the cluster still answers is looked at all the time, since Ray says nothing for a
minute when it does not, and then ends the process.
"""

from __future__ import annotations

import os
import pickle
import socket
import sys
import threading
from collections import deque
from multiprocessing.connection import Connection
from typing import Any

from fogbound.core.errors import one_line
from fogbound.parallel.ray_worker import run_job

TRIES = 3
AHEAD = 2  # jobs for each processor, so that none waits for the next
LOOK_UP = 0.2  # seconds between two looks at whether the caller has gone
BEAT, MISSES, ANSWERS = 1.0, 5, 2.0  # seconds between two calls of the head; how many may fail; how long one may take
PATIENCE = 90.0  # seconds in which a cluster is joined or made


class Caller:
    """Who wants the results: told from two threads, and gone when its end of the pipe is closed."""

    def __init__(self, link: Connection) -> None:
        self.link, self._turn = link, threading.Lock()

    def tell(self, word: str, number: int, said: Any) -> None:
        with self._turn:
            self.link.send_bytes(pickle.dumps((word, number, said)))

    @property
    def gone(self) -> bool:
        """It never says anything after its order, so that anything to be heard is the end."""
        return self.link.poll(0)


def _main(handle: int) -> None:
    """Do what is ordered over the connection with this number."""
    caller = Caller(Connection(handle))
    try:
        address, workers, work, items = pickle.loads(caller.link.recv_bytes())  # noqa: S301, from who started us
        import ray

        try:
            _connect(caller, address, workers)
            serve(caller, workers, work, items)
        finally:
            ray.shutdown()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # who asked is gone
    except Exception as fault:
        caller.tell("refused", 0, f"cannot be used: {one_line(f'{type(fault).__name__}: {fault}', 300)}")


def _connect(caller: Caller, address: str, workers: int) -> None:
    """Join the cluster, or make one. Ray tries for minutes to reach a head that is not there: it is called before."""
    import ray

    if address not in ("local", "auto"):
        try:
            call(address)
        except OSError as fault:
            raise ConnectionError(f"no head answers at {address} ({fault.strerror or fault})") from None
    hurry = threading.Timer(PATIENCE, give_up, (caller, f"no cluster at {address} within {PATIENCE:.0f} s"))
    hurry.daemon = True
    hurry.start()
    how: dict[str, Any] = {"log_to_driver": False, "logging_level": "error", "configure_logging": False}
    if address == "local":
        how |= {"num_cpus": workers or os.cpu_count() or 1, "include_dashboard": False}
    ray.init(address=address, **how)
    hurry.cancel()


def serve(caller: Caller, workers: int, work: bytes, items: list[bytes]) -> None:
    """Have every item computed, and tell each result as it comes, as long as somebody wants them."""
    import ray

    head = ray.get_runtime_context().gcs_address
    threading.Thread(target=watch_head, args=(caller, head), daemon=True).start()
    submit = ray.remote(num_cpus=1, max_retries=0)(run_job)  # who is tried again is counted here
    shared, key = [ray.put(work)], os.urandom(8).hex()  # in a list: workers take it out once, not at every call
    waiting, tries, running = deque(range(len(items))), [0] * len(items), dict[Any, int]()
    try:
        while (waiting or running) and not caller.gone:
            room = workers or AHEAD * int(ray.cluster_resources().get("CPU", 1))
            while waiting and len(running) < max(1, room):
                number = waiting.popleft()
                running[submit.remote(shared, key, items[number])] = number
            ready, _ = ray.wait(list(running), timeout=LOOK_UP, num_returns=1)
            for answer in ready:
                number = running.pop(answer)
                try:
                    caller.tell("done", number, ray.get(answer))
                except ray.exceptions.RayError as fault:  # what a job itself raises is an answer
                    tries[number] += 1
                    if tries[number] >= TRIES:
                        caller.tell("worn", number, one_line(f"{type(fault).__name__}: {fault}", 200))
                        return
                    waiting.appendleft(number)
    finally:
        for answer in running:
            ray.cancel(answer, force=True)


def watch_head(caller: Caller, head: str) -> None:
    """Call the head again and again; when it no longer answers, say so and end: nothing can come any more."""
    missed, pause = 0, threading.Event()
    while not pause.wait(BEAT):
        try:
            call(head)
            missed = 0
        except OSError:
            missed += 1
        if missed >= MISSES:
            give_up(caller, f"the head of the cluster, {head}, is lost: what was done until then is kept")


def call(head: str) -> None:
    """See whether somebody listens at an address; OSError where nobody does."""
    host, _, port = head.rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), ANSWERS).close()


def give_up(caller: Caller, why: str) -> None:
    """Say why, and end at once: Ray's own threads would wait on."""
    try:
        caller.tell("lost", 0, why)
    finally:
        os._exit(1)


if __name__ == "__main__":
    _main(int(sys.argv[1]))
