"""The server's side of a process that looks: asked a question, it answers in time or is ended.

A game's parameters come from a visitor, and a file from anybody. Either may ask for more memory or time than there is;
so nothing of either is built in the server itself.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import OrderedDict
from contextlib import suppress
from typing import Any

from fogbound.web.processes.child import GIB
from fogbound.web.processes.supervisor import ChildProcess
from fogbound.web.refusal import Refusal

SECONDS = 6.0  # to an answer, the process's start included
MEMORY = 3 * GIB
START = 20.0  # seconds more for a process that has yet to load, on a machine that is busy
REMEMBERED = 200  # answers
LOOKING = (sys.executable, "-m", "fogbound.web.processes.looking")
LONG = "it takes too long, or more memory than there is, to look at this: make it smaller"
LATE: dict[str, Any] = {"error": LONG}


class Looker:
    """One process, started when it is first asked; who asks while another waits, waits too.

    Parameters
    ----------
    memory, processor
        Bytes, and seconds of processor time in all, that the process may take.
    """

    def __init__(self, memory: int = MEMORY, processor: int | None = None) -> None:
        self.limits = {"memory": memory, "processor": processor}
        self._alone, self._memory = threading.Lock(), threading.Lock()
        self._process: ChildProcess | None = None
        self._known: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def ask(self, seconds: float = SECONDS, **question: Any) -> dict[str, Any]:
        """The answer to a question, as plain values; the same question is asked once.

        Raises
        ------
        Refusal
            What is asked about cannot be, or cannot be looked at in time.
        """
        key = json.dumps(question, sort_keys=True)
        answer = self._remembered(key)
        if answer is None:
            with self._alone:
                answer = self._remembered(key) or self._answer(key, seconds)  # another asked the same meanwhile
            if answer is not LATE:  # a machine that is busy today need not be so tomorrow
                self._remember(key, answer)
        if "error" in answer:
            raise Refusal(int(answer.get("status", 400)), answer["error"])
        return answer

    def _remembered(self, key: str) -> dict[str, Any] | None:
        with self._memory:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def _remember(self, key: str, answer: dict[str, Any]) -> None:
        with self._memory:
            self._known[key] = answer
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)

    def begin(self, **question: Any) -> None:
        """Ask a question that somebody will ask soon, without waiting for the answer: the process loads meanwhile."""

        def asking() -> None:
            with suppress(Refusal):  # who asks the same is told
                self.ask(**question)

        threading.Thread(target=asking, daemon=True).start()

    def close(self) -> None:
        """End the process."""
        with self._alone:
            self._end()

    def _answer(self, question: str, seconds: float) -> dict[str, Any]:
        if self._process is None or self._process.code is not None:
            self._process = ChildProcess(LOOKING, self.limits)
            seconds += START
        try:
            answer = json.loads(self._process.ask(question, seconds))
        except (TimeoutError, ValueError):
            self._end()
            return LATE
        return answer if isinstance(answer, dict) else LATE

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
