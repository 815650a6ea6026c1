"""The independent checker: what a certificate proves about a game, by the standard library alone.

It imports nothing of Fogbound and shares no code with the solvers. Floats are the rationals they are, every
probability row is divided by its own exact sum, and a fault in a certificate is never tolerated: it is
repaired and paid for, so any certificate, even garbage, yields a true interval. What cannot be judged is
Refused. The module of a kind is imported when a certificate of that kind is judged.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .arithmetic import down, up
from .arrays import Array, Reading, Refused, floats
from .npz import digest, read_header, read_npz

if TYPE_CHECKING:
    from .levels.bounds import LevelInterval

__all__ = ["Array", "Refused", "Report", "check", "digest", "read_header", "read_npz"]

Interval = tuple[Fraction, Fraction]
Judgement = tuple[list[Interval], Fraction, Fraction, list["LevelInterval"]]
ONE_INTERVAL = (
    "pomdp",
    "one-sided",
    "zero-sum-markov",
    "average-reward",
)  # kinds that speak of the header's player alone
MEDIATED = ("correlated", "coarse-correlated", "extensive-form-correlated")  # a mediator draws joint strategies
GAINS = ("markov-profile", "markov-correlated", *MEDIATED)  # kinds that prove how much nobody gains by deviating
HEX = re.compile(r"-?0x[01](\.[0-9a-f]{1,13})?p[+-][0-9]{1,4}")


@dataclass(frozen=True)
class Report:
    """What is proven, and the first claim that is not.

    zero-sum-tree: `intervals` hold each player's value of the game, in its own payoff.
    tree-profile: from the value of the (repaired) profile to the value of a best reply, for each player;
    `regret` is the largest gain, so the profile is an equilibrium up to that much.
    restricted-tree: each player's value of the game in which the other plays as stored with probability `trust`.
    zero-sum-memories, memories-profile, restricted-memories: the same, where histories were summed out.
    chain-profile: `intervals` hold each player's value of the profile.
    team: from the value of the profile to what no profile earns more than, of players who are paid alike.
    pomdp: one interval, for the best value of the one player that the form is about, whichever player that is.
    average-reward: one interval, for the most that the one player can earn a step in the long run.
    one-sided: one interval, for what the blind player can guarantee, in its own payoff; `violation` is by how much a
    claim of the evidence is wrong at most, for which the interval has paid.
    zero-sum-markov: one interval, for what the player can guarantee in its own payoff.
    markov-profile, markov-correlated: from the value of the policies (or of joint recommendations) to the value of a
    best reply, for each player, from the start; `regret` is the largest gain in any state.
    correlated, coarse-correlated, extensive-form-correlated: from what obeying a mediator's draws of joint strategies
    earns to the best that disobeying does, for each player; `regret` is the largest gain.
    level-k: `levels` hold (level, player, lower, upper) of every best reply; `intervals` those of the highest level.
    """

    kind: str
    player: int
    lower: float
    upper: float
    intervals: list[tuple[float, float]]
    regret: float | None
    refuted: str | None
    levels: list[tuple[int, int, float, float]] = field(default_factory=list)
    violation: float = 0.0


def check(header: Mapping[str, Any], form: Mapping[str, Array], evidence: Mapping[str, Array]) -> Report:
    """Judge a certificate against the form it is about. Refused when it cannot be judged, or holds what is not read."""
    if _field(header, "version", int) != 1:
        raise Refused(f"certificate version {header['version']}, this checker knows 1")
    kind, player = _field(header, "kind", str), _field(header, "player", int)
    claim = _field(header, "claim", dict)
    claimed = _hex(claim, "lower"), _hex(claim, "upper")
    if digest(form) != _field(header, "form_sha256", str):
        raise Refused("the certificate is about another game: form_sha256 is not the hash of this form")
    certificate = Reading(evidence)
    proven, gain, violation, hierarchy = _judged(kind, player, form, certificate)
    if certificate.unread():
        raise Refused(f"array {certificate.unread()[0][:40]!r} is no evidence for a certificate of the kind {kind}")
    place = min(player, 0) if kind in ONE_INTERVAL else player
    if not 0 <= place < len(proven):
        raise Refused(f"player {player} of {len(proven)}: players count from 0")
    regret = up(gain) if kind in GAINS else None
    if kind in STRATEGIES and STRATEGIES[kind][0] == "profile":
        regret = up(max(high - low for low, high in proven))
    outward = [_outward(interval) for interval in proven]
    levels = [(one.level, one.player, *_outward(one.proven)) for one in hierarchy]
    lower, upper = outward[place]
    refuted = _refuted_level(hierarchy) or _refuted(f"player {player}", claimed, proven[place])
    return Report(kind, player, lower, upper, outward, regret, refuted, levels, up(violation))


def _judged(kind: str, player: int, form: Mapping[str, Array], certificate: Reading) -> Judgement:
    """(The proven interval of each player, the most that any gains by deviating, the violation, levels)."""
    none = Fraction(0)
    if kind == "level-k":
        from .levels.bounds import level_intervals

        hierarchy = level_intervals(form, certificate)
        return [one.proven for one in hierarchy if one.level == hierarchy[-1].level], none, none, hierarchy
    if kind == "one-sided":
        from .one_sided.bounds import proven

        whole, violation = proven(form, certificate)
        return [whole], none, violation, []
    if kind in MEDIATED:
        from .mediated import gains

        return *gains(form, certificate, kind), none, []
    if kind in ("markov-profile", "markov-correlated"):
        from . import markov

        return *(markov.profile if kind == "markov-profile" else markov.correlated)(form, certificate), none, []
    return _intervals(kind, player, form, certificate), none, none, []


def _intervals(kind: str, player: int, form: Mapping[str, Array], certificate: Reading) -> list[Interval]:
    """The proven interval of each player, where that is all."""
    if kind == "zero-sum-markov":
        from .markov import zero_sum

        return [zero_sum(form, certificate, player)]
    if kind == "chain-profile":
        from . import chain

        return chain.intervals(form, certificate)
    if kind == "team":
        from .team import bounds as team

        return team.intervals(form, certificate)
    if kind == "pomdp":
        from .pomdp.bounds import interval

        return [interval(form, certificate)]
    if kind == "average-reward":
        from .pomdp.average import average_interval

        return [average_interval(form, certificate)]
    if kind not in STRATEGIES:
        known = ", ".join((*STRATEGIES, "level-k", "chain-profile", "team", *ONE_INTERVAL, *GAINS))
        raise Refused(f"certificate kind {kind[:40]!r} is not one of {known}")
    if "strategy" not in certificate:
        raise Refused("array 'strategy' is missing from the certificate")
    return _strategies(*STRATEGIES[kind], form, certificate)


def _strategies(
    proves: str, shape_of: str, form: Mapping[str, Array], certificate: Mapping[str, Array]
) -> list[Interval]:
    """What behaviour strategies prove, on a tree or on memories."""
    on: Any
    shape: Any
    if shape_of == "tree":
        from . import tree as on

        shape = on.read_tree(form)
    else:
        from . import memories as on

        shape = on.read_memories(form)
    game = on.play(shape, certificate["strategy"])
    if proves == "profile":
        replies: list[Interval] = on.replies(game)
        return replies
    if proves == "zero-sum":
        return [on.guarantees(game, player) for player in (0, 1)]
    (trust,) = floats(certificate, "trust", 1)
    share = Fraction(min(max(trust, 0.0), 1.0))
    free = on.play(shape, certificate["free"]) if "free" in certificate else game
    return [on.restricted(game, free, share, player) for player in (0, 1)]


STRATEGIES = {  # kinds of certificates that are behaviour strategies: what they prove, on what
    "zero-sum-tree": ("zero-sum", "tree"),
    "tree-profile": ("profile", "tree"),
    "restricted-tree": ("restricted", "tree"),
    "zero-sum-memories": ("zero-sum", "memories"),
    "memories-profile": ("profile", "memories"),
    "restricted-memories": ("restricted", "memories"),
}


def _outward(proven: Interval) -> tuple[float, float]:
    """The narrowest floats around an interval."""
    return down(proven[0]), up(proven[1])


def _refuted_level(hierarchy: list["LevelInterval"]) -> str | None:
    """The first claim about a level that goes beyond what is proven."""
    faults = (_refuted(f"level {one.level} of player {one.player}", one.claimed, one.proven) for one in hierarchy)
    return next((fault for fault in faults if fault), None)


def _refuted(whose: str, claimed: Interval, proven: Interval) -> str | None:
    """The first claim that goes beyond what is proven."""
    for name, over, k in (("lower", claimed[0] > proven[0], 0), ("upper", claimed[1] < proven[1], 1)):
        if over:
            return f"{whose}'s {name} bound: claimed {float(claimed[k])!r}, certified {_outward(proven)[k]!r}"
    return None


def _field(header: Mapping[str, Any], name: str, kind: type) -> Any:
    """A field of exactly this type (True is no int)."""
    if name not in header or type(header[name]) is not kind:
        raise Refused(f"the certificate's header needs {name!r}, of type {kind.__name__}")
    return header[name]


def _hex(claim: Mapping[str, Any], name: str) -> Fraction:
    """A claimed bound, written as float.hex() writes a finite float."""
    text = _field(claim, name, str)
    wrong = Refused(f"the claim's {name!r} is {text[:40]!r}, expected a finite hexadecimal float")
    if not HEX.fullmatch(text):
        raise wrong
    try:
        return Fraction(float.fromhex(text))
    except OverflowError:
        raise wrong from None
