"""`check`: does a game keep its contract, and which forms does it have?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fogbound.arena.contract import Finding, checking_game
from fogbound.core.errors import Stopped, many
from fogbound.core.game import AnyGame
from fogbound.driver.clock import Clock
from fogbound.driver.limits import Limits, nobody, preparing
from fogbound.forms.available import Available, Counted, available_forms, available_from, enumerated
from fogbound.forms.protocol import Form, title
from fogbound.forms.tree import MOST_NODES
from fogbound.naming.games import GameLike, problem

MOST_STATES = 100_000
SECONDS = 60.0
SIGNS = {"ok": "✓", "warning": "!", "skipped": "~"}


@dataclass(frozen=True)
class GameCheck:
    """What a check of a game found.

    Attributes
    ----------
    game
        The spec of the game.
    players
        The names of its players.
    notes
        What a game from outside says of itself, by subject: who forgets, whether its times can be aligned.
    contract
        What is fine, what is worth a look, and what could not be looked at. Empty for a form, which has no rules.
    forms
        Every kind of form, with its size or the reason why there is none.
    stopped
        Why there is no more: ``seconds``, ``interrupted``, ``terminated``; empty where all was looked at.
    """

    game: str
    players: tuple[str, ...]
    notes: dict[str, str]
    contract: tuple[Finding, ...] = ()
    forms: tuple[Available, ...] = ()
    stopped: str = ""

    def __str__(self) -> str:
        lines = [f"{self.game}: {many(len(self.players), 'player')} ({', '.join(self.players)})"]
        lines += [f"  {subject}: {words}" for subject, words in self.notes.items()]
        lines += [f"  {SIGNS[finding.mark]} {finding.words}" for finding in self.contract]
        lines.append("forms" if self.forms else "forms: not looked at")
        lines += [f"  {'✓' if form.exists else '✗' if form.known else '~'} {form}" for form in self.forms]
        return "\n".join(lines)


def check(
    game: GameLike,
    *,
    limit: int | None = None,
    seconds: float = SECONDS,
    clock: Clock | None = None,
    tell: Callable[[str], None] | None = None,
) -> GameCheck:
    """Hold a game against its contract, and list its forms: how large each is, or why there is none.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes, or a form, of which only the forms are listed.
    limit
        How many states or nodes its forms may have; 100,000 states unless given.
    seconds
        How long to look; what was found by then is the answer.
    clock
        One that is running already, where what was done before counts as well.
    tell
        Called with a word when something begins.

    Returns
    -------
    GameCheck
        Its text is what ``fogbound check`` prints.

    Raises
    ------
    GameError
        A breach of the contract; the message names the state.

    Examples
    --------
    >>> import fogbound as fb
    >>> found = fb.check("king-ace")
    >>> {finding.mark for finding in found.contract}, [form.form for form in found.forms if form.exists][:3]
    ({'ok'}, ['table', 'tree', 'memories'])
    """
    limits = Limits(seconds, clock or Clock(), tell=tell or nobody)
    with preparing(limits, "the game was being read"):
        source = problem(game)
    if isinstance(source, Form):
        notes = {**_structure(source), "form": source.describe()}
        return GameCheck(source.spec, source.players, notes, forms=tuple(available_forms(source)))
    findings: list[Finding] = []
    forms: list[Available] = []
    stopped = ""
    try:
        with preparing(limits, "the game was being checked"):
            limits.tell("checking")
            states = enumerated(source, limit or MOST_STATES)
            for finding in checking_game(source, states):
                findings.append(finding)  # what is there when it is stopped stays
            limits.tell("forms")
            counted = source.counted() if isinstance(source, Counted) else {}
            forms = available_from(states, limit or MOST_NODES, counted)
    except Stopped as stop:
        stopped = stop.reason
    return GameCheck(str(source), source.players, _structure(source), tuple(findings), tuple(forms), stopped)


def _structure(source: AnyGame | Form) -> dict[str, str]:
    """What a tree from outside says of itself, beyond what a game can: who forgets, whether times can be aligned."""
    from fogbound.files.gambit.game import HasStructure, structure

    if isinstance(source, HasStructure):
        return {key: str(found) for key, found in vars(source.structure).items()}
    if not title(source).endswith(".efg"):
        return {}
    from fogbound.files.gambit.efg import read_efg

    return {key: str(found) for key, found in vars(structure(read_efg(title(source)))).items()}
