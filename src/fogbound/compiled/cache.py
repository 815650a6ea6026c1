"""Machine code on disk, used as long as no kernel changes.

Numba asks whether the file of what Python calls is as it was; what that calls may lie in other files, and in other
folders. So what is kept is stamped with all the kernels of the installation and with the folder of the function itself.
A file that is damaged, or that was written for another stamp, is compiled anew and written over; where nothing can be
written, what was compiled serves this process.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from numba import config
from numba.core.caching import FunctionCache, IndexDataCacheFile

INSTALLATION = Path(__file__).parents[1]


class Kept(FunctionCache):
    """What was compiled of a function in one way, linked or plain: both have files of their own.

    Nobody but `missed` hears of what has to be compiled first.
    """

    def __init__(self, function: Callable[..., Any], way: str, missed: Callable[[], None] | None = None) -> None:
        super().__init__(function)
        self.missed = missed
        if config.BOUNDSCHECK:  # type: ignore[attr-defined]
            way += "-checked"
        folder = Path(function.__code__.co_filename).parent
        self._cache_file = _Files(self.cache_path, f"{self._impl.filename_base}.{way}", stamp(folder))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature, or None."""
        compiled = super().load_overload(sig, target_context)
        if compiled is None and self.missed is not None:
            self.missed()
        return compiled


class _Files(IndexDataCacheFile):
    """The index of a function and its machine code, which says itself what it was compiled from.

    The index is written first: a process that ends before the code is written leaves an index that points at old code.
    """

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled, if that can be."""
        try:
            super().save(key, (self._source_stamp, data))
        except OSError as error:
            warnings.warn(f"what was compiled cannot be kept: {error}", stacklevel=2)

    def load(self, key: Any) -> Any:
        """What was compiled; None where nothing is, nothing that can be read, or something older."""
        try:
            written, data = super().load(key) or (None, None)
        except Exception:  # whatever a damaged pickle raises
            self._forget()
            return None
        return data if written == self._source_stamp else None

    def _forget(self) -> None:
        """Begin again with an empty index, where that can be written."""
        try:
            self.flush()
        except OSError:
            return


@cache
def stamp(folder: Path) -> str:
    """What the kernels of the installation and the modules of a folder say, in short."""
    text = hashlib.sha256(_installation())
    for module in sorted(folder.glob("*.py")):
        text.update(module.read_bytes())
    return text.hexdigest()


@cache
def _installation() -> bytes:
    """What all kernels say, in short: read once in a process, when the first of them is called."""
    text = hashlib.sha256()
    for module in sorted(sources(INSTALLATION)):
        text.update(module.read_bytes())
    return text.digest()


def sources(root: Path) -> Iterator[Path]:
    """The modules that are compiled, and those that say how: in `compiled`, in a `kernels` folder or `kernels.py`."""
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if name != "__pycache__"]
        whole = Path(folder).name == "kernels" or Path(folder) == root / "compiled"
        yield from (Path(folder, name) for name in names if name.endswith(".py") and (whole or name == "kernels.py"))
