"""`look`: an answer made ready to be looked at, as a table of moves, a controller, a tree, beliefs or a matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from fogbound import draw
from fogbound.arena.episode import Episode
from fogbound.core.drawing import Drawing
from fogbound.core.errors import FileError, FogboundError, FormError, LimitError, SpecError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import Strategy
from fogbound.core.svg import Link
from fogbound.draw.belief.vectors import two_states
from fogbound.driver.solution import Solution
from fogbound.evaluation.belief_words import BeliefStep, track
from fogbound.evaluation.exploitability import behaviour
from fogbound.evaluation.move_values import ProfileOnTree
from fogbound.evaluation.visitation import Visitation, visitation
from fogbound.forms.bayes_filter import Belief
from fogbound.forms.decisions import History
from fogbound.forms.normal import NormalForm
from fogbound.forms.pomdp import POMDP, ModelGame, pomdp
from fogbound.forms.protocol import Form, Playable, derive
from fogbound.forms.sequence import SequenceForm, sequence
from fogbound.forms.table import enumerate_table
from fogbound.forms.tree import Tree
from fogbound.forms.words import told_by
from fogbound.naming.games import GameLike, player_index
from fogbound.naming.policies import bound
from fogbound.naming.solved import game_solved
from fogbound.naming.vectors import answer_vectors
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.controller import Controller, controller
from fogbound.policies.mixture import Mixture
from fogbound.policies.tabular import Tabular
from fogbound.solvers.linear_programs.optimal_strategies import equilibrium_ranges
from fogbound.solvers.search.history import RemembersHistory

T = TypeVar("T")
MOST_STATES = 20_000  # of a game that is enumerated only to be looked at
UNROLLED = 100_000  # histories, or combinations, of a game that is unrolled to see whether a controller is total
FEW_SETS, FEW_ENDS, FEW_NODES = 64, 4_000, 20_000  # of a game of which all equilibria are asked
CLOSED = 1e-6  # the gap of what counts as an equilibrium
SAME = 1e-7  # moves that are worth the same, of their worth
STEPS = 25  # of a game that is followed


def look(solution: Solution, game: GameLike | None = None) -> Look:
    """Look at an answer: what its policies do, what they believe, and where their moves stand in the game.

    Parameters
    ----------
    solution
        The answer, solved or loaded.
    game
        Whatever `fogbound.game` takes; what was solved unless given.

    Returns
    -------
    Look

    Examples
    --------
    >>> import fogbound as fb
    >>> answer = fb.solve("king-ace", "sequence-lp")
    >>> fb.look(answer).strategy("second")
    <Drawing 532 × 206: Strategy of second in king-ace: the chance of each move in 2 information sets.>
    """
    return Look(solution, game)


class Look:
    """An answer with its game. What a picture needs is worked out when it is first asked for, and kept.

    Parameters
    ----------
    solution
        The answer.
    game
        Whatever `fogbound.game` takes; what was solved unless given.

    Raises
    ------
    SpecError
        The game cannot be had: it is somebody's own code, which no file may run, or a form that nobody plays.
    """

    def __init__(self, solution: Solution, game: GameLike | None = None) -> None:
        played: Any = game_solved(solution, game)
        if isinstance(played, Form):
            if not isinstance(played, Playable):
                raise SpecError(f"{played.spec}: a {played.kind} form is not played, so there is no game to look at")
            played = played.as_game()
        self.solution, self.game = solution, played
        self._made: dict[tuple[str, int], Any] = {}

    def __repr__(self) -> str:
        names = ", ".join(self.game.players[player] for player in sorted(self.solution.profile))
        return f"<Look at {self.game}, solved by {self.solution.provenance['solver']}: {names}>"

    def player(self, who: int | str | None = None) -> int:
        """Whose policy is looked at, by index: the one that the answer is about unless said."""
        player = self.solution.player if who is None else player_index(who, self.game)
        if player not in self.solution.profile:
            raise SpecError(f"the answer has no policy for player {player} ({self.game.players[player]})")
        return player

    # What pictures are made of.

    def policy(self, who: int | str | None = None) -> Strategy:
        """A player's policy, ready to play."""
        player = self.player(who)
        return self._keep(
            "policy", player, lambda: bound(self.solution.profile[player], self.game, player, self.solution.profile)
        )

    @property
    def profile(self) -> dict[int, Strategy]:
        """All policies that the answer has."""
        return {player: self.policy(player) for player in self.solution.profile}

    @cached_property
    def form(self) -> SequenceForm:
        """The game unrolled: FormError or LimitError where that cannot be."""
        return sequence(self.game)

    @cached_property
    def tree_form(self) -> Tree:
        """The game tree."""
        return self.form.decisions if isinstance(self.form.decisions, Tree) else derive(self.game, Tree)

    @cached_property
    def on_tree(self) -> ProfileOnTree:
        """Every history of the game when all play as in the answer."""
        return ProfileOnTree(self.tree_form, self.profile)

    def facing(self, who: int | str | None = None) -> POMDP:
        """What a player faces when the others play as in the answer; LimitError where that is large."""
        player = self.player(who)

        def made() -> POMDP:
            if isinstance(self.game, ModelGame):
                return self.game.form
            others = {other: policy for other, policy in self.profile.items() if other != player}
            return pomdp(enumerate_table(self.game, MOST_STATES), player, others)

        return self._keep("facing", player, made)

    def tabular(self, who: int | str | None = None) -> Tabular:
        """A policy as a table of moves by information set; FormError or LimitError where there is none."""
        player = self.player(who)
        return self._keep(
            "tabular",
            player,
            lambda: Tabular(self.form.decisions, player, behaviour(self.form, player, self.policy(player))),
        )

    def automaton(self, who: int | str | None = None) -> Controller:
        """A policy as the smallest controller that behaves alike.

        Raises
        ------
        FogboundError
            There is none: the policy is drawn from several, plays by vectors, or is too large; or it searches as it
            plays, in a game that has no tree.
        """
        player = self.player(who)
        if isinstance(self.policy(player), RemembersHistory):
            self._require_tree()
        return self._keep("automaton", player, lambda: _automaton(self.policy(player), self.game, player))

    def _require_tree(self) -> None:
        """Refuse a planner whose histories cannot be listed: each would be searched before that is found out."""
        try:
            self.form  # noqa: B018  is unrolled
        except (FormError, LimitError) as error:
            raise LimitError(
                f"{str(error).partition('. ')[0]}; a planner remembers its whole history, so there is "
                "no controller of it: look at it with --view belief or bounds, or play against it"
            ) from error

    def natural(self, who: int | str | None = None) -> Tabular | Controller:
        """A policy as the table of a strategy where there is a tree and it is total, else as a controller.

        A controller is there already, so a game is not unrolled far only to find that it is smaller than the strategy.
        """
        player = self.player(who)
        policy = self.policy(player)
        if not isinstance(self.game, ModelGame):
            at_hand = isinstance(policy, Controller)
            try:
                form = sequence(self.game, UNROLLED) if at_hand else self.form
                if not isinstance(policy, Controller) or policy.size >= len(form.plexes[player].sets):
                    return self.tabular(player)
            except (FormError, LimitError):
                return self.automaton(player)
        return self.automaton(player)

    def visitation(self, who: int | str | None = None) -> Visitation:
        """How often play comes to each node of a player's controller, and what is believed there.

        Raises
        ------
        FogboundError
            That cannot be said, and why.
        """
        player = self.player(who)

        def made() -> Visitation:
            found = visitation(self.facing(player), {player: self.automaton(player)}, player)
            return replace(found, told=told_by(self.game, player))

        return self._keep("visitation", player, made)

    def vectors_of(self, who: int | str | None = None) -> tuple[AlphaVectors, list[tuple[float, float]]]:
        """A value function: vectors from below, and points (probability of the second state, value) from above.

        The values of a controller's nodes are vectors, and the evidence for the upper bound are points above them.
        """
        player = self.player(who)
        mine, proof = self.policy(player), self.solution.certificate
        if isinstance(mine, AlphaVectors):
            return mine, []
        if proof is None or proof.kind.name != "pomdp":
            held = answer_vectors(self.solution, self.facing(player)) if player == self.solution.player else None
            if held is not None:
                return held, []
            raise SpecError("holds no vectors; solvers of POMDPs such as sarsop leave them behind")
        form, evidence = self.facing(player), proof.evidence
        try:
            values = np.full((len(evidence["node_action"]), form.size), -np.inf)
            values[tuple(evidence["pair"].T)] = evidence["value"]
            acting = evidence["node_action"] >= 0
            policy = AlphaVectors(form, values[acting], evidence["node_action"][acting].astype(np.int32))
            return policy, _upper(form, evidence)
        except (KeyError, IndexError, ValueError) as error:
            raise FileError(f"its evidence does not fit {self.game} ({error})") from error

    def followed(self, who: int | str | None = None, seed: int = 0) -> History:
        """One game as a player lived it: the first observation, then (own action or None, observation) each step."""
        return _lived(self.game, self.profile, self.player(who), seed)

    def ranges(self, who: int | str | None = None) -> dict[int, tuple[float, float]]:
        """Between which probabilities all equilibria play the last move of each information set.

        Empty where the answer is no equilibrium of a zero-sum game for two, or the game is too large to ask.
        """
        player, form = self.player(who), self.form
        exact = self.solution.exploitability is not None and self.solution.gap <= CLOSED
        if not exact or len(form.ends) > FEW_ENDS or len(form.plexes[player].sets) > FEW_SETS:
            return {}
        value = (
            self.solution.value if player == self.solution.player else (form.constant_sum or 0) - self.solution.value
        )
        return self._keep("ranges", player, lambda: equilibrium_ranges(form, player, value))

    def best_moves(self, who: int | str | None = None) -> dict[int, float]:
        """How likely a best move is the last one of each information set of two: 0, 1, or one half where both are.

        Empty where not all policies are known, or the game is too large to ask.
        """
        player = self.player(who)
        known = len(self.solution.profile) == len(self.game.players)
        if not known or not isinstance(self.form.decisions, Tree) or self.form.decisions.size > FEW_NODES:
            return {}
        return self._keep("best moves", player, lambda: self._best_moves(player))

    def _best_moves(self, player: int) -> dict[int, float]:
        sets = self.form.plexes[player].sets.tolist()
        found = {}
        for infoset in sets[:FEW_SETS]:
            at = self.on_tree.at(infoset)
            if len(at.moves) == 2 and at.belief:
                first, last = (worth for _, _, worth in at.moves)
                close = SAME * max(1.0, abs(first), abs(last))
                found[infoset] = 0.5 if abs(first - last) <= close else float(last > first)
        return found

    # The pictures.

    def strategy(
        self, who: int | str | None = None, *, title: str = "", link: Link | None = None, chosen: int | None = None
    ) -> Drawing:
        """The moves of a strategy with their probabilities, by what its player knows; see `draw.strategy`.

        Beside them, where the game is small: what else equilibria play, and what a best reply would do.
        """
        player = self.player(who)
        return draw.strategy(
            self.tabular(player),
            describe=self.game.describe,
            title=title,
            link=link,
            chosen=chosen,
            ranges=self.ranges(player),
            best=self.best_moves(player),
        )

    def controller(
        self,
        who: int | str | None = None,
        *,
        follow: History = (),
        title: str = "",
        most: int = 24,
        link: Link | None = None,
        chosen: int | None = None,
    ) -> Drawing:
        """A policy as a controller, with what is believed at its nodes where that is known; see `draw.controller`."""
        try:
            held = self.visitation(who)
        except FogboundError:
            held = None
        return draw.controller(
            self.automaton(who),
            visitation=held,
            follow=follow,
            describe=self.game.describe,
            title=title,
            most=most,
            link=link,
            chosen=chosen,
        )

    def tree(self, root: int = 0, *, title: str = "", most: int = 200, link: Link | None = None) -> Drawing:
        """The game tree from a node on, with how likely each move is where all policies are known; see `draw.tree`."""
        whole = len(self.solution.profile) == len(self.game.players)
        return draw.tree(
            self.tree_form,
            profile=self.profile if whole else None,
            describe=self.game.describe,
            title=title,
            most=most,
            root=root,
            link=link,
        )

    def vectors(self, who: int | str | None = None, *, title: str = "") -> Drawing:
        """Value by belief, in a model of two states; see `draw.vectors`."""
        policy, upper = self.vectors_of(who)
        return draw.vectors(policy, upper=upper, describe=self.game.describe, title=title)

    def beliefs(self, who: int | str | None = None, *, seed: int = 0, title: str = "") -> Drawing:
        """What a player believed after each of the first steps of a game that `seed` draws."""
        player = self.player(who)
        said = title or f"{self.game}: what {self.game.players[player]} believed"
        return believed(self.game, self.profile, self.facing(player), seed, said)

    def matrix(self, *, title: str = "") -> Drawing:
        """The payoffs of a game for two, and how likely each pure strategy is played; see `draw.matrix`."""
        whole = len(self.solution.profile) == len(self.game.players)
        form = derive(self.game, NormalForm)
        return draw.matrix(form, profile=self.profile if whole else None, describe=self.game.describe, title=title)

    def bounds(self, *, title: str = "") -> Drawing:
        """The bounds as they moved; see `draw.bounds`."""
        return draw.bounds(self.solution, title=title or str(self.solution.provenance["game"]))

    def _keep(self, what: str, player: int, make: Callable[[], T]) -> T:
        if (what, player) not in self._made:
            self._made[what, player] = make()
        made: T = self._made[what, player]
        return made


