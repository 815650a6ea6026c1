"""Every field of a solution file: how it is confirmed, or that it is only claimed.

`verify` walks the fields of a kind and prints from them what is claimed. The forging tests walk them too: a field that
is in a file and not among them is a fault of the kind.

The figures of a file against those that are proven: they are the same up to rounding, or the file is refuted.

What a file says about itself: of which game, for whom, against whom, what kind of answer.

Whom an answer is against is read off the stored policies, never off what the file says of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

import numpy as np

from fogbound import evaluation
from fogbound.certificates.certificate import Kind
from fogbound.certificates.held import HeldSolution, Lookup, StoredSolution, solved_form
from fogbound.certificates.wording import BOTH, EQUILIBRIUM, LOWER, REPLY, TEAM
from fogbound.core.errors import FileError, FormError, LimitError, brief, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.protocol import OTHERS, Form, derive
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table
from fogbound.policies.controller import Controller
from fogbound.policies.mixture import Mixture
from fogbound.policies.uniform import Uniform

Earned = Callable[[HeldSolution], float | None]


def bounds_fault(held: HeldSolution, weaker: bool = False) -> str | None:
    """Whether the file reports the bounds that are certified.

    Where only the lower one is proven, the upper one must not lie below it. Bounds of a search (`weaker`) may be wider
    than what their evidence proves: they hold all the same.
    """
    stored, report = held.stored, held.report
    below = held.same(stored.lower, report.lower) or (weaker and stored.lower <= report.lower)
    if held.proof.kind.proves == BOTH:
        above = held.same(stored.upper, report.upper) or (weaker and stored.upper >= report.upper)
    else:
        above = stored.upper >= stored.lower
    if below and above:
        return None
    return f"the file reports {stored.lower!r} to {stored.upper!r}, certified are {_certified(held)}"


def claim_fault(held: HeldSolution) -> str | None:
    """Whether the certificate claims what it proves, or before it was checked what the file reports.

    Claims that were not yet checked are loosened by what rounding may take.
    """
    proof, stored, report = held.proof, held.stored, held.report
    for claim, reported, proven in (
        (proof.lower, stored.lower, report.lower),
        (proof.upper, stored.upper, report.upper),
    ):
        if all(abs(claim - figure) > 2 * held.slack(figure) for figure in (reported, proven)):
            whose = f"player {proof.player}'s bounds"
            return f"{whose}: claimed {proof.lower!r} to {proof.upper!r}, certified are {_certified(held)}"
    return None


def gap_fault(held: HeldSolution, weaker: bool = False) -> str | None:
    """Whether the gap is what lies between the bounds; of an equilibrium of several, what deviating may gain."""
    stored, report = held.stored, held.report
    if weaker or held.proof.kind.proves == LOWER:
        gap, size = stored.upper - stored.lower, max(abs(stored.upper), abs(stored.lower))
    else:
        gap, size = _proven_gap(held), max(abs(report.lower), abs(report.upper))
    if stored.gap == gap or abs(stored.gap - gap) <= 2 * held.slack(size):
        return None
    return f"the file reports the gap {stored.gap!r}, certified is {gap!r}"


def value_fault(held: HeldSolution, earned: Earned | None, only_earned: bool) -> str | None:
    """Whether the value is what the stored policies earn, or what they are proven to guarantee.

    Parameters
    ----------
    held
        The file.
    earned
        Evaluates the stored policies; None where that is not possible.
    only_earned
        Whether the certified lower bound is another figure than what the policies earn: of two strategies in a
        zero-sum game it is what one of them guarantees against anyone.
    """
    said, lower = held.stored.value, held.report.lower
    if not only_earned and held.same(said, lower):
        return None
    found = earned(held) if earned else None
    if found is not None and held.same(said, found):
        return None
    return f"the file reports the value {said!r}, its policies have {lower if found is None else found!r}"


def _certified(held: HeldSolution) -> str:
    report = held.report
    return f"{report.lower!r} to {report.upper!r}" if held.proof.kind.proves == BOTH else f"{report.lower!r} and above"


def _proven_gap(held: HeldSolution) -> float:
    form: type[Form] = solved_form(held.stored, held.lookup)
    if held.report.regret is not None and form.against != OTHERS:
        return held.report.regret
    return held.report.upper - held.report.lower


UNIFORM = "uniform"


def require_known_players(stored: StoredSolution, game: AnyGame | Form) -> None:
    """Refuse a file about, or with a policy for, somebody who is not a player of the game."""
    strange = [player for player in (stored.player, *sorted(stored.profile)) if not 0 <= player < len(game.players)]
    if strange:
        raise FileError(f"holds a policy for player {strange[0]}, expected players from 0 to {len(game.players) - 1}")


def require_profile(stored: StoredSolution, game: AnyGame | Form, everyone: bool) -> None:
    """Refuse a file that lacks the policy of a player whom its certificate is about."""
    require_known_players(stored, game)
    for player, name in enumerate(game.players):
        if player not in stored.profile and (everyone or player == stored.player):
            raise FileError(f"holds no policy for player {player} ({name}), of whom its certificate speaks")


def player_fault(held: HeldSolution) -> str | None:
    """Whether file, provenance and certificate are about one player."""
    stored, named = held.stored, held.stored.provenance["player"]
    if held.report.player != stored.player:
        return f"the certificate speaks of player {held.report.player}, the file of player {stored.player}"
    if named != stored.player:
        return f"the file is about player {stored.player}, its provenance about {brief(named)}"
    return None


def players_fault(held: HeldSolution) -> str | None:
    """Whether the players are the game's."""
    named = held.stored.provenance["players"]
    if list(named) == list(held.game.players):
        return None
    return f"the file names the players {brief(named)}, the game has {', '.join(held.game.players)}"


