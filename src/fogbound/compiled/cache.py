"""Machine code on disk, used as long as no kernel changes, and never worse than nothing.

Numba asks whether the file of what Python calls is as it was; what that calls may lie in other files, and in other
folders. So what is kept is stamped with all the kernels of the installation and with the folder of the function itself.
A file carries a digest of what it holds: what is damaged is compiled anew and written over. Where nothing can be
written, what was compiled serves this process. Either is said once in a process.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from numba import config
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.runtime.nrt import rtsys

INSTALLATION = Path(__file__).parents[1]
FORMAT = 2  # of the files, in their names: versions of Fogbound may share a folder
DIGEST = hashlib.sha256().digest_size  # bytes

LINKED = "linked"  # the way of kernels whose parts are compiled once: with a numba that this was tried with
Missed = Callable[[], None]


def kernel_cache(function: Callable[..., Any], way: str, missed: Missed | None = None) -> KernelCache | NoCache:
    """Where the machine code of a function is kept that was compiled in one way, linked or plain.

    Nobody but `missed` hears of what has to be compiled first.
    """
    try:
        return KernelCache(function, way, missed)
    except (RuntimeError, OSError) as error:  # numba's word for no folder that can be written
        _say("nowhere", f"kernels are compiled anew in every process: {error}")
        return NoCache(missed)


class NoCache(NullCache):
    """Nothing is kept, since there is no place for it."""

    def __init__(self, missed: Missed | None) -> None:
        self.missed = missed

    def load_overload(self, _sig: Any, _target_context: Any) -> None:
        """Nothing."""
        if self.missed is not None:
            self.missed()


class KernelCache(FunctionCache):
    """What was compiled of a function in one way: each has files of its own."""

    def __init__(self, function: Callable[..., Any], way: str, missed: Missed | None = None) -> None:
        super().__init__(function)
        self.missed, self.linked = missed, way == LINKED
        folder = Path(function.__code__.co_filename).parent
        name = f"{self._impl.filename_base}.{way}{_flags()}.{FORMAT}"
        self._cache_file = _Files(self.cache_path, name, stamp(folder))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature, or None.

        Numba would first register all its own functions, which takes half as long as its import. Linked code needs
        its memory manager alone, and whoever compiles registers them then.
        """
        compiled = None
        if not self.linked:
            compiled = super().load_overload(sig, target_context)
        else:
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                compiled = self._load_overload(sig, target_context)
        if compiled is None and self.missed is not None:
            self.missed()
        return compiled

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if that can be: a full disk, or a folder that became read-only, ends no solve."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _say("kept", f"what was compiled cannot be kept: {error}")


class _Files(IndexDataCacheFile):
    """The index of a function, and its machine code by signature.

    Each file says what it was compiled from, and the code also for what. So what a process leaves that ends between
    writing the index and the code is found to be old, or another's.
    """

    def save(self, key: Any, data: Any) -> None:
        """Keep the code for a key."""
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        """The code for a key; None where there is none that can be used."""
        kept_for, data = super().load(key) or (None, None)
        return data if kept_for == key else None

    def _load_index(self) -> dict[Any, str]:
        return self._get(self._index_path) or {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._put(self._index_path, overloads)

    def _load_data(self, name: str) -> Any:
        return self._get(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._put(self._data_path(name), data)

    def _put(self, path: str, content: Any) -> None:
        data = self._origin() + self._dump(content)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(data).digest() + data)

    def _get(self, path: str) -> Any:
        """What was put there; None where there is nothing, or something older, or nothing that can be read."""
        try:
            whole = Path(path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _say("damaged", f"what was compiled before cannot be read, so kernels are compiled anew: {error}")
            return None
        data, origin = whole[DIGEST:], self._origin()
        if hashlib.sha256(data).digest() != whole[:DIGEST]:
            _say("damaged", f"{path} is damaged: kernels are compiled anew, and it is written over")
            return None
        return pickle.loads(data[len(origin) :]) if data.startswith(origin) else None  # noqa: S301  code, as it is

    def _origin(self) -> bytes:
        """What code was compiled from, and with."""
        return f"{self._version} {self._source_stamp}\n".encode()


SETTINGS = (  # of numba, that change the code: CPU and features are part of numba's own key, options of the source
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "DISABLE_INTEL_SVML",
    "ENABLE_AVX",
    "EXTEND_VARIABLE_LIFETIMES",
    "JIT_COVERAGE",
    "LLVM_REFPRUNE_FLAGS",
    "LLVM_REFPRUNE_PASS",
    "LOOP_VECTORIZE",
    "OPT",
    "SLP_VECTORIZE",
)


def _flags() -> str:
    """The settings that numba compiles with, in short, as a part of a file's name: each has files of its own."""
    told = [f"{name}={getattr(config, name, None)}" for name in SETTINGS]
    return "-" + hashlib.sha256(" ".join(told).encode()).hexdigest()[:8]


_SAID = set[str]()


def _say(what: str, text: str) -> None:
    """Once for each sort of trouble: where one file is damaged, others mostly are."""
    if what not in _SAID:
        _SAID.add(what)
        warnings.warn(text, stacklevel=2)


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
