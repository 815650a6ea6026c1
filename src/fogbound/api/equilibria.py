"""`equilibria`: every equilibrium of a small game as one answer, each with its labels and the beliefs behind it."""

from __future__ import annotations

from fogbound.core.errors import LimitError, SampledOnlyError, SpecError, many
from fogbound.draw.equilibria import EquilibriaInWords
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Question, derive
from fogbound.forms.tree import Tree
from fogbound.naming.games import GameLike, problem
from fogbound.solvers.all_equilibria.answer import EquilibriumSet
from fogbound.solvers.all_equilibria.exact_game import exact_game
from fogbound.solvers.all_equilibria.labels import all_equilibria

MOST_NODES = 50_000  # of a tree whose equilibria may still be listed


def equilibria(game: GameLike, *, limit: int = MOST_NODES) -> EquilibriumSet:
    """Every equilibrium of a small game: exact payoffs, components, labels, and beliefs that support it.

    Of two players all extreme equilibria are listed, with the maximal Nash subsets within which every other equilibrium
    mixes their strategies, and the components (Avis, Rosenberg, Savani and von Stengel 2010). Of three and more, all
    pure equilibria and the mixed ones that Newton's method finds. A label is shown only where it is proven.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    limit
        How many nodes the tree of the game may have.

    Returns
    -------
    EquilibriumSet
        Its text is what ``fogbound equilibria`` prints.

    Raises
    ------
    LimitError
        The game is too large for its equilibria to be listed.
    SpecError
        The game has one player.

    Examples
    --------
    >>> import fogbound as fb
    >>> hunt = fb.equilibria("matrix-game(matrix=stag-hunt)")
    >>> [str(one.payoffs[0]) for one in hunt], len(hunt.components)
    (['4', '3', '3'], 3)
    >>> [dict(one.strategies[0]) for one in hunt.labelled("risk-dominant")]
    [{'hare': Fraction(1, 1)}]
    """
    source = problem(game)
    if len(source.players) < 2:
        raise SpecError(f"{source}: equilibria are of two and more players, found 1. Solve it: fogbound solve")
    try:
        tree = derive(source, Tree, Question(limit=limit))
    except SampledOnlyError:
        raise
    except LimitError as error:
        raise LimitError(
            f"{source}: too large for its equilibria to be listed, over {many(limit, 'node')}. Raise limit=, cut the "
            "game (horizon), or ask for one equilibrium: fogbound solve"
        ) from error
    form = derive(tree, NormalForm)
    exact = exact_game(tree, form)
    return EquilibriaInWords(source, tree, exact).answer(all_equilibria(exact))
