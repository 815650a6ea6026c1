"""One call in a process beside this one, which can be ended at any moment: for code that knows nothing of stopping.

The process is a fresh interpreter that imports the one module it is told to, so nothing of the caller's is run again,
and it ends by itself when the caller is gone.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from fogbound.core.cancel import check

LOOK_UP = 0.05  # seconds between two looks at whether to stop
PROGRAM = f"""
import importlib, os, pickle, sys, threading
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
asked, answers = sys.stdin.buffer, sys.stdout.buffer
module, name, given = pickle.load(asked)
threading.Thread(target=lambda: os._exit(1) if not asked.read(1) else None, daemon=True).start()
try:
    answer = True, getattr(importlib.import_module(module), name)(*given)
except Exception as fault:
    answer = False, fault
pickle.dump(answer, answers)
answers.flush()
os._exit(0)
"""


def beside(module: str, name: str, *given: Any) -> Any:
    """What a module's function returns or raises, computed in another process; `Stopped` ends that process.

    Parameters
    ----------
    module, name
        Where the function is found.
    *given
        Its arguments, which are pickled on their way, as its result is.

    Examples
    --------
    >>> beside("math", "gcd", 12, 18)
    6
    """
    arguments = [sys.executable, "-c", PROGRAM]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(arguments, **pipes, start_new_session=True) as process:  # Ctrl-C is for the caller
        received: list[bytes] = []
        talk = threading.Thread(target=_talk, args=(process, (module, name, given), received), daemon=True)
        talk.start()
        try:
            while talk.is_alive():
                talk.join(LOOK_UP)
                check()
        finally:
            process.kill()
            talk.join()
            told = process.stderr.read().decode(errors="replace") if process.stderr else ""
    if not received or not received[0]:
        raise RuntimeError(f"{module}.{name}: the process beside ended without an answer: {told.strip()[-300:]}")
    fine, answer = pickle.loads(received[0])  # noqa: S301, from a process that was started here
    if not fine:
        raise answer
    return answer


def _talk(process: subprocess.Popen[bytes], asked: Any, received: list[bytes]) -> None:
    """Hand over what is asked, and wait for the answer. The pipe stays open: closing it would end the process."""
    if process.stdin is None or process.stdout is None:
        return
    try:
        process.stdin.write(pickle.dumps(asked))
        process.stdin.flush()
        received.append(process.stdout.read())
    except OSError:  # it was ended meanwhile
        return
