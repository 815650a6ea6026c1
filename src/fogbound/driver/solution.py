"""What a solver's run comes to: a value between bounds, the policies that reach it, and the evidence.

Figures of an answer in words: what is known of them, and never an infinite bound.

The command line, Python's `repr`, notebooks and the web app take their words from here.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from fogbound.certificates.certificate import Certificate
from fogbound.certificates.wording import POLICY, bound_words
from fogbound.core.errors import PolicyError, brief, many, one_of
from fogbound.core.numerals import number
from fogbound.core.policy import Strategy
from fogbound.core.profile import policy_of
from fogbound.core.registry import located
from fogbound.driver.protocol import TraceEntry, interval_of
from fogbound.driver.stops import words

if TYPE_CHECKING:
    from typing import Self

    from fogbound.certificates.verification import Verification
    from fogbound.policies.alpha_vectors import AlphaVectors, StoredVectors


TRIVIAL = "trivial bounds from the reward range"
UNKNOWN = "no bounds are known"
UNEVALUATED = "not evaluated"
BLANK = "–"  # in a column of figures
LOCKS, FLOORS = "locks", "floors"  # of a provenance: what players must play

Pair = tuple[float, float] | None


def value_words(value: float, interval: Pair = None, digits: int = 6) -> str:
    """A value, with the 95% interval of an estimate.

    Examples
    --------
    >>> value_words(1.5), value_words(1.5, (1.0, 2.0)), value_words(math.nan)
    ('1.5', '1.5 (95% interval 1 to 2)', 'not evaluated')
    """
    if not math.isfinite(value):
        return UNEVALUATED
    if interval is None:
        return number(value, digits)
    low, high = (number(end, min(digits, 6)) for end in interval)
    return f"{number(value, digits)} (95% interval {low} to {high})"


def range_words(lower: float, upper: float, possible: Pair = None, digits: int = 6) -> str:
    """What the bounds say, or, where there are none, what the rewards allow.

    Examples
    --------
    >>> range_words(0.5, 1.0), range_words(-math.inf, 2.0)
    ('0.5 to 1', 'at most 2')
    >>> range_words(-math.inf, math.inf), range_words(-math.inf, math.inf, (-20.0, 200.0))
    ('no bounds are known', '−20 to 200, trivial bounds from the reward range')
    """
    low, high = number(lower, digits), number(upper, digits)
    if math.isfinite(lower) and math.isfinite(upper):
        return f"{low} to {high}"
    if math.isfinite(lower):
        return f"at least {low}"
    if math.isfinite(upper):
        return f"at most {high}"
    if possible is None:
        return UNKNOWN
    return f"{number(possible[0], digits)} to {number(possible[1], digits)}, {TRIVIAL}"


def column(value: float, digits: int = 6) -> str:
    """One figure of a column; a dash where it is not known.

    Examples
    --------
    >>> column(0.25), column(math.inf), column(math.nan)
    ('0.25', '–', '–')
    """
    return number(value, digits) if math.isfinite(value) else BLANK


def gap_words(gap: float) -> str:
    """The gap, as the end of a clause; empty where it is not known.

    Examples
    --------
    >>> gap_words(0.25), gap_words(math.inf)
    (', gap 0.25', '')
    """
    return f", gap {number(gap, 3)}" if math.isfinite(gap) else ""


@dataclass(frozen=True, eq=False)
class Solution:
    """An answer with its bounds, the policies that reach it, how it was found, and how to check it.

    Attributes
    ----------
    profile
        A policy for each player that the answer speaks of.
    player
        Whose value and bounds these are.
    value
        The expected payoff of `player` under `profile`, evaluated from that profile, not taken from the solver.
        `value_is` says where it is something else: a guaranteed lower bound on it, an estimate, the solver's claim.
        Of a restricted Nash response it is the payoff in the restricted game, of a correlated equilibrium the payoff
        with its mediator, of an average-reward answer the payoff a step in the long run.
    lower, upper
        The bounds. Their meaning depends on `answer`; `claimed` names those that are the solver's word alone.
    gap
        ``upper - lower``, which is NashConv of a zero-sum equilibrium of two players, twice its `exploitability`. Of an
        equilibrium with more players or a general sum, the largest regret: what one player can gain by deviating alone.
    iterations, seconds, stopped
        How much was done, and why no more: gap, seconds, iterations, interrupted, terminated or cancelled; finished,
        when the solver showed what it set out to; or what kept it from that: memory, beliefs, precision, stuck.
    trace
        The bounds as they moved, as the solver claimed them.
    provenance
        Everything needed to get the same answer again.
    certificate
        The evidence for the independent checker, where there is any.
    details
        What only this solver has to say.
    alpha_vectors
        The alpha vectors of the lower bound for `player`, where the solver of a POMDP leaves them beside a policy that
        is played without them. They are worth `lower` at the start, or more where the policy was thinned.
    asked
        The game or form that was handed over, as long as the answer is not read from a file: what a game that no spec
        names is verified against.
    """

    profile: dict[int, Strategy]
    player: int
    value: float
    lower: float
    upper: float
    gap: float
    iterations: int
    seconds: float
    stopped: str  # gap, finished, seconds, iterations, interrupted, terminated, cancelled, memory, …
    trace: tuple[TraceEntry, ...] = field(repr=False)
    provenance: dict[str, Any] = field(repr=False)
    certificate: Certificate | None = field(default=None, repr=False)
    details: dict[str, Any] = field(default_factory=dict, repr=False)
    alpha_vectors: AlphaVectors | StoredVectors | None = field(default=None, repr=False)
    asked: Any = field(default=None, repr=False)  # the game or form that was handed over; not kept in files

    @property
    def certified(self) -> str:
        """Which bounds the independent checker has confirmed: both, lower, or none yet."""
        return self.certificate.kind.proves if self.certificate is not None and self.certificate.checked else "none"

    @property
    def claimed(self) -> tuple[str, ...]:
        """Which of value, lower and upper are the solver's word alone, neither evaluated nor certified."""
        return tuple(map(str, self.details.get("claimed", ())))

    @property
    def value_is(self) -> str:
        """What `value` is.

        ``earned``: the profile's expected payoff, evaluated. ``guarantee``: a proven lower bound on it, where the
        policy cannot be evaluated exactly. ``estimate``: the mean return of games that the policy played. ``search``:
        that of a search's simulations, which explore: not what its policy earns. ``claimed``: the solver's word.
        """
        return str(self.details.get("value_is", "earned"))

    @property
    def sampled(self) -> bool:
        """Whether the answer comes from samples: `value` is an estimate, or nothing was evaluated."""
        return self.value_is in ("estimate", "search") or math.isnan(self.value)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval that an estimate comes with: statistics, and no bounds."""
        return interval_of(self.details)

    def value_text(self, digits: int = 6) -> str:
        """The value for people: with its 95% interval where it is an estimate."""
        return value_words(self.value, self.interval if self.sampled else None, digits)

    @property
    def possible(self) -> tuple[float, float] | None:
        """Of an answer without bounds, the least and the most that the rewards allow, where that is known.

        These trivial bounds hold for any policies; nothing certifies them.
        """
        found = self.details.get("possible")
        return None if found is None else (float(found[0]), float(found[1]))

    @property
    def not_equilibrium(self) -> str:
        """Why the profile is no equilibrium although the solver looks for one: its regret; empty otherwise.

        The limit is the gap that was asked for, or a millionth of the payoff range where that is more.
        """
        return str(self.details.get("not_equilibrium", ""))

    @property
    def exploitability(self) -> float | None:
        """Half the gap: what a player loses on average to best replies, of an equilibrium for two and a constant sum.

        None for other answers.
        """
        return self.gap / 2 if self.answer == "value" and self.provenance.get("finds") == "equilibrium" else None

    @property
    def answer(self) -> str:
        """What the bounds mean: a `value`, which holds against anyone, a `reply` to what is given, an `equilibrium`,
        or what a `team` wins."""
        return str(self.provenance.get("answer", ""))

    @property
    def among(self) -> str:
        """What the upper bound of a reply ranges over: a policy, or a mixture of pure strategies."""
        return str(self.details.get("among", POLICY))

    @property
    def words(self) -> tuple[str, str]:
        """What to call the lower and the upper bound: only what holds against anyone is guaranteed."""
        proves = "both" if self.certificate is None else self.certificate.kind.proves
        low, high = bound_words(self.answer, proves, self.among)
        return (f"{low} at least" if low == "earns" and self.lower < self.value else low), high

    @property
    def locked(self) -> str:
        """How many locks the game was solved with, in words; empty where there are none. The provenance has them."""
        held = (self.provenance.get(name, {}) for name in (LOCKS, FLOORS))
        count = sum(len(sets) for part in held for sets in part.values())
        return f"with {many(count, 'lock')}" if count else ""

    def policy(self, player: int | str | None = None) -> Strategy:
        """How `player` (by index or name) plays in this answer; without an argument, the player that it is about.

        Raises
        ------
        PolicyError
            The answer has no policy for that player.
        """
        if isinstance(player, str):
            names = list(self.provenance.get("players", ()))
            if player not in names and player.isdecimal() and player.isascii():
                return policy_of(self, int(player))
            if player not in names:
                raise PolicyError(f"player {brief(player)}, expected {one_of(names)}")
            player = names.index(player)
        return policy_of(self, self.player if player is None else player)

    def agent(self, player: int | str | None = None, game: Any = None, *, seed: int = 0) -> Any:
        """A player for a control loop: told what it sees, it says what to do; see `fogbound.agent`.

        Parameters
        ----------
        player
            By index or name; the one that the answer is about unless given.
        game
            Whatever `fogbound.game` takes; what was solved unless given.
        seed
            For policies that draw.

        Returns
        -------
        Agent
            With `reset`, `act`, `observe`, `belief` and `values`.
        """
        return located("fogbound.api:agent")(self, game, player, seed=seed)

    def table(self, player: int | str | None = None, game: Any = None) -> Any:
        """How the players play, as a table: player, information set in words, action, probability, reached.

        Parameters
        ----------
        player
            Whose strategy, by index or name; of all unless given.
        game
            Whatever `fogbound.game` takes; what was solved unless given.

        Returns
        -------
        StrategyTable
            Rows to go through, with `to_csv`, `to_json`, `to_dict`, `to_pandas` and `text`.
        """
        return located("fogbound.api:table")(self, player, game)

    def to_csv(self, path: str | os.PathLike[str] | None = None, player: int | str | None = None) -> str:
        """The table of the strategies as CSV, written to `path` where one is given; see `table`."""
        return str(self.table(player).to_csv(path))

    def to_json(self, path: str | os.PathLike[str] | None = None, player: int | str | None = None) -> str:
        """The table of the strategies as JSON, written to `path` where one is given; see `table`."""
        return str(self.table(player).to_json(path))

    def to_pandas(self, player: int | str | None = None) -> Any:
        """The table of the strategies as a pandas.DataFrame, where pandas is installed; see `table`."""
        return self.table(player).to_pandas()

    def save(self, path: str | os.PathLike[str]) -> Self:
        """Write the answer to a `.npz` file, whole or not at all; `fogbound.load` reads it again."""
        located("fogbound.files.solution:save_solution")(self, path)
        return self

    def verify(self, game: Any = None) -> Verification:
        """Let the independent checker judge the certificate against the game; see `fogbound.verify`."""
        judged: Verification = located("fogbound.api:verify")(self, game)
        return judged

    def __getstate__(self) -> dict[str, Any]:
        """Without what was handed over: a class that was written in a notebook need not be known elsewhere."""
        return {**self.__dict__, "asked": None}

    def __repr__(self) -> str:
        players: list[str] = self.provenance.get("players", [])
        name = players[self.player] if self.player < len(players) else f"player {self.player}"
        regret = f", {self.not_equilibrium}" if self.not_equilibrium else ""
        game = f"{self.provenance['game']} {self.locked}".strip()
        said = (
            f"<Solution of {game} by {self.provenance['solver']}: value "
            f"{self.value_text()} for {name}, {self._bounds()}{regret}, "
            f"stopped: {words(self.stopped)}>"
        )
        return said.replace("−", "-")  # a repr is copied into code

    def _bounds(self) -> str:
        """The bounds, with what they rest on, and the gap."""
        if self.sampled and math.isinf(self.lower) and math.isinf(self.upper):
            return range_words(self.lower, self.upper, self.possible)
        return f"bounds {range_words(self.lower, self.upper)} ({self._basis()}){gap_words(self.gap)}"

    def _basis(self) -> str:
        """What the figures rest on, in a word or two."""
        sure = {"both": "certified", "lower": "lower bound certified", "none": "not certified"}[self.certified]
        if not self.claimed:
            return sure
        return f"{sure}, {' and '.join(self.claimed)} claimed by the solver"

    def _repr_html_(self) -> str:
        """The answer as a small table, for notebooks."""
        rows = {
            "game": f"{self.provenance['game']} {self.locked}".strip(),
            "solver": self.provenance["solver"],
            f"value for player {self.player}": self.value_text(10),
            "bounds": range_words(self.lower, self.upper, self.possible, 10) + gap_words(self.gap),
            "certified": self.certified,
            **({"claimed by the solver": ", ".join(self.claimed)} if self.claimed else {}),
            **({"equilibrium": self.not_equilibrium} if self.not_equilibrium else {}),
            "stopped": f"{words(self.stopped)} after {many(self.iterations, 'step')}, {self.seconds:.3g} s",
        }
        cells = "".join(f"<tr><th>{escape(key)}</th><td>{escape(str(said))}</td></tr>" for key, said in rows.items())
        return f"<table>{cells}</table>"
