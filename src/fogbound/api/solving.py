"""`solve`: hand over the problem; the way to the form that the solver wants is the library's affair."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from fogbound import files
from fogbound.api.verifying import confirmed
from fogbound.certificates.checking import CHECK_SECONDS
from fogbound.certificates.wording import EQUILIBRIUM, MIXTURE
from fogbound.core.cancel import Cancel
from fogbound.core.contract import require_others
from fogbound.core.errors import FormError, LimitError, SpecError, Stopped, brief, many, no_exit
from fogbound.core.game import AnyGame, Game
from fogbound.core.policy import Strategy
from fogbound.core.profile import HasProfile
from fogbound.core.spec import Spec, parse
from fogbound.driver import solve as driver
from fogbound.driver.clock import Clock
from fogbound.driver.limits import WRAP_UP, nobody, preparing
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import Solution
from fogbound.driver.solver import AnySolver, Criterion
from fogbound.files.models import is_strategy
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import EVERYONE, NOTHING, Form, Question, derive, title
from fogbound.forms.sequence import SequenceForm
from fogbound.naming.games import GameLike, player_index, problem, require_seed
from fogbound.naming.inputs import inputs_of
from fogbound.naming.limits import stop_rules
from fogbound.naming.policies import ByPlayer, PolicyLike, policy, stored, with_solution
from fogbound.naming.solvers import is_own, starting
from fogbound.naming.solvers import solver as solver_named
from fogbound.parallel.engine import Engine, here
from fogbound.solvers.equilibrium import solvers_for
from fogbound.solvers.fitting import require_enough, require_known

if TYPE_CHECKING:
    from fogbound.files.locks import LockLike, Locks

Against: TypeAlias = "PolicyLike | Sequence[PolicyLike] | ByPlayer"

STRATEGIC = (NormalForm, SequenceForm)  # what a game that is known by its pure strategies alone is solved on


def solve(
    game: GameLike | Form,
    solver: str | Spec | AnySolver | None = None,
    *,
    player: int | str = 0,
    against: Against | None = None,
    locks: LockLike | None = None,
    floors: LockLike | None = None,
    criterion: Criterion | None = None,
    gap: float | str | None = None,
    seconds: float | None = None,
    iterations: float | None = None,
    seed: int = 0,
    limit: int | None = None,
    watch: Callable[[TraceEntry], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    start: Against | None = None,
    cancel: Cancel | None = None,
    engine: Engine | None = None,
    tell: Callable[[str], None] | None = None,
    certify: bool | None = None,
    clock: Clock | None = None,
    begun: Callable[[dict[str, object]], None] | None = None,
    wrap_up: float = WRAP_UP,
) -> Solution:
    """Solve a game, and report the answer with its bounds, its policies and its certificate.

    Parameters
    ----------
    game
        The problem: whatever `fogbound.game` takes, or a form of it.
    solver
        A solver's name or spec, such as ``"sarsop"`` or ``"belief-mdp(ties=split)"`` (see `fogbound.solvers`), a class
        in a file of one's own, such as ``"my_solver.py:Hedge(rate=0.5)"``, or a solver. Without one a solver is
        chosen by the forms that the game has; ``solution.provenance["chosen"]`` says why.
    player
        Whose value and bounds, by index or name.
    against
        How the others play, for what is best against given opponents: one policy for all of them (also as a list of
        one), a list in the players' order, a dict by player, or a solution. For level-k: how level 0 plays.
    locks, floors
        Information sets at which a player must play given probabilities, or at least so much of each action: a dict
        ``{player: {information set: {action: probability}}}``, a .csv or .json as `Solution.table` writes it, a text
        ``"PLAYER: INFORMATION SET: ACTION=P, ACTION=P"``, or a list of these. Value, bounds and certificate are of the
        game with these locks; ``details["unlocked"]`` has what each player could gain if nobody had to keep them.
    criterion
        What the answer is to be best by: ``"discounted"``, the game's own sum of rewards, or ``"average"``, the reward
        a step in the long run, where play never ends. The solver is chosen by it, and one that goes by the other is
        refused. Without one: that of the solver that is named, or else the game's own.
    gap, seconds, iterations
        When to stop: the first that is met. A gap is how far apart the bounds are, or as a share of the answer,
        ``"1%"``: of the larger bound, or of a hundredth of the largest total reward where that is more. Where none is
        given, a gap of 0.1 % or a minute; where any is, that one alone. A solver may also simply finish.
        A time limit covers reading, building, solving, the evidence and its check, and where time is short the evidence
        is thinned: the certified bounds are then wider than the solver's, and ``details["thinned"]`` says by how much.
        The first compilation of a solver is not counted.
    seed
        Same seed, same result.
    limit
        How many nodes, states or beliefs the form may have; the builder's own limit by default.
    watch
        Called with every entry of the trace.
    checkpoint, resume
        A file that is rewritten as the run goes, and one to go on from, to the same result.
    start
        An answer to begin from, for solvers that can (`fogbound solvers` marks them): a solution, the file of one, or
        whatever else is a profile. It is evaluated anew, so that nothing it says of itself is believed; a bad one
        costs time, never truth.
    cancel
        A token with which another thread stops the run: ``cancel = Cancel()``, ``cancel.set()``. What is there by then
        is the answer, and `solution.stopped` is "cancelled".
    engine
        Where to compute what can be computed side by side: ``fogbound.parallel.processes(4)``; here by default. The
        result does not depend on it.
    tell
        Called with a word when something begins: reading, building, compiling, solving, certifying, stopping.
    certify
        Whether the independent checker confirms the bounds: None where that takes `certify.CHECK_SECONDS` at most, True
        for as long as it takes, within `seconds` where given, False not at all. The evidence is there in any case, for
        `fogbound.verify`.
    clock
        One that is running already, where what was done before counts as well.
    begun
        Called with the provenance as soon as the form is built, before there is an answer: what is solved, how large it
        is, and what the bounds will mean.
    wrap_up
        Seconds that policies and evidence may take after somebody wanted it to stop; half of one by default, so that an
        answer follows soon.

    Returns
    -------
    Solution
        `value`, `lower` and `upper` for `player`; `policy(player)` plays it.

    Raises
    ------
    FormError
        The game has no form that suits this solver: why, and what does.
    LimitError
        The form would be larger than its limit.
    SpecError
        Something that is named does not exist.
    Stopped
        Time was up, or somebody wanted it to stop, before there was a first answer.

    Examples
    --------
    >>> import fogbound as fb
    >>> round(fb.solve("card-poker(ranks=3)", "sequence-lp").value, 6)
    -0.055556
    >>> fb.solve("card-poker(ranks=8)", player="gambler", against="uniform").value
    0.5
    """
    chosen = ""
    require_seed(seed)
    if cancel is not None and not isinstance(getattr(cancel, "reason", None), str):
        raise SpecError(f"cancel is {brief(cancel)}, expected a token: fogbound.core.cancel.Cancel()")
    if certify not in (None, True, False):
        raise SpecError(f"certify is {brief(certify)}, expected True, False or None")
    options = RunOptions(
        until=stop_rules(gap, seconds, iterations),
        seed=seed,
        watch=watch,
        checkpoint=checkpoint,
        resume=resume,
        check_seconds={None: CHECK_SECONDS, True: math.inf, False: 0.0}[certify],
        cancel=cancel,
        engine=engine or here,
        tell=tell or nobody,
        clock=clock or Clock(),
        begun=begun,
        wrap_up=wrap_up,
    )
    with no_exit(), preparing(options.limits(), "the game was being read"):
        source = problem(game)
        index = player_index(player, source)
        held = _locks(source, locks, floors)
        solved = held.applied(source, limit) if held else source
        if solver is None:
            from fogbound.solvers.choosing import choose_solver  # it knows many solvers

            solver, chosen = choose_solver(solved, against is not None and not held, criterion or "discounted")
    if isinstance(source, Form) and source.player not in (None, index) and player not in (0, "0"):
        name = source.players[source.player or 0]
        raise FormError(f"{source.spec}: this {source.kind} form is that of {name}, not of {brief(player)}")
    if isinstance(solver, str | Spec):
        name = parse(solver).name if isinstance(solver, str) else solver.name
        if not is_own(name):
            require_known(name, source)
    named = solver_named(solver)
    if held:
        from fogbound.solvers.locking import require_lockable

        require_lockable(named, against is not None)
    if criterion is not None:
        from fogbound.solvers.criteria import require_criterion

        require_criterion(named, criterion)
    if isinstance(source, Game) and source.imperfect_recall and named.form not in STRATEGIC:
        takes = ", ".join(solvers_for(derive(source, SequenceForm), on=STRATEGIC))
        raise FormError(
            f"{title(source)}: {source.imperfect_recall}, so that only a matrix of its strategies can be solved: "
            f"{takes}, not {named.name}"
        )
    if start is not None and not named.takes_start:
        raise SpecError(f"{named.name} cannot begin from a solution; those that can: {', '.join(starting())}")
    if engine is not None and engine is not here and not named.parallel:
        from fogbound.solvers import SOLVERS

        several = ", ".join(name for name in SOLVERS if SOLVERS.load(name).parallel)
        raise SpecError(
            f"{named.name} computes in one process, so engine= (--workers) has no effect: leave it out; "
            f"several processes serve {several}"
        )
    built: list[Form] = []

    def build() -> Form:
        built.append(form_for(named, solved, index, against, seed, limit, tell))
        return built[0]

    with no_exit():
        kept = checkpoint is not None or resume is not None
        inputs = inputs_of(source, solver=named, against=against if kept else None)
        named = with_solution(named, source)
        profile = None if start is None else _profile(start, source, seed, tell)
        solution = driver.run_solver(  # which builds the form, so that building counts
            named, build, replace(options, player=index, start=profile, inputs=inputs)
        )
    if start is not None:
        solution.provenance["start"] = _told(start)
    if against is not None:  # before it is confirmed: a certificate is compared with the opponents that are named
        solution.provenance["against"] = _told(against)
    if held:
        from fogbound.solvers.locking import without_locks

        solution.provenance.update(held.plain())
        if solution.profile:  # an impatient interrupt leaves none
            solution.details["unlocked"] = without_locks(solved, solution)
    solution = confirmed(solution, solved, built[0])
    if solution.answer == EQUILIBRIUM:
        from fogbound.api.guaranteeing import with_maxmin

        solution = with_maxmin(solution, solved)
    if isinstance(source, Game) and any(map(source.uniform_means, range(len(source.players)))):
        solution.details["among"] = MIXTURE
    if chosen:
        solution.provenance["chosen"] = chosen
    return replace(solution, asked=source)


def _locks(source: AnyGame | Form, exact: LockLike | None, floor: LockLike | None) -> Locks | None:
    """The locks that were given; None where there are none."""
    if not exact and not floor:
        return None
    from fogbound.files.locks import Locks

    return Locks.given(source, exact, floor)


def _profile(
    start: Against, source: AnyGame | Form, seed: int, tell: Callable[[str], None] | None
) -> dict[int, Strategy]:
    """A policy for each player, to begin from, made for the game that is solved or for it with other parameters."""
    everyone = list(range(len(source.players)))
    if isinstance(start, str | os.PathLike) and os.fspath(start).endswith(".npz"):
        start = files.load(os.fspath(start))
    if isinstance(start, HasProfile):
        if _named(str(getattr(start, "provenance", {}).get("game", ""))) == _named(title(source)):
            return {i: stored(start.profile, source, i, "start") for i in everyone}
        return {i: policy(start, source, i, seed, tell=tell) for i in everyone}
    given = _by_player(start, source, everyone, everyone=True)
    missing = [source.players[i] for i in everyone if i not in given]
    if missing:
        raise SpecError(f"start has no policy for {missing[0]}")
    return {i: policy(given[i], source, i, seed, tell=tell) for i in everyone}


def _named(spec: str) -> str:
    """A game's name, without its parameters."""
    return spec.split("(")[0]


