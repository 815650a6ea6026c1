"""`convert`: a game or a model as a model file, a value function in another program's format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from fogbound import files
from fogbound.api.solving import Against, opponents
from fogbound.core.drawing import PICTURES
from fogbound.core.errors import FormError, LimitError, SpecError, many
from fogbound.core.game import Game
from fogbound.core.policy import Strategy
from fogbound.driver.solution import Solution
from fogbound.evaluation.plan_values import as_vectors
from fogbound.files.models import STRATEGIES
from fogbound.forms import words
from fogbound.forms.normal import NormalForm
from fogbound.forms.one_sided.form import OneSided
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Form, Question, derive
from fogbound.forms.table import Table
from fogbound.forms.tree import Tree
from fogbound.naming.games import GameLike, player_index, problem
from fogbound.naming.solved import game_solved, require_solved
from fogbound.naming.vectors import answer_vectors
from fogbound.policies import AlphaVectors, Controller

SHOWN = (*STRATEGIES, *PICTURES, ".dot")  # the endings that `fogbound show -o` writes


def convert(
    source: GameLike | Form | Solution,
    target: str | os.PathLike[str],
    *,
    player: int | str = 0,
    against: Against | None = None,
    model: GameLike | None = None,
    paid_at_ends: bool = False,
    by_count: bool = False,
    unicode: bool = False,
) -> str:
    """Write a game, a model or a value function in the format that the ending of `target` names.

    Parameters
    ----------
    source
        Whatever `fogbound.game` takes, a form, a solution of a POMDP, or a file of vectors (``.alpha``, ``.policy``, a
        saved solution). An answer of sarsop or hsvi holds vectors whatever policy is played; those of another answer's
        controller are the values of its nodes.
    target
        ``.pomdp``, ``.pomdpx`` (the problem of one player), ``.dpomdp``, ``.posg``, ``.zsposg`` (a game of several),
        ``.osposg`` (a game of a blind player against one who sees everything), ``.efg`` or ``.nfg`` (Gambit's game
        tree, and its table of pure strategies), ``.alpha`` or ``.policy`` (a value function).
    player, against
        Whose problem, and how the others play; for ``.osposg``: who is blind.
    model
        Whose states vectors are over; of a solution, what it was solved for unless given.
    paid_at_ends
        For ``.efg``: add what a tree from a file pays on the way to its ends, and number moves of equal names, for
        readers that pay nothing on the way and know moves by their names (OpenSpiel's).
    by_count
        For ``.nfg``: say of strategies only how many there are, for readers that take no names (OpenSpiel's).
    unicode
        For ``.efg`` and ``.nfg``: keep labels as they are. Otherwise they are written in ASCII, since Gambit up to
        version 17 refuses any other.

    Returns
    -------
    str
        How large it has become, and what had to be said in other words.

    Examples
    --------
    >>> import fogbound as fb, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> print(fb.convert("tiger", folder / "tiger.pomdp"))
    2 states, 3 actions, 2 observations
    >>> answer = fb.solve(folder / "tiger.pomdp", "sarsop")
    >>> fb.convert(answer, folder / "tiger.alpha").partition(" over ")[2]
    '2 states'
    """
    ending = Path(target).suffix
    if isinstance(source, Solution):
        return _solved(source, target, ending, against, model)
    if isinstance(source, str | os.PathLike) and Path(source).suffix in (*files.VECTORS, ".npz"):
        return _vectors(os.fspath(source), target, ending, player, against, model)
    if model is not None:
        raise SpecError(f"model= says whose states vectors are over, but {source} is a model itself")
    if ending in files.ONE_SIDED:
        return _one_sided(source, target, player, against)
    if ending in files.JOINT:
        return _joint(source, target, against)
    if ending in files.GAMBIT:
        return _gambit(source, target, ending, against, paid_at_ends, by_count, unicode)
    if ending not in files.MODELS:
        raise _refused(source, target, (*files.GAMBIT, *files.MODELS, *files.JOINT, *files.ONE_SIDED), "a model")
    return str(files.write_model(_model(source, player, against), target))


def _one_sided(source: GameLike | Form, target: Any, player: int | str, against: Against | None) -> str:
    if against:
        raise SpecError(f"{target}: a one-sided game holds both players, so against= means nothing to it")
    held = problem(source)
    form = derive(held, OneSided, Question(player_index(player, held)))
    sizes = str(files.write_one_sided(form, target))
    return f"{sizes}\nrelaxed: {form.relaxed}" if form.relaxed else sizes


def _joint(source: GameLike | Form, target: Any, against: Against | None) -> str:
    if against:
        raise SpecError(f"{target}: such a file holds all players, so against= means nothing to it")
    return str(files.write_table(derive(problem(source), Table), target))


def _gambit(
    source: GameLike | Form,
    target: Any,
    ending: str,
    against: Against | None,
    paid_at_ends: bool,
    by_count: bool,
    unicode: bool,
) -> str:
    """A tree or a matrix, in words that people would use; a file of Gambit's as it is."""
    from fogbound.files.gambit import efg, nfg, rewording
    from fogbound.files.gambit.forms import extensive_of, strategic_of
    from fogbound.files.gambit.game import ExtensiveGame

    if against:
        raise SpecError(f"{target}: such a file holds all players, so --against means nothing to it")
    held = problem(source)
    told = held.describe if isinstance(held, Game) else str
    if ending == ".nfg":
        table = strategic_of(derive(held, NormalForm), told)
        nfg.write_nfg(table if unicode else rewording.ascii_table(table), target, by_count)
        return f"{' x '.join(str(len(names)) for names in table.strategies)} strategies"
    if isinstance(held, Game) and held.imperfect_recall:
        raise FormError(f"{source}: {held.imperfect_recall}: it is known by its strategies only, which .nfg holds")
    file = held.file if isinstance(held, ExtensiveGame) else None
    if file is None:
        form = derive(held, Tree)
        known = [form.history(int(form.set_owner[h]), int(m)) for h, m in enumerate(form.set_memory)]
        file = extensive_of(form, lambda h: words.history_text(told, known[h]), told)
    if paid_at_ends:
        file = rewording.moves_apart(rewording.paid_at_ends(file))
    efg.write_efg(file if unicode else rewording.ascii_tree(file), target)
    return f"{many(file.size, 'node')}, {many(sum(one.player >= 0 for one in file.sets), 'information set')}"


def _model(source: GameLike | Form, player: int | str, against: Against | None) -> POMDP:
    """The POMDP of one player; a model holds one player's problem, so all others must be known."""
    held = problem(source)
    index = player_index(player, held)
    missing = len(held.players) - 1
    found = len(against) if isinstance(against, list) else missing if against is not None else 0
    if found != missing and not (found == 1 and missing) and not isinstance(held, POMDP):
        raise FormError(
            f"{source}: has {len(held.players)} player{'s' * (missing != 0)}, and a model holds one player's "
            f"problem: expected against= with {many(missing, 'policy')}, found {found}"
        )
    return derive(held, POMDP, Question(index, opponents(against, held, index)))


def _vectors(
    source: str, target: Any, ending: str, player: int | str, against: Against | None, model: GameLike | None
) -> str:
    if ending not in files.VECTORS:
        raise _refused(source, target, files.VECTORS, "a saved solution" if source.endswith(".npz") else "vectors")
    if model is None:
        raise SpecError(f"{source}: vectors are over the states of a model: name it with model=")
    held = problem(model)
    form = _model(held, player, against)
    if not source.endswith(".npz"):
        return _written(files.read_vectors(source, form), target)
    solution = files.load(source)
    require_solved(solution, held, source)
    return _exported(solution, form, target, source)


def _solved(
    solution: Solution, target: Any, ending: str, against: Against | None, model: GameLike | Form | None
) -> str:
    """The vectors of an answer: its policy knows the POMDP that they are over, unless it was read from a file."""
    if ending not in files.VECTORS:
        raise _refused("the answer", target, files.VECTORS, "a solution")
    for held in (solution.alpha_vectors, solution.policy()):
        if isinstance(held, AlphaVectors):
            return _exported(solution, held.pomdp, target, "the answer")
    asked = game_solved(solution, model)
    form = _model(asked, solution.player, against or _others(solution))
    return _exported(solution, form, target, "the answer")


def _exported(solution: Solution, form: POMDP, target: Any, where: str) -> str:
    """Write the vectors of an answer's lower bound; where they are too many, those of the controller that is played."""
    vectors, policy = answer_vectors(solution, form), solution.profile[form.player]
    if vectors is None:
        return _written(_on(policy, form, where), target)
    try:
        return _written(vectors, target)
    except LimitError:
        if not isinstance(policy, Controller):
            raise
        return _written(as_vectors(form, policy), target)


def _others(solution: Solution) -> dict[int, Strategy] | None:
    """How the others play in it, where there are any."""
    return {i: policy for i, policy in solution.profile.items() if i != solution.player} or None


def _on(stored: Strategy, form: POMDP, where: str) -> AlphaVectors:
    """The vectors over `form` that a controller's nodes are."""
    if not isinstance(stored, Controller):
        raise SpecError(f"{where}: holds neither vectors nor a controller: solve it with sarsop(policy=vectors)")
    return as_vectors(form, stored)


def _written(policy: AlphaVectors, target: Any) -> str:
    files.write_vectors(policy, target)
    return f"{many(len(policy.entries), 'vector')} over {many(policy.pomdp.size, 'state')}"


def _refused(source: Any, target: Any, endings: Any, what: str) -> SpecError:
    """An output that cannot hold the input is refused before any work is done."""
    found, (*most, last) = Path(target).suffix, endings
    wanted = f"{', '.join(most)} or {last}"
    shown = ""
    if what.endswith("solution") and found in SHOWN:
        saved = source if str(source).endswith(".npz") else "SAVED.npz"
        shown = f"; strategies and pictures: fogbound show {saved} -o {target}"
    return SpecError(f"{target}: found the ending {found!r}, expected {wanted}, since {source} is {what}{shown}")