def game_fault(held: HeldSolution) -> str | None:
    """Whether the file is of the game that it was compared with."""
    provenance = held.stored.provenance
    if held.lookup.solves(provenance, held.game):
        return None
    return f"the file names the game {brief(provenance['game'])}, which is not the one that was checked"


def answer_fault(held: HeldSolution) -> str | None:
    """Whether the answer is of the kind that the certificate is about."""
    answer = _answer(held)
    if held.stored.answer == answer:
        return _team_fault(held) if answer == TEAM else None
    return f"the file calls its answer a {brief(held.stored.answer)}, its certificate is about a {answer!r}"


def _answer(held: HeldSolution) -> str:
    """What the proven bounds mean: an answer to given opponents is a reply."""
    asked, kind = solved_form(held.stored, held.lookup), held.proof.kind
    if kind.proves == LOWER and asked.certified_as == TEAM:  # plans of a team, of which only the value is proven
        return TEAM
    if kind.answer:
        return kind.answer
    return REPLY if asked.against == OTHERS or len(held.game.players) == 1 else EQUILIBRIUM


def _team_fault(held: HeldSolution) -> str | None:
    """Whether the players are a team at all: they are all paid alike."""
    form = held.form
    if isinstance(form, Table) and bool(np.all(form.reward == form.reward[:, :1])):
        return None
    return "the file calls its answer that of a team, but the players of this game are not paid alike"


def finds_fault(held: HeldSolution) -> str | None:
    """Whether the named solver looks for what the file says, on the form that the file says."""
    solver, provenance = held.solver, held.stored.provenance
    if solver is None:
        return None
    if provenance.get("finds") != solver.finds:
        return f"the file says that {provenance['solver']} finds {brief(provenance.get('finds'))}, which it does not"
    kinds = [form.kind for form in solver.forms]
    if provenance["form"] in kinds:
        return None
    return f"the file says that {provenance['solver']} solved a {brief(provenance['form'])} form, expected {kinds[0]}"


def against(stored: StoredSolution, lookup: Lookup) -> tuple[tuple[int, str], ...]:
    """By player, how the others play in the answer; nothing where it is not an answer to given opponents."""
    if solved_form(stored, lookup).against != OTHERS:
        return ()
    return tuple((i, described(policy)) for i, policy in sorted(stored.profile.items()) if i != stored.player)


def described(policy: Strategy) -> str:
    """A stored policy in a few words."""
    if isinstance(policy, Uniform):
        return "uniform play"
    if isinstance(policy, Controller):
        return f"a stored controller of {many(policy.size, 'node')}"
    if isinstance(policy, Mixture):
        return f"a mixture of {many(len(policy.policies), 'stored policy')}"
    return f"stored {type(policy).__name__}"


def opponents_fault(held: HeldSolution) -> str | None:
    """Whether the file says that the others play uniformly where they do not: other names are only claimed."""
    stored, game, said = held.stored, held.game, held.stored.provenance.get("against")
    if not said or set(said) != {UNIFORM} or not against(stored, held.lookup):
        return None
    for player, policy in sorted(stored.profile.items()):
        if player != stored.player and not _uniform(policy, game, player):
            return f"the file says that {game.players[player]} plays uniformly, its stored policy does not"
    return None


def _uniform(policy: Strategy, game: AnyGame | Form, player: int) -> bool:
    """Whether a policy is uniform play, however it is written down.

    A controller that chooses evenly is seen to be at a glance. What only comes to the same when it is played is
    compared in the sequence form; where the game has none, nobody can say, and what is not seen to be uniform is not.
    """
    from fogbound.policies.equivalence import equivalent

    if isinstance(policy, Uniform) or (isinstance(policy, Controller) and equivalent(policy, Uniform())):
        return True
    try:
        sequence = derive(game, SequenceForm)
    except (FormError, LimitError):
        return False
    plex = sequence.plexes[player]
    mine, even = (plex.weights(evaluation.behaviour(sequence, player, p)) for p in (policy, Uniform()))
    return bool(np.allclose(mine, even, rtol=0, atol=1e-9))


