"""`fogbound dominance`: iterated elimination of dominated strategies, each step with its evidence, checked exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fogbound import api
from fogbound.cli.console import counting_number, make_parser, say, say_json
from fogbound.core.errors import LimitError, many
from fogbound.core.game import AnyGame
from fogbound.evaluate.dominance import Elimination, iterated_dominance
from fogbound.evaluate.strategy_names import strategy_names
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Question, derive
from fogbound.forms.table import Table
from fogbound.solvers.matrix.dominance import Confirmed, confirmed, mixed_dominance

MOST_LISTED = 40  # strategies that are left, of a player
MOST_STATES = 20_000  # of a game whose strategies may still be listed: they grow faster than its states


def main(words: list[str]) -> int:
    parser = make_parser(
        "dominance",
        "Take away strategies that another one, pure or mixed, does better than, until none is left; each step shows "
        "the dominating strategy and by how much it does better, in exact arithmetic.",
        "  fogbound dominance king-ace --weak\n  fogbound dominance 'matrix-game(matrix=prisoners-dilemma)'",
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "--weak", action="store_true", help="never better and sometimes worse suffices; this can lose equilibria"
    )
    parser.add_argument("--pure", action="store_true", help="only look for dominating strategies that are pure")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    parser.add_argument(
        "--limit",
        type=counting_number,
        default=MOST_STATES,
        metavar="N",
        help="states of the game, at most (%(default)s)",
    )
    args = parser.parse_args(words)
    game = api.game(args.game)
    form = derive(_counted(game, args.limit), NormalForm)
    found = (iterated_dominance if args.pure else mixed_dominance)(form, strict=not args.weak)
    steps, names = confirmed(form, found), strategy_names(form, game.describe).strategies
    if args.json:
        say_json(_plain(str(game), form, found, steps, names))
    else:
        _tell(str(game), form, found, steps, names)
    return 0


def _counted(game: AnyGame, limit: int) -> Table:
    """The game's states, while they are few: whoever has more has too many strategies, and is told so sooner."""
    try:
        return derive(game, Table, Question(limit=limit))
    except LimitError as error:
        raise LimitError(
            f"{game}: over {limit:,} states, so its strategies are too many to be listed. Raise --limit, cut the game "
            "(horizon), or solve it: fogbound check says with what"
        ) from error


Names = tuple[tuple[str, ...], ...]


def _plain(game: str, form: NormalForm, found: Elimination, steps: list[Confirmed], names: Names) -> dict[str, Any]:
    return {
        "game": game,
        "strict": found.strict,
        "rounds": len(found.rounds),
        "removed": [
            {
                "round": step.round,
                "player": step.removed.player,
                "strategy": names[step.removed.player][step.removed.strategy],
                "by": {names[step.removed.player][k]: str(p) for k, p in step.mixture},
                "advantage": [str(step.least), str(step.most)],
                "confirmed": step.holds(found.strict),
            }
            for step in steps
        ],
        "left": [[names[i][k] for k in kept] for i, kept in enumerate(found.kept)],
        "players": list(form.players),
    }


def _tell(game: str, form: NormalForm, found: Elimination, steps: list[Confirmed], names: Names) -> None:
    kind = "strictly" if found.strict else "weakly"
    say(f"{game}: {many(' x '.join(str(len(w)) for w in form.weights), 'strategy')}, {kind} dominated ones taken away")
    for number in range(1, 1 + len(found.rounds)):
        say(f"round {number}")
        for step in steps:
            if step.round == number:
                say(f"  {_step(form, step, names, found.strict)}")
    for i, kept in enumerate(found.kept):
        listed = ", ".join(names[i][k] for k in kept[:MOST_LISTED]) + (", …" if len(kept) > MOST_LISTED else "")
        say(f"left for {form.players[i]}: {listed}")
    sure = sum(step.holds(found.strict) for step in steps)
    say(f"confirmed exactly: {sure} of {many(len(steps), 'step')}")


def _step(form: NormalForm, step: Confirmed, names: Names, strict: bool) -> str:
    own = names[step.removed.player]
    by = " + ".join(own[k] if p == 1 else f"{p} {own[k]}" for k, p in step.mixture)
    margin = f"at least {_short(step.least)}" if strict else f"{_short(step.least)} to {_short(step.most)}"
    mark = "" if step.holds(strict) else ", not confirmed"
    return f"{form.players[step.removed.player]}: {own[step.removed.strategy]} by {by}, better by {margin}{mark}"


def _short(value: Fraction) -> str:
    return str(value) if value.denominator <= 10_000 else f"{float(value):.6g}"
