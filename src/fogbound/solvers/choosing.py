"""Which solver to use when none is named: by the forms the game has, said in a sentence."""

from __future__ import annotations

import numpy as np

from fogbound.core.contract import require_others
from fogbound.core.errors import FormError, LimitError, many
from fogbound.core.game import AnyGame, Game
from fogbound.driver.solver import Criterion
from fogbound.forms.markov import MarkovGame, markov, require_discounted
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.forms.normal import NormalForm, count_strategies, entries
from fogbound.forms.one_sided.form import OneSided
from fogbound.forms.pomdp import POMDP
from fogbound.forms.posg import POSG
from fogbound.forms.protocol import Form, Question, derive, title
from fogbound.forms.sequence import SequenceForm, sequence
from fogbound.forms.table import Table
from fogbound.forms.tree import Tree, tree_size
from fogbound.solvers import SOLVERS
from fogbound.solvers.complementarity.sequence_lcp import MOST_EXACT
from fogbound.solvers.criteria import solvers_by
from fogbound.solvers.markov.nash import MOST_UNKNOWNS
from fogbound.solvers.perfect_information.game import require_perfect_information
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph
from fogbound.solvers.teams.stages import require_team_end

LP_ENDS = 400_000  # payoffs up to which a linear program beats learning
STATES = 200_000
MATRIX_ENTRIES = 100_000  # payoffs up to which Lemke and Howson's path takes about a second
ORACLE = "double-oracle"
ORACLE_ENTRIES = 10**9  # payoffs of a matrix of more players, which is never made, up to which they do
ORACLE_ENDS = 20_000  # payoffs of two players up to which best replies soon bring up all strategies that matter
SHORT_SIGHT = 0.95  # discounts up to which a sweep of Shapley's iteration gains enough

ONE_SIDED = "pg-hsvi"


def choose_solver(source: AnyGame | Form, against: bool, criterion: Criterion = "discounted") -> tuple[str, str]:
    """A solver's spec and why it is the one.

    Parameters
    ----------
    source
        The game or form to be solved.
    against
        Whether the others' policies are given, so that a best reply is asked for.
    criterion
        What the answer is to be best by: the game's own discounted sum of rewards, or the average reward a step.

    Returns
    -------
    tuple of str
        The spec, and the reason.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.api import choose_solver
    >>> choose_solver(fb.game("tiger"), against=False)[0]
    'sarsop'
    >>> choose_solver(fb.game("tiger"), against=False, criterion="average")[0]
    'average-reward'
    """
    if against:
        require_others(title(source), source.players)
    if criterion == "average":
        return solvers_by(criterion)[0], "the average reward a step, whatever the discount"
    if isinstance(source, Game) and source.only_sampled:
        return _sampled(source)
    if isinstance(source, NormalForm):
        return _matrix(source)
    if isinstance(source, Game) and source.imperfect_recall:
        return _matrix(derive(source, NormalForm))
    if isinstance(source, Tree) and source.origin is None and not against:  # a file's, for which there are no rules
        return _histories(sequence(source))
    if isinstance(source, MarkovGame):
        return _markov(source)
    if isinstance(source, POMDP):
        return _alone(source, "decisions of one player")
    if isinstance(source, Form) and not isinstance(source, Table) and (name := preferred(source)):
        return name, f"that is what a {source.kind} form is for"
    if against:
        return _reply(source)
    described = source.origin
    if isinstance(described, MarkovGame):
        return _markov(described)
    if isinstance(described, OneSided):  # a game that a file describes as such
        return ONE_SIDED, "one player is blind and the other sees everything, as the file says"
    planner = _too_large(source)
    if planner:
        return planner
    if len(source.players) == 1:
        known = None if isinstance(described, POMDP) and _hides(described) else _known(source)
        if known is None or (known.discount == 1 and len(known.endless)):
            return _alone(source, "one player against chance")
        return _markov(known)
    table = _enumerated(source)
    if _paid_alike(table):
        team = derive(table, POSG, Question(limit=STATES))
        if team.discount == 1:
            require_team_end(team)
        return "team-search", f"{len(source.players)} players who are paid alike: a team that cannot talk"
    return _equilibrium(table)