def form_for(
    solver: AnySolver,
    source: AnyGame | Form,
    player: int = 0,
    against: Against | None = None,
    seed: int = 0,
    limit: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> Form:
    """The form on which `solver` works, derived from a game or another form.

    Parameters
    ----------
    solver
        The solver.
    source
        The game, or a form of it.
    player
        Whose problem it is, where the form is one player's.
    against
        How the others play, where that is part of the form: one policy for all, a list, or a mapping by player.
    seed
        For opponents that draw.
    limit
        How large the form may become; None: as its kind says.
    tell
        Called with a word when something begins, while opponents are computed.

    Returns
    -------
    Form
        What the solver is to be run on.

    Raises
    ------
    FormError
        There is no such form of this game, no way to it from this form, or the others' policies are missing or mean
        nothing to this solver.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.api import form_for
    >>> form_for(fb.solver("sequence-lp"), fb.game("king-ace")).kind
    'sequence'
    """
    wanted = solver.form
    require_enough(solver, source)
    if isinstance(source, wanted):
        if against is not None:
            raise FormError(f"{source.spec}: this {source.kind} form says already how the others play")
        return source
    if against is not None and wanted.against == NOTHING:
        raise FormError(f"{solver.name} finds what is good against anyone, so against= means nothing to it")
    others = opponents(against, source, player, seed, everyone=wanted.against == EVERYONE, tell=tell)
    try:
        return derive(source, wanted, Question(player, others, limit))
    except (LimitError, Stopped) as error:
        instead = solver.without_form
        asked_to = isinstance(error, Stopped) and error.reason != "seconds"  # by somebody, who wants nothing else built
        if asked_to or not instead or isinstance(source, Form):
            raise
        why = "no time was left to build it" if isinstance(error, Stopped) else str(error).partition(". ")[0]
        told = f"{solver.name} plays without a {wanted.kind}, and is not evaluated: {why}"
        tell(told) if tell else warnings.warn(told, stacklevel=2)
        found: Form = derive(source, instead[0], Question(player))
        return found


def opponents(
    against: Against | None,
    source: AnyGame | Form,
    player: int,
    seed: int = 0,
    everyone: bool = False,
    tell: Callable[[str], None] | None = None,
) -> dict[int, Strategy]:
    """By player, how the others play; with `everyone`, how each player does (at level 0).

    Parameters
    ----------
    against
        One policy for all, a list in the order of the players, a mapping by player, or a solution; None for nobody.
    source
        The game or form that they play.
    player
        Who they play against.
    seed
        For policies that draw.
    everyone
        Whether `player` itself is among those who are given.
    tell
        Called with a word when something begins, while they are computed.

    Returns
    -------
    dict
        A policy or mixture for each of these players.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.api import opponents
    >>> opponents("uniform", fb.game("king-ace"), player=0)
    {1: Uniform()}
    """
    if against is None:
        return {}
    require_others(title(source), source.players)
    spoken = [i for i in range(len(source.players)) if everyone or i != player]
    given = _by_player(against, source, spoken, everyone)
    return {i: policy(each, source, i, seed, tell=tell) for i, each in given.items()}


def _by_player(against: Against, source: AnyGame | Form, spoken: list[int], everyone: bool) -> Mapping[int, PolicyLike]:
    if isinstance(against, Mapping) and not is_strategy(against):
        keyed = cast(Mapping[Any, PolicyLike], against)
        return {player_index(key, source): each for key, each in keyed.items()}
    if isinstance(against, HasProfile):
        return {i: each for i, each in against.profile.items() if i in spoken}
    if not isinstance(against, Sequence) or isinstance(against, str):
        return dict.fromkeys(spoken, cast(PolicyLike, against))
    texts = list(against) * len(spoken) if len(against) == 1 else list(against)
    if len(texts) != len(spoken):
        whom = f"one for each of the {len(spoken)} {'players' if everyone else 'others'}, or one for all"
        raise SpecError(f"against= has {many(len(texts), 'policy')}, expected {whom}")
    return dict(zip(spoken, texts))


def _told(against: Against) -> list[str]:
    """What the others play, in a few words for the provenance."""
    listed = list(against.values()) if isinstance(against, Mapping) else against
    each = listed if isinstance(listed, Sequence) and not isinstance(listed, str) else [listed]
    return [str(one) if isinstance(one, str | os.PathLike) else brief(one) for one in each]