def _automaton(policy: Strategy, game: AnyGame, player: int) -> Controller:
    if isinstance(policy, Controller):
        return policy.minimal()
    if isinstance(policy, AlphaVectors):
        raise SpecError("holds a value function: look at it as vectors, beliefs or bounds")
    if isinstance(policy, Mixture):
        raise FogboundError(
            f"{game.players[player]} is one of {len(policy.policies)} policies, drawn before the game, so there is no "
            f"one controller to show; solve with --player {game.players[player]} to see its own"
        )
    try:
        return controller(game, player, policy).minimal()  # type: ignore[arg-type]
    except AttributeError:
        raise FogboundError("a mixture has no single controller: look at its members") from None


def believed(game: AnyGame, profile: Mapping[int, Strategy], form: POMDP, seed: int, title: str) -> Drawing:
    """What a player believed in a game that `seed` draws: `form` is what it faces.

    Parameters
    ----------
    game, profile
        What is played, and how.
    form
        What the player faces when the others play so.
    seed
        Same seed, same game.
    title
        The first line of the picture.
    """
    history = _lived(game, profile, form.player, seed)
    model, tracked = _over_the_game(form, track(form, history))

    def seen(observation: Observation) -> str:
        return game.describe_observation(observation, form.player)

    return draw.belief_history(
        tracked, model=model, describe=game.describe, seen=seen, told=told_by(game, form.player), title=title
    )