def preferred(form: Form) -> str:
    """The solver that is made for this type of form; empty where the game decides."""
    made_for = ((name, SOLVERS.load(name)) for name in SOLVERS)
    return next((name for name, cls in made_for if cls.preferred and isinstance(form, cls.form)), "")


def _matrix(form: Form) -> tuple[str, str]:
    """For a table of pure strategies."""
    if len(form.players) == 1:
        return ORACLE, "one player, a list of strategies: the best of them"
    if len(form.players) > 2:
        return ORACLE, f"{len(form.players)} players, a matrix: one equilibrium, its regret certified"
    if form.constant_sum is None:
        return "lemke-howson", "two players, general-sum, a matrix"
    return "matrix-lp", "two players, zero-sum, a matrix: one linear program is exact"


def _too_large(source: AnyGame | Form) -> tuple[str, str] | None:
    """A search, for a game that has compiled rules and cannot be enumerated."""
    if isinstance(source, Form) or source.compiled_rules() is None:
        return None
    try:
        _table(source)
    except LimitError:
        planner = "pomcp" if len(source.players) == 1 else "is-mcts"
        return planner, f"over {STATES:,} states: searched at each decision instead of solved, without a guarantee"
    return None


def _hides(form: POMDP) -> bool:
    """Whether a model's states cannot all be told apart, by its arrays: no rules are asked, which takes long."""
    return bool((np.diff(mixed_observability(form).first) > 1).any())


def _known(source: AnyGame | Form) -> MarkovGame | None:
    """The Markov game, where whoever moves knows the state."""
    try:
        return markov(_table(source))
    except (FormError, LimitError):
        return None


def _markov(form: MarkovGame) -> tuple[str, str]:
    """For players who know the state."""
    known = "whoever moves knows the state"
    if len(form.players) == 1:
        return (
            "policy-iteration",
            f"one player who knows the state: {many(len(form.reward), 'action')} in {many(form.size, 'state')}",
        )
    if form.constant_sum is not None:
        if form.discount <= SHORT_SIGHT:
            return "shapley", f"two players, zero-sum, {known}, discount {form.discount:g}"
        return "hoffman-karp", f"two players, zero-sum, {known}, and the future counts"
    if form.order is not None:
        return "markov-backward-induction", f"general-sum, {known}, and none comes again"
    if int(form.width.sum()) + form.size * len(form.players) > MOST_UNKNOWNS:
        return "markov-fictitious-play", f"general-sum, {known}, too large for an equilibrium: a baseline, no promise"
    return "markov-nash", f"general-sum, {known}: one equilibrium, its regret certified"


def _sampled(source: AnyGame) -> tuple[str, str]:
    """For a game whose outcomes can only be drawn."""
    from fogbound.simulators.game import SimulatedGame

    weighed = isinstance(source, SimulatedGame) and source.simulator.has_density
    return "pomcpow" if weighed else "pomcp", "a simulator: searched at each decision, without a guarantee"


def _alone(source: AnyGame | Form, why: str) -> tuple[str, str]:
    """For one player whom nobody opposes any more."""
    endless = _endless(source) if not isinstance(source, Game | POMDP | Table) or source.discount == 1 else None
    if endless is not None:
        BeliefGraph.of(endless)  # which refuses play that can never end, or is paid for ever
        return "belief-search", f"{why}, undiscounted, and play can go on for ever"
    return "sarsop", f"{why}: both bounds, and a controller whose value is the lower one"


def _endless(source: AnyGame | Form) -> POMDP | None:
    """The POMDP, where play can go on for ever."""
    try:
        form = derive(source, POMDP, Question(limit=STATES))
    except LimitError:
        return None  # the builder itself reports it, or has a larger limit
    return form if len(form.endless) else None


