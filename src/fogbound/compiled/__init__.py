"""Compiled loops on plain arrays: numpy and numba only, each held against a plain twin by its tests.

Numba keeps what it compiled beside the source, or in the user's cache. Where neither can be written (a
read-only installation, no home) importing a kernel would fail, so a private folder stands in for this process.
"""

from __future__ import annotations

import atexit
import os
import shutil
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
    if any(_writable(place) for place in places):
        return
    private = tempfile.mkdtemp(prefix="fogbound-")  # readable by this user only
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = private
    warnings.warn(f"{places[0]} cannot be written, so kernels are compiled anew in every process", stacklevel=2)


_choose_cache()
