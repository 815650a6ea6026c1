"""A run in a process of its own: `python -m fogbound.web.runs.worker FOLDER`.

It is given the game and its memory (`processes/child.py`); at the word `stop` it stops and keeps its answer. When the
server is gone, the run leaves a checkpoint, and the next server goes on from it.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any, NoReturn

from fogbound import api
from fogbound.core.atomic import write
from fogbound.core.cancel import Cancel
from fogbound.core.errors import FogboundError, Stopped, many, one_line
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import Solution, range_words
from fogbound.driver.stops import StopReason
from fogbound.web.processes.child import GIB, obey, read_task
from fogbound.web.runs.folder import FAILED, KEPT, Asked, RunFolder, Tail

UNPROVEN = "it was stopped before there was evidence for the checker"


try:
    import fcntl
except ImportError:  # no locks here: the server starts one worker a run
    fcntl = None  # type: ignore[assignment]

STOP, LEFT = "interrupted", "left"  # why a run ends early: somebody wants its answer; the server is gone
WRAP_UP = 1.0  # seconds for the evidence of an answer that somebody wants now
OFTEN, SHARE = 0.1, 1000  # a line of the trace each tenth of a second, later each thousandth of the time so far
UNKNOWN = "The solver met something that it was not made for; the run's log says what."


def run_worker(words: list[str]) -> int:
    run = RunFolder(Path(words[0]))
    given, source = read_task()
    with _alone(run.lock):
        asked = run.asked()
        if asked is None or run.over():
            return 0
        with suppress(OSError):
            os.nice(5)  # those who look at pages come first
        cancel = Cancel()
        obey(source, lambda: cancel.set(STOP), lambda: cancel.set(LEFT))
        return _run(run, asked, given, cancel)


def _run(run: RunFolder, asked: Asked, given: dict[str, Any], cancel: Cancel) -> int:
    from fogbound import api

    trace = Trace(run.trace)
    try:
        solution = api.solve(
            given["game"],
            asked.solver or None,
            player=asked.player,
            against=given["against"] or None,
            seed=asked.seed,
            watch=trace.watch,
            tell=trace.tell,
            checkpoint=run.checkpoint,
            resume=run.checkpoint if run.checkpoint.exists() else None,
            cancel=cancel,
            begun=run.tell_about,
            wrap_up=WRAP_UP,
            **asked.limits(),
        )
        if solution.stopped in (LEFT, "terminated"):
            return 0
        trace.close()
        run.tell_about(solution.provenance)
        solution.save(run.solution)
        run.end(state=KEPT, **answer_values(solution))
    except Stopped as stop:
        if stop.reason in (LEFT, "terminated"):
            return 0
        run.end(state=FAILED, why=one_line(str(stop)))
    except FogboundError as error:
        run.end(state=FAILED, why=one_line(str(error)))
    except MemoryError:
        run.end(
            state=FAILED, why=f"it needs more than the {given['memory'] / GIB:.1f} GB of memory that a run has here"
        )
    except Exception:  # whatever it is, the run is over and says so
        traceback.print_exc()
        run.end(state=FAILED, why=UNKNOWN)
    return 0


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One worker a run: the one of a server that was killed leaves first."""
    with path.open("wb") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Trace:
    """Appends how a run goes to a file: few lines, the newest always among them.

    A resumed run tells first where it was; what was written beyond that is done anew, and taken back.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.begun = path, False
        self.last, self.pending = -1.0, ""  # when a line was written; the one that was not

    def watch(self, entry: TraceEntry) -> None:
        """Note an entry."""
        if not self.begun:
            self._take_back(entry.iteration)
        self.pending = json.dumps(astuple(entry)) + "\n"
        now = time.monotonic()
        if now - self.last >= max(OFTEN, entry.seconds / SHARE):
            self.last = now
            self.close()

    def tell(self, word: str) -> None:
        """Note what is being done: a word."""
        if " " not in word:
            self._append(json.dumps({"doing": word}) + "\n")

    def close(self) -> None:
        """Write what is pending."""
        if self.pending:
            self._append(self.pending)
            self.pending = ""

    def _take_back(self, iteration: int) -> None:
        self.begun = True
        tail = Tail(self.path)
        tail.read()
        if not tail.entries:
            return
        kept = [entry for entry in tail.entries if entry.iteration < iteration]
        write(self.path, "".join(json.dumps(astuple(entry)) + "\n" for entry in kept).encode())
        self.tell("solving")

    def _append(self, line: str) -> None:
        with suppress(OSError), self.path.open("a") as file:  # a full disk does not end a run
            file.write(line)


def leave(code: int) -> NoReturn:
    """End this process now: its run is seen as over when it is, and taking a compiler apart takes half a second."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def answer_values(solution: Solution) -> dict[str, Any]:
    """The figures of an answer and the sentences that are true of it."""
    by_hand = solution.stopped == StopReason.INTERRUPTED
    why = "by hand" if by_hand else api.why_stopped(solution, "the limits on the form")
    player = solution.provenance["players"][solution.player]
    proves = "both" if solution.certificate is None else solution.certificate.kind.proves
    return {
        "value": solution.value,
        "lower": solution.lower,
        "upper": solution.upper,
        "gap": solution.gap,
        "exploitability": solution.exploitability,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "stopped": solution.stopped,
        "certified": solution.certified,
        "claimed": list(solution.claimed),
        "not_equilibrium": solution.not_equilibrium,
        "evidence": solution.certificate is not None,
        "player": player,
        "proves": proves,
        "among": solution.among,
        "kept": _kept(solution, player, proves),
        "trust": _trust(solution, by_hand),
        "why": f"{why} after {many(solution.iterations, 'step')}",
    }


def _trust(solution: Solution, by_hand: bool) -> str:
    """Who confirms the figures; of what was stopped by hand, why there is no certificate."""
    if by_hand and solution.certificate is None:
        solution = replace(solution, details={**solution.details, "uncertified": UNPROVEN})
    return api.trust(solution)


def _kept(solution: Solution, player: str, proves: str) -> str:
    """What one has; first of all, where the solver claims an equilibrium, that it is none."""
    figures = (solution.lower, solution.upper, solution.gap)
    said = api.kept(
        solution.answer, player, *figures, proves, claimed="lower" in solution.claimed, among=solution.among
    )
    if solution.possible:
        said += f" Trivial bounds from the reward range: {range_words(*solution.possible)}."
    why = solution.not_equilibrium
    return f"{why[0].upper()}{why[1:]}. {said}" if why else said


if __name__ == "__main__":
    leave(run_worker(sys.argv[1:]))