def _reply(source: AnyGame | Form) -> tuple[str, str]:
    """For given opponents."""
    try:
        tree_size(_table(source))
    except (FormError, LimitError):
        if _table(source).discount == 1:
            return "belief-search", "the others' policies are given; play can come back to where it was, undiscounted"
        return "sarsop", "the others' policies are given, and play can come back to where it was"
    return "belief-mdp", "the others' policies are given, so their beliefs decide"


def _enumerated(source: AnyGame | Form) -> Table:
    """The table, once for all that is asked of it; the error of a game that is too large names the searches."""
    try:
        return _table(source)
    except LimitError as error:
        raise LimitError(
            f"{error}. Searches that only sample: mcts (perfect information); is-mcts, pomcp-pgt (with compiled rules)"
        ) from error


def _equilibrium(table: Table) -> tuple[str, str]:
    """For opponents who may do anything."""
    try:
        form = sequence(table)
    except (FormError, LimitError) as error:
        known = _known(table)
        if known is not None:
            require_discounted(known, "no solver suits this game")
            return _markov(known)
        if isinstance(error, LimitError):
            raise
        guarantee = _one_sided(table)
        if guarantee:
            return guarantee
        raise FormError(
            f"{error}; or give against=POLICY, to answer given opponents; or solve it with level-k, to answer any level"
        ) from error
    if _sees_everything(table):
        if len(table.players) == 2 and form.constant_sum is not None:
            return "alpha-beta", "two players who see everything, zero-sum"
        return "backward-induction", "players who see everything and move in turn"
    return _histories(form)


def _histories(form: SequenceForm) -> tuple[str, str]:
    """For a game whose histories are written out, or summed out."""
    if len(form.players) == 1:
        return ORACLE, "one player, whose best strategy one sweep over its information sets finds"
    two, ends = len(form.players) == 2, many(len(form.ends), "payoff")
    if two and form.constant_sum is not None:
        if len(form.ends) <= LP_ENDS:
            return "sequence-lp", f"two players, zero-sum, {ends}: one linear program is exact"
        return "dcfr", f"two players, zero-sum, {ends}: too many for a linear program"
    counts = [count_strategies(plex) for plex in form.plexes]
    strategies, few = entries(counts), all(count < plex.sequences for count, plex in zip(counts, form.plexes))
    if two and not few and form.size <= MOST_EXACT:
        sequences = many(form.size, "sequence")
        return "sequence-lcp", f"two players, general-sum, {sequences}: Lemke's algorithm is exact"
    if two and strategies <= MATRIX_ENTRIES:
        return "lemke-howson", "two players, general-sum, few enough strategies for a matrix"
    if len(form.ends) <= ORACLE_ENDS if two else strategies <= ORACLE_ENTRIES:
        return (
            ORACLE,
            f"{many(len(form.players), 'player')}, general-sum, {ends}: one equilibrium, its regret certified",
        )
    return "cfr-plus", "general-sum: the regret of the average profile is reported, nothing is promised"


def _one_sided(table: Table) -> tuple[str, str] | None:
    """For two opponents whose play can go on: exact where one sees all that the other does, else a guarantee."""
    try:
        forms = [derive(table, OneSided, Question(player, limit=STATES)) for player in range(len(table.players))]
    except (FormError, LimitError):
        return None
    exact = [table.players[form.player] for form in forms if not form.relaxed]
    if exact:
        return ONE_SIDED, f"zero-sum, play can go on, and exact for {exact[0]}, whom the other sees through"
    return ONE_SIDED, "zero-sum, play can go on: what is safe even against one who sees everything"


def _paid_alike(table: Table) -> bool:
    """Whether the players are a team; one that is never paid anything is none."""
    paid = table.reward
    return bool(paid.any() and (paid == paid[:, :1]).all())


def _table(source: AnyGame | Form) -> Table:
    return derive(source, Table, Question(limit=STATES))


def _sees_everything(table: Table) -> bool:
    try:
        require_perfect_information(table, "")
    except FormError:
        return False
    return True
