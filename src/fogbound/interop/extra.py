"""Imports of the extra `fogbound[environments]`, or one line that says how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fogbound.core.errors import SpecError


@contextmanager
def environments_extra() -> Iterator[None]:
    """Inside the block the extra is imported; SpecError where it is not installed.

    Yields
    ------
    None
    """
    try:
        yield
    except ImportError as error:
        raise SpecError(
            f"environments need {error.name}, which is not installed: pip install 'fogbound[environments]'"
        ) from error