def _lived(game: AnyGame, profile: Mapping[int, Strategy], player: int, seed: int) -> History:
    """What the player did and saw in one game."""
    absent = [name for other, name in enumerate(game.players) if other not in profile]
    if absent:
        raise SpecError(f"{game}: there is no policy for {absent[0]}, so no game can be played")
    policies = [profile[i] for i in range(len(game.players))]
    steps = list(Episode(game, policies, np.random.default_rng(seed)).steps(STEPS))
    lived: list[Any] = [steps[0].outcome.observation(player)]
    for step in steps[1:]:
        own = dict(zip(game.actors(step.before), step.joint or ()))
        lived.append((own.get(player), step.outcome.observation(player)))
    return tuple(lived)


class _States:
    """The states of a game, by number."""

    def __init__(self, states: Sequence[Any]) -> None:
        self.states = states

    def label(self, state: int) -> object:
        return self.states[state]


def _over_the_game(form: POMDP, tracked: Sequence[BeliefStep]) -> tuple[Any, Sequence[BeliefStep]]:
    """Beliefs over the game's states alone: what the others remember is summed out."""
    paired = form.product
    if paired is None:
        return form, tracked

    def own(step: BeliefStep) -> BeliefStep:
        if step.belief is None:
            return step
        return replace(step, belief=Belief.of(paired.point[step.belief.states, 0], step.belief.weights))

    return _States(paired.table.states), [own(step) for step in tracked]


def _upper(form: POMDP, evidence: dict[str, Any]) -> list[tuple[float, float]]:
    """Points of the upper bound, (probability of the second state, value); a state alone by its informed bound."""
    first, second = two_states(form)
    points = []
    for at, state in ((0.0, first), (1.0, second)):
        points.append((at, float(evidence["fib"][form.row[state] : form.row[state + 1]].max())))
    start = evidence["point_start"].tolist()
    for k, (low, high) in enumerate(pairwise(start)):
        states, weights = evidence["point_state"][low:high], evidence["point_weight"][low:high]
        points.append((float(weights[states == second].sum() / weights.sum()), float(evidence["point_value"][k])))
    return points