PROVEN = "proven"  # by the independent checker's figures
COMPARED = "compared"  # with the game, the certificate or the named solver
DERIVED = "derived"  # the evidence is made of it, so what was judged is what is stored
REPLAYED = "replayed"  # computed again from the seed, and equal
CLAIMED = "claimed"  # printed as claimed by the file, not checked, and used for nothing

Fault = Callable[[HeldSolution], str | None]


class FileField(NamedTuple):
    """A field of the header, by its path, or an array, by its name; patterns as of file names."""

    name: str
    how: str
    fault: Fault | None = None  # None: the reader, the checker or the replay itself confirms it
    word: str = ""  # what a claimed field is called in words


def claimed_fields(**words: str) -> tuple[FileField, ...]:
    """Claimed fields, by path with ``__`` for the dots, and what they are called in words."""
    return tuple(FileField(name.replace("__", "."), CLAIMED, word=word) for name, word in words.items())


_CLAIMED = (
    *claimed_fields(provenance__solver="solver", provenance__chosen="choice of the solver", provenance__seed="seed"),
    *claimed_fields(provenance__until="limits", provenance__start="start", provenance__inputs="input files"),
    *claimed_fields(provenance__form_sha256="size of the form", provenance__problem="size of the form"),
    *claimed_fields(provenance__versions="versions", iterations="iterations", seconds="seconds", stopped="stop reason"),
    *claimed_fields(certificate__checked="seconds", certificate__checked_seconds="seconds", trace="trace"),
    *claimed_fields(details="details"),
)


def evidence_fault(held: HeldSolution) -> str | None:
    """Whether the file has the arrays that the evidence consists of, and no others: derived ones are not read."""
    shown, judged = held.proof.evidence.keys(), held.judged
    for name in sorted(judged - shown):
        return f"the certificate lacks its array {name!r}"
    for name in sorted(shown - judged):
        return f"the certificate holds the array {name!r}, which is no part of the evidence"
    return None


def certified_fields(kind: Kind, policies: str, policies_fault: Fault, earned: Earned) -> tuple[FileField, ...]:
    """All fields of a file with a certificate of this kind, in the order in which they are confirmed.

    Parameters
    ----------
    kind
        The kind.
    policies, policies_fault
        How the policies are confirmed: the evidence is derived from them, or compared with them.
    earned
        Evaluates the stored policies.
    """
    both = kind.proves == BOTH
    value = partial(value_fault, earned=earned, only_earned=kind.zero_sum)
    bounds, gap = (partial(check, weaker=kind.searched) for check in (bounds_fault, gap_fault))
    return (
        FileField("player", COMPARED, player_fault),
        FileField("provenance.player", COMPARED, player_fault),
        FileField("provenance.players", COMPARED, players_fault),
        FileField("provenance.game", COMPARED, game_fault),
        FileField("provenance.locks", COMPARED),  # the form is derived with them, and its hash compared
        FileField("provenance.floors", COMPARED),
        FileField("provenance.finds", COMPARED, finds_fault),
        FileField("provenance.form", COMPARED, finds_fault),
        FileField("provenance.answer", COMPARED, answer_fault),
        FileField("certificate.version", COMPARED),
        FileField("certificate.kind", PROVEN),
        FileField("certificate.arithmetic", COMPARED),
        FileField("certificate.player", COMPARED, player_fault),
        FileField("certificate.form_sha256", COMPARED),
        FileField("certificate/*", policies, evidence_fault),
        FileField("policies.*.notes", CLAIMED, word="notes"),
        FileField("policies.*", policies, policies_fault),
        FileField("policy/*", policies),
        FileField("lower", PROVEN, bounds),
        FileField("upper", PROVEN if both else CLAIMED, bounds, "" if both else "upper bound"),
        FileField("gap", PROVEN if both else COMPARED, gap),
        FileField("value", PROVEN, value),
        FileField("certificate.claim.*", PROVEN, claim_fault),
        FileField("provenance.against", CLAIMED, opponents_fault, "names of the opponents"),
        *_CLAIMED,
    )


def field_of(fields: Iterable[FileField], name: str) -> FileField | None:
    """The field that a path of a header, or the name of an array, belongs to; None: there is none."""
    for field in fields:
        if fnmatchcase(name, field.name) or name.startswith(f"{field.name}."):
            return field
    return None


def unchecked(fields: Iterable[FileField]) -> tuple[str, ...]:
    """What a file only claims, in words, each once."""
    return tuple(dict.fromkeys(field.word for field in fields if field.how == CLAIMED))


def first_fault(fields: Iterable[FileField], held: HeldSolution) -> str | None:
    """The first thing that a stored solution says or plays and that is not confirmed; None = all of it is."""
    checks = dict.fromkeys(field.fault for field in fields if field.fault is not None)
    return next(filter(None, (check(held) for check in checks)), None)
