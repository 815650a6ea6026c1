"""Compiled loops on plain arrays: numpy and numba only, each held against a plain version by its tests.

One way to write them, which is the one to take for a new kernel:

- A kernel is a function with `@kernel`, in a folder `kernels` or a `kernels.py` beside what it serves. It calls only
  kernels, and nothing else in such a module is compiled; what is kept on disk is stamped with these files.
- Arrays that belong together are the fields of a `Bundle`, a frozen dataclass with the axes beside each field, and
  are used by name. A few arrays that stand alone, and all numbers, are arguments.
- Whoever calls makes the arrays that a kernel fills. Those that have to grow are made anew, and the bundle with
  `dataclasses.replace`: a kernel that runs out of room returns, and is called again.
- It is also plain Python: with NUMBA_DISABLE_JIT=1 the same function runs on the same arrays, and indices are checked.

>>> from dataclasses import dataclass
>>> import numpy as np
>>> from fogbound.compiled.bundle import Bundle
>>> from fogbound.compiled.kernel import kernel
>>> @dataclass(frozen=True, eq=False)
... class Chain(Bundle):
...     next: np.ndarray  # [state]
...     reward: np.ndarray  # [state]
>>> @kernel
... def total(chain, state, steps):
...     gained = 0.0
...     for _ in range(steps):
...         gained += chain.reward[state]
...         state = chain.next[state]
...     return gained
>>> total.py_func(Chain(np.array([1, 0]), np.array([2.0, 0.5])), 0, 3)  # total(…) compiles it
np.float64(4.5)

What the modules here buy, in CPU seconds of a whole command with an empty cache (`solve tiger`, `solve pursuit`,
`solve leduc --with cfr-plus --iterations 10`); with a full one all three take 1.6 to 2.5 s, whatever compiled them:

- `linker`: 12.7, 19.2, 8.1 instead of 20.0, 27.0, 9.3 with numba's own `njit` (FOGBOUND_PLAIN_JIT=1). Most of it is
  that parts are linked; code without needless reference counts and a pipeline without two passes that no kernel needs
  save 5% together (12.7 instead of 13.4 s).
- `bundle`: one word an argument instead of seven words an array, at every call and in every caller. Kernels are written
  for it, so there is nothing to compare with.
- `cache`: no time. Numba alone would go on with old code where a kernel in another file changed, and fail where a file
  is damaged or nothing can be written.

Numba keeps what it compiled beside the source, or in the user's cache. Where neither can be written (a
read-only installation, no home) importing a kernel would fail, so a folder of the user's own beside other temporary
files stands in. What is found there is run, so it must belong to this user, and nobody else may write there; a folder
for this process alone is taken where somebody else was there first.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
import warnings
from pathlib import Path


def _writable(folder: Path) -> bool:
    """Whether a file can be made in `folder`, which may have to be made itself."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _choose_cache() -> None:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        places = [Path(given)]
    else:
        caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        places = [Path(__file__).parent / "__pycache__", Path(caches) / "numba"]
        places = [place for place in places if place.is_absolute()]  # without a home, ~ stays as it is
    if any(_writable(place) for place in places):
        return
    kept = _private_folder()
    if kept is not None:
        os.environ["NUMBA_CACHE_DIR"] = str(kept)
        return
    try:
        private = tempfile.mkdtemp(prefix="fogbound-")  # readable by this user only
    except OSError:
        return  # no place at all, which is said when something is compiled
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = private
    warnings.warn(f"{places[0]} cannot be written, so kernels are compiled anew in every process", stacklevel=2)


def _private_folder() -> Path | None:
    """A folder among temporary files, the same in every process; None where others can write there."""
    try:
        folder = Path(tempfile.gettempdir(), f"fogbound-{os.getuid()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return folder
    except (OSError, AttributeError):  # somebody else's, or a system without user numbers
        return None
    return None


_choose_cache()
