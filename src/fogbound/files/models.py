"""Which reader and writer a file's ending asks for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fogbound.core.errors import FileError, PolicyError, one_line
from fogbound.core.registry import located

if TYPE_CHECKING:
    from fogbound.files.dpomdp.writer import JointSizes
    from fogbound.files.osposg.writer import OneSidedSizes
    from fogbound.files.writing import ModelSizes
    from fogbound.forms.one_sided.form import OneSided
    from fogbound.forms.pomdp import POMDP
    from fogbound.forms.table import Table
    from fogbound.policies.alpha_vectors import AlphaVectors

MODELS = {  # by ending, the reader and the writer
    ".pomdp": ("cassandra.reader:read_pomdp", "cassandra.writer:write_pomdp"),
    ".pomdpx": ("pomdpx.reader:read_pomdpx", "pomdpx.writer:write_pomdpx"),
}
ONE_SIDED = {".osposg": ("osposg.reader:read_osposg", "osposg.writer:write_osposg")}
JOINT = dict.fromkeys((".dpomdp", ".posg", ".zsposg"), ("dpomdp.reader:read_joint", "dpomdp.writer:write_joint"))
GAMBIT = (".efg", ".nfg")
VECTORS = {
    ".alpha": ("vectors:read_alpha", "vectors:write_alpha"),
    ".policy": ("vectors:read_policyx", "vectors:write_policyx"),
}
STRATEGIES = (".csv", ".json")  # strategies that are written down
READ, WRITE = 0, 1


def read_model(path: str | os.PathLike[str]) -> POMDP:
    """The POMDP in a `.pomdp` (Cassandra) or `.pomdpx` (APPL) file.

    Parameters
    ----------
    path
        The file; its ending names the format.

    Returns
    -------
    POMDP
        `forms.ModelGame` makes it playable.

    Raises
    ------
    FileError
        The ending is not known, or the file is missing, damaged or too large; the message names the line.

    Examples
    --------
    >>> import fogbound as fb
    >>> _ = fb.files.write_model(fb.forms.pomdp(fb.game("tiger")), "tiger.pomdp")
    >>> len(fb.files.read_model("tiger.pomdp").actions)
    3
    """
    return _function(path, MODELS, READ)(path)  # type: ignore[no-any-return]


def write_model(form: POMDP, path: str | os.PathLike[str]) -> ModelSizes:
    """Write a POMDP in the format that the ending of `path` names.

    Parameters
    ----------
    form
        The POMDP.
    path
        Where to; `.pomdp` (Cassandra) or `.pomdpx` (APPL).

    Returns
    -------
    ModelSizes
        How large it is there: formats without ends or legal actions need more states for the same.

    Raises
    ------
    FileError
        The ending is not known, or the format cannot say what the form says.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.files.write_model(fb.forms.pomdp(fb.game("tiger")), "tiger.pomdpx").actions
    3
    """
    return _function(path, MODELS, WRITE)(form, path)  # type: ignore[no-any-return]


def read_one_sided(path: str | os.PathLike[str]) -> OneSided:
    """The one-sided game in an `.osposg` file, in which player 1 is blind; `forms.OneSidedGame` makes it playable.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    OneSided

    Raises
    ------
    FileError
        The ending is not known, or the file is missing, damaged or too large; the message names the line.

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.one_sided(fb.game("pursuit(columns=3)"))
    >>> _ = fb.files.write_one_sided(form, "pursuit.osposg")
    >>> fb.files.read_one_sided("pursuit.osposg").size >= form.size
    True
    """
    return _function(path, ONE_SIDED, READ)(path)  # type: ignore[no-any-return]


def write_one_sided(form: OneSided, path: str | os.PathLike[str]) -> OneSidedSizes:
    """Write a one-sided game in the format that the ending of `path` names.

    Parameters
    ----------
    form
        The one-sided game.
    path
        Where to; `.osposg`.

    Returns
    -------
    OneSidedSizes
        How large it is there.

    Raises
    ------
    FileError
        The ending is not known, or the format cannot say what the form says.

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.one_sided(fb.game("pursuit(columns=3)"))
    >>> fb.files.write_one_sided(form, "pursuit.osposg").states >= form.size
    True
    """
    return _function(path, ONE_SIDED, WRITE)(form, path)  # type: ignore[no-any-return]


def read_table(path: str | os.PathLike[str]) -> Table:
    """The game of several players in a `.dpomdp`, `.posg` or `.zsposg` file; `forms.TableGame` makes it playable.

    Parameters
    ----------
    path
        The file; its ending says what rewards mean: all players have the one reward (``.dpomdp``), each has its own
        (``.posg``), or the second loses what the first wins (``.zsposg``).

    Returns
    -------
    Table
        What can be reached, its states numbered breadth first.

    Raises
    ------
    FileError
        The ending is not known, or the file is missing, damaged or too large; the message names the line.

    Examples
    --------
    >>> import fogbound as fb
    >>> _ = fb.files.write_table(fb.forms.table(fb.game("horizon(game=tiger, steps=2)")), "tiger.posg")
    >>> fb.files.read_table("tiger.posg").players
    ('you',)
    """
    return _function(path, JOINT, READ)(path)  # type: ignore[no-any-return]


def write_table(form: Table, path: str | os.PathLike[str]) -> JointSizes:
    """Write a game of several players in the format that the ending of `path` names.

    Parameters
    ----------
    form
        The table of the game.
    path
        Where to; `.dpomdp`, `.posg` or `.zsposg`.

    Returns
    -------
    JointSizes
        How large it is there, and what had to be said in other words: these formats know no ends, no legal actions and
        no public observations.

    Raises
    ------
    FileError
        The ending is not known.
    FormError
        The format cannot say what the table says.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.files.write_table(fb.forms.table(fb.game("tiger")), "tiger.dpomdp").states
    2
    """
    return _function(path, JOINT, WRITE)(form, path)  # type: ignore[no-any-return]


def read_vectors(path: str | os.PathLike[str], form: POMDP) -> AlphaVectors:
    """The value function in an `.alpha` (pomdp-solve) or `.policy` (APPL) file, as a policy of `form`.

    Parameters
    ----------
    path
        The file; its ending names the format.
    form
        The POMDP whose states the vectors number.

    Returns
    -------
    AlphaVectors
        A policy: it tracks the belief and plays the action of the best vector there.

    Raises
    ------
    FileError
        The ending is not known, the file is missing or damaged, or its vectors do not fit `form`: they are of another
        length, or promise more than any policy of it can earn.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> form = fb.forms.pomdp(fb.game("tiger"))
    >>> fb.files.write_vectors(fb.policies.AlphaVectors(form, np.zeros((1, form.size)), np.array([0])), "tiger.alpha")
    >>> fb.files.read_vectors("tiger.alpha", form).vectors.shape == (1, form.size)
    True
    """
    from fogbound.policies.alpha_vectors import require_earnable

    policy: AlphaVectors = _function(path, VECTORS, READ)(path, form)
    try:
        require_earnable(policy)
    except PolicyError as error:
        raise FileError(f"{one_line(str(path), 200)}: {error}") from None
    return policy


def write_vectors(policy: AlphaVectors, path: str | os.PathLike[str]) -> None:
    """Write a value function in the format that the ending of `path` names.

    Parameters
    ----------
    policy
        Alpha vectors over the states of a POMDP.
    path
        Where to; `.alpha` (pomdp-solve) or `.policy` (APPL).

    Raises
    ------
    FileError
        The ending is not known, or the format cannot say what the vectors say.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> form = fb.forms.pomdp(fb.game("tiger"))
    >>> fb.files.write_vectors(fb.policies.AlphaVectors(form, np.zeros((1, form.size)), np.array([0])), "tiger.policy")
    """
    _function(path, VECTORS, WRITE)(policy, path)


def is_written(source: object) -> bool:
    """Whether this is a strategy that was written down: a file of one by its ending, or a dict of words."""
    if isinstance(source, str | os.PathLike):
        return Path(source).suffix in STRATEGIES
    return isinstance(source, Mapping)


def is_strategy(source: object) -> bool:
    """Whether a dict is one player's strategy, {what is known: {action: probability}}; others are by player."""
    return (
        isinstance(source, Mapping)
        and len(source) > 0
        and all(
            isinstance(one, Mapping) and all(isinstance(p, int | float) for p in one.values())
            for one in source.values()
        )
    )


def _function(path: str | os.PathLike[str], endings: dict[str, tuple[str, str]], way: int) -> Any:
    ending = Path(path).suffix
    if ending not in endings:
        raise FileError(f"{one_line(str(path), 200)}: found the ending {ending!r}, expected {' or '.join(endings)}")
    return located(f"fogbound.files.{endings[ending][way]}")
