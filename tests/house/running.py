"""Figures measured on a running program: start-up as a share of `import numba`, modules loaded, the path of a form."""

from __future__ import annotations

import resource
import subprocess
import sys
from types import CodeType, FrameType
from typing import Any

LEDUC = ("solve", "leduc", "--with", "cfr-plus", "--iterations", "10")
COUNT = "import atexit, sys; atexit.register(lambda: print(len([m for m in sys.modules if m.startswith('fogbound')])))"


def _processor_seconds(*command: str, times: int = 3) -> float:
    """The least processor time of a process, of a few."""
    taken = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def start_up() -> dict[str, float]:
    """Processor time of short commands as a share of `import numba`, all measured in one run."""
    numba = _processor_seconds("-c", "import numba")
    commands = {"fogbound games": ("games",), "fogbound --help": ("--help",), f"fogbound {' '.join(LEDUC)}": LEDUC}
    return {name: _processor_seconds("-m", "fogbound", *given) / numba for name, given in commands.items()}


def modules_loaded() -> int:
    """Modules of Fogbound that solving Leduc loads."""
    program = (
        f"{COUNT}; sys.argv = ['fogbound', *{list(LEDUC)!r}]; from fogbound.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1])


def form_path() -> list[str]:
    """Calls below the driver that hand on the POMDP, whole or laid out anew, while SARSOP runs and shows its answer.

    Each call path counts once, so that a function which is called from two places counts twice.
    """
    import fogbound as fb
    from fogbound import forms
    from fogbound.driver import solve as driver
    from fogbound.forms.mixed_observability import MixedObservability
    from fogbound.forms.pomdp import POMDP
    from fogbound.solvers.pomdp.kernels import BlockModel

    form, carried = forms.pomdp(fb.game("tiger")), (POMDP, MixedObservability, BlockModel)
    paths = dict[tuple[CodeType, ...], str]()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        given = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount] if name != "self"]
        if event != "call" or "/src/fogbound" not in code.co_filename or not any(isinstance(g, carried) for g in given):
            return
        path, above = [code], frame.f_back
        while above is not None and above.f_code.co_filename != driver.__file__:
            path.append(above.f_code)
            above = above.f_back
        if above is not None:
            paths.setdefault(tuple(path), f"{code.co_filename.rpartition('src/')[2]} {code.co_qualname}")

    sys.setprofile(watch)
    try:
        fb.solve(form, "sarsop", iterations=5)
    finally:
        sys.setprofile(None)
    return list(paths.values())
