"""A policy of soccer on its field: arrows as long as moves are likely, one field for each who has the ball."""

from __future__ import annotations

from typing import Any

from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, one_line
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.profile import Profile, policy_of
from fogbound.draw import svg
from fogbound.draw.svg import EDGE, EMBER_FILL, FOG_1, INK_2, LAMP_FILL, MARGIN, SEA_FILL, SURFACE
from fogbound.evaluate.markov import markov_behaviour
from fogbound.forms.markov import MarkovGame, markov
from fogbound.games.soccer import COLUMNS, GOAL_ROWS, KICK_OFF, MOVES, ROWS, Soccer, Square

NAME = "Soccer"
CELL, TOP, GAP = 74, 92, 56
LEAST = 0.005  # moves that are rarer are not drawn
TONES = (SEA_FILL, EMBER_FILL)  # A, B
GLYPHS = {"north": "↑", "south": "↓", "east": "→", "west": "←", "stand": "•"}


def field(profile: Profile, *, game: AnyGame, player: int = 0, other: Square | None = None, title: str = "") -> Drawing:
    """Draw what a player of soccer does on every square, while the other stands on one.

    Parameters
    ----------
    profile : Solution, dict, list or policy
        How both play; only the player's own policy is drawn.
    game : Game
        The game of soccer that it is a policy of.
    player : int
        Whose, 0 for A and 1 for B.
    other : (row, column)
        Where the other stands; where it begins, unless told.
    title : str
        The first line of the picture.

    Returns
    -------
    Drawing
        One field with the ball at A, one with the ball at B. An arrow is as long and as thick as its move is likely, a
        dot in the middle is standing still.

    Raises
    ------
    SpecError
        The game is no soccer, or there is no such square.

    Examples
    --------
    >>> import fogbound as fb
    >>> game = fb.game("soccer")
    >>> picture = fb.draw.field([fb.policies.Uniform()] * 2, game=game)
    >>> print(picture.text.splitlines()[0])
    A's moves, B stands on row 2, column 1; A has the ball
    """
    if not isinstance(game, Soccer):
        raise SpecError(f"{game} has no field to draw: only soccer has one")
    stands = KICK_OFF[1 - player] if other is None else (int(other[0]), int(other[1]))
    if not (0 <= stands[0] < ROWS and 0 <= stands[1] < COLUMNS):
        raise SpecError(f"square {stands}, expected a row from 0 to {ROWS - 1} and a column from 0 to {COLUMNS - 1}")
    form = markov(game)
    moves = _moves(form, policy_of(profile, player), player, stands)
    who, whom = game.players[player], game.players[1 - player]
    said = f"{who}'s moves where {whom} stands on row {stands[0]}, column {stands[1]}; arrows are as long as likely"
    heading, wide = svg.heading(one_line(title) or NAME, said)
    body, text = [heading], []
    for holder in (0, 1):
        left = MARGIN + 12 + holder * (COLUMNS * CELL + GAP)
        body.append(svg.text(left, TOP - 10, f"{game.players[holder]} has the ball", INK_2, 13, weight=600))
        body += _field(left, moves, player, stands, holder, game.players)
        text += _text(moves, player, stands, holder, game.players)
    width = max(wide, 2 * (MARGIN + 12) + 2 * COLUMNS * CELL + GAP)
    return svg.document(width, TOP + ROWS * CELL + MARGIN + 8, body, f"{NAME}: {said}.", "\n".join(text) + "\n")


Moves = dict[tuple[Square, int], dict[str, float]]  # (own square, who has the ball) -> how likely each move is


def _moves(form: MarkovGame, policy: Strategy, player: int, other: Square) -> Moves:
    """What the player does on each square that it can stand on."""
    played = markov_behaviour(form, player, policy)
    found: Moves = {}
    for number, state in enumerate(form.states):
        seen: Any = state
        own, theirs, holder = seen[player], seen[1 - player], seen[2]
        if form.live[number] and theirs == other:
            chances: Any = form.at(played, number, player).pairs
            found[own, holder] = dict(chances)
    return found


def _field(left: float, moves: Moves, player: int, other: Square, holder: int, names: tuple[str, ...]) -> list[str]:
    """One field: squares, goals, the other player, arrows."""
    body = []
    for row in range(ROWS):
        for column in range(COLUMNS):
            corner = left + column * CELL, float(TOP + row * CELL)
            body.append(svg.box(*corner, CELL, CELL, FOG_1 if (row + column) % 2 else SURFACE, EDGE, 0))
    for side, tone in ((left - 6, TONES[0]), (left + COLUMNS * CELL + 6, TONES[1])):
        body.append(svg.line(side, TOP + GOAL_ROWS[0] * CELL, side, TOP + (GOAL_ROWS[-1] + 1) * CELL, tone, 5))
    x, y = _centre(left, other)
    body.append(svg.dot(x, y, CELL / 3.4, TONES[1 - player]))
    body.append(svg.text(x, y + 5, names[1 - player], "#ffffff", 15, "middle", 600))
    if holder != player:
        body.append(svg.dot(x + CELL / 4, y - CELL / 4, 6, LAMP_FILL))
    for (own, ball), chances in moves.items():
        if ball == holder:
            hint = ", ".join(f"{move} {svg.decimal(p)}" for move, p in chances.items() if p > LEAST)
            body.append(svg.group(_arrows(*_centre(left, own), chances, TONES[player]), hint))
    return body


def _centre(left: float, square: Square) -> tuple[float, float]:
    return left + (square[1] + 0.5) * CELL, TOP + (square[0] + 0.5) * CELL


def _arrows(x: float, y: float, chances: dict[str, float], tone: str) -> list[str]:
    """Arrows from the middle of a square, and a dot for standing."""
    body = [svg.dot(x, y, 2.0, EDGE, "none", 0)]
    for move, p in chances.items():
        down, right = MOVES[move]
        if p <= LEAST:
            continue
        if (down, right) == (0, 0):
            body.append(svg.dot(x, y, 2.5 + 9 * p**0.5, tone))
            continue
        reach, wide = 8 + (CELL / 2 - 12) * p, 1.2 + 4.8 * p
        head = 3.0 + 5.0 * p
        tip_x, tip_y = x + right * reach, y + down * reach
        base_x, base_y = tip_x - right * head, tip_y - down * head
        body.append(svg.line(x, y, base_x, base_y, tone, round(wide, 2)))
        sides = ((base_x + k * down * head, base_y + k * right * head) for k in (1, -1))
        steps = " L".join(f"{svg.at(a)} {svg.at(b)}" for a, b in ((tip_x, tip_y), *sides))
        body.append(svg.path(f"M{steps} Z", tone, 1, tone))
    return body


def _text(moves: Moves, player: int, other: Square, holder: int, names: tuple[str, ...]) -> list[str]:
    """One field for a terminal: the likeliest move of each square, with its chance."""
    place = f"{names[1 - player]} stands on row {other[0]}, column {other[1]}"
    lines = [f"{names[player]}'s moves, {place}; {names[holder]} has the ball"]
    for row in range(ROWS):
        cells = []
        for column in range(COLUMNS):
            chances = moves.get(((row, column), holder))
            if chances is None:
                cells.append(names[1 - player].center(5))
            else:
                move = max(chances, key=lambda move: chances[move])
                chance = svg.decimal(chances[move]).removeprefix("0") if chances[move] < 1 else ""
                cells.append(f"{GLYPHS[move]}{chance}".center(5))
        lines.append(" ".join(cells).rstrip())
    return lines
