"""The figures of document 000, one call each, and the table of who beats whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from fogbound import archive, draw, evaluation
from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError
from fogbound.forms.decisions import History
from fogbound.policies.controller import Controller
from fogbound_papers.d000.nim import TOP, NimLevels, Situation, name, nim_levels
from fogbound_papers.d000.solving import belief_times, sarsop_times

TURNS = {0: "goes first", 1: "goes second"}
SUBSCRIPTS = ("₁", "₂")


def draw_numbered(number: int, folder: Path) -> Path:
    """Draw one of the document's Figures 1 to 9 into `folder`."""
    if f"figure-{number}" not in PICTURES:
        raise SpecError(f"document 000 has no figure {number}, expected 1 to 9")
    return _written(f"figure-{number}", folder)[0]


def draw_all(folder: Path) -> list[Path]:
    """Every figure, and the table of who beats whom."""
    return [path for which in PICTURES for path in _written(which, folder)]


def _written(which: str, folder: Path) -> list[Path]:
    """A picture, and what it says as text where that is a table of its own; a transcript is text alone."""
    content = PICTURES[which]()
    picture, text = folder / f"000-{which}.svg", folder / f"000-{which}.txt"
    if isinstance(content, str):
        archive.write(text, content.encode())
        return [text]
    content.save(picture)
    if which not in TABLES:
        return [picture]
    archive.write(text, content.text.encode())
    return [picture, text]


def level_controller(own: NimLevels, level: int, player: int, game: tuple[int, int] | None = None) -> Drawing:
    """A level's controller with what it believes at each node; the transitions of a game stand out."""
    policy = own.policies[player][level]
    if not isinstance(policy, Controller):
        raise SpecError(f"level {level} of player {player} has no controller to draw, expected a level above 0")
    problem = own.process(level, player)
    named = replace(problem, names=tuple(_words(cast(Situation, own_name), player) for own_name in problem.names))
    held = evaluation.visitation(named, {player: policy}, player=player)
    title = f"Level {level}{SUBSCRIPTS[player]} on the board ({own.game.n}, {own.game.n})"
    lived: History = ()
    if game is not None:
        title += f", against {game[1 - player]}{SUBSCRIPTS[1 - player]} as in Figure 2"
        lived = own.lived(game, player)
    return draw.controller(policy, describe=own.game.describe, visitation=held, title=title, follow=lived)


def _words(situation: Situation, player: int) -> str:
    """My heap, the other's, and which levels the other may be of."""
    state, levels = situation
    return f"{state[player]} {state[1 - player]} · {'/'.join(map(str, levels))}{SUBSCRIPTS[1 - player]}"


def _game() -> str:
    return draw.transcript(nim_levels().episode(1, 2))


def _values() -> Drawing:
    title = "Expected reward, all lower levels equally likely (N = 3, r_w = 10, r_u = −1)"
    return draw.sweep(nim_levels().hierarchy.solutions, names=TURNS, title=title, words=("level", "expected reward"))


def _times() -> Drawing:
    rows = [
        {"level": own.level, "milliseconds": own.seconds * 1e3, "who": f"{own.how}, {TURNS[own.player]}"}
        for own in [*sarsop_times(), *belief_times()]
        if own.level <= TOP
    ]
    names = {row["who"]: str(row["who"]) for row in rows}
    title = "Time for one more level, given all lower ones (N = 3)"
    return draw.sweep(rows, y="milliseconds", by="who", names=names, title=title, log=True)


def _nodes() -> Drawing:
    title = "Nodes of the minimal controller that move (N = 3)"
    return draw.sweep(nim_levels().hierarchy.solutions, y="moves", names=TURNS, title=title, words=("level", "nodes"))


def _pairs() -> Drawing:
    rows, columns = ([name(level, player) for level in range(TOP + 1)] for player in (0, 1))
    title = "Who beats whom, levels 0 to 15 (N = 3, r_w = 10, r_u = −1)"
    return draw.pairs(nim_levels().pairs, rows=rows, columns=columns, title=title)


PICTURES: dict[str, Callable[[], Drawing | str]] = {
    "figure-1": lambda: level_controller(nim_levels(2), 1, 0),
    "figure-2": _game,
    "figure-3": _values,
    "figure-4": _times,
    "figure-5": _nodes,
    "figure-6": lambda: level_controller(nim_levels(), 1, 0, game=(1, 2)),
    "figure-7": lambda: level_controller(nim_levels(), 1, 1),
    "figure-8": lambda: level_controller(nim_levels(), 2, 0),
    "figure-9": lambda: level_controller(nim_levels(), 2, 1, game=(1, 2)),
    "pairs": _pairs,
}
TABLES = ("pairs",)
