"""The journals of the shares of one run, made into the journal of the whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from fogbound.api.sweeps import rows as sweep_rows
from fogbound.arena.tournaments import journal as tournament_journals
from fogbound.core.atomic import write
from fogbound.core.errors import SpecError
from fogbound.parallel.journal import CheckRow, JournalContent, merged

CHECKS: Mapping[str, Callable[[Any], CheckRow]] = {
    tournament_journals.KIND: tournament_journals.check_blocks,
    sweep_rows.KIND: sweep_rows.check_rows,
}


def merge(*journals: str | os.PathLike[str], into: str | os.PathLike[str] | None = None) -> JournalContent:
    """Put the journals of the shares of a tournament or a sweep together, in whatever order they are named.

    The rows of all shares make the same file, to the byte, as the whole run would have written.

    Parameters
    ----------
    *journals
        Journals of one run, at least one.
    into
        Where the journal of all of them is written, whole or not at all; nowhere unless given.

    Returns
    -------
    JournalContent
        What kind of run it is, which one, and the rows by number.

    Raises
    ------
    FileError
        One is of another run, damaged, or says something else of a job than one before it.

    Examples
    --------
    >>> import tempfile, os
    >>> import fogbound as fb
    >>> folder = tempfile.mkdtemp()
    >>> parts = [os.path.join(folder, f"{k}.jsonl") for k in (1, 2)]
    >>> for k, part in enumerate(parts, 1):
    ...     _ = fb.tournament("king-up", "uniform", "uniform", games=3, shard=f"{k}/2", resume=part)
    >>> sorted(fb.merge(*parts).rows)
    [0, 1, 2]
    """
    if not journals:
        raise SpecError("merge: no journal is given, expected at least one")
    content = merged(journals, CHECKS)
    if into is not None:
        write(into, content.text().encode())
    return content
