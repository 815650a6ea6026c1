"""A game in matrix form, as a picture and as text: rows and columns are pure strategies, cells are payoffs."""

from __future__ import annotations

from collections.abc import Container, Sequence
from fractions import Fraction

import numpy as np

from fogbound.core import measure, svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import FormError, many, one_line
from fogbound.core.game import AnyGame
from fogbound.core.numerals import EXACT, LARGEST_DENOMINATOR, chance, number
from fogbound.core.profile import Profile
from fogbound.core.svg import EMBER, FOG_1, INK, INK_2, INK_3, LAMP_FILL, LAMP_WASH, MARGIN, SEA
from fogbound.draw.key import Key, hatched, key, square
from fogbound.evaluation.dominance import Elimination, Removed, StrategyNames, choices, pure_equilibria, strategy_names
from fogbound.evaluation.exploitability import behaviours
from fogbound.forms import words
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Form, derive
from fogbound.forms.words import Describe, label

LONGEST_NUMERATOR = 99


def require_two(form: NormalForm) -> None:
    """Tables have rows and columns, and no third side."""
    if len(form.weights) != 2:
        raise FormError(f"{form.spec}: {many(len(form.weights), 'player')}, expected 2 for a table of rows and columns")


def fraction(value: float) -> str:
    """A payoff as the short fraction that it is, else with four digits."""
    ratio = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    if abs(float(ratio) - value) < EXACT and (ratio.denominator == 1 or abs(ratio.numerator) <= LONGEST_NUMERATOR):
        return number(float(ratio), 9) if ratio.denominator == 1 else str(ratio).replace("-", "−")
    return number(value)


def cell(form: NormalForm, row: int, column: int) -> tuple[str, ...]:
    """The payoffs to be written: the row player's alone where the other's follow from them."""
    payoffs = [fraction(v) for v in form.payoff[row, column].tolist()]
    return tuple(payoffs[:1] if form.constant_sum is not None else payoffs)


def titles(form: NormalForm, title: str = "") -> tuple[str, str]:
    """The two lines at the top."""
    rows, columns = (len(w) for w in form.weights)
    first, second = map(words.label, form.sequence.players)
    total = form.constant_sum
    if total is None:
        paid = f"what {first} gets, then what {second} gets"
    else:
        paid = f"what {first} gets; {second} gets " + (f"the rest of {fraction(total)}" if total else "the opposite")
    return title or f"{form.spec}: {rows:,} × {columns:,} pure strategies", paid


def marked(form: NormalForm, many: bool) -> str:
    """What a lit cell means."""
    if form.constant_sum is None:
        return "pure equilibria" if many else "pure equilibrium"
    return "saddle points" if many else "saddle point"


def missing(form: NormalForm, shown: Sequence[Sequence[str]]) -> list[str]:
    """How many rows and columns are not shown, in a line."""
    counts = [len(w) - len(part) for w, part in zip(form.weights, shown)]
    said = [f"{count:,} more {word}" for count, word in zip(counts, ("rows", "columns")) if count]
    return [f"… {' and '.join(said)}"] if said else []


def strategy_meanings(
    form: NormalForm,
    names: StrategyNames,
    describe: Describe,
    most: int,
    used: Sequence[Container[str]] | None = None,
) -> list[str]:
    """The legend: which letter is which move and which place which knowledge, or each numbered strategy in words.

    Of numbered strategies the first `most` of each player are told, or those that are `used`.
    """
    spelled = [spelling for i, spelling in enumerate(names.letters) if spelling and choices(form, i)]
    said = {letter: words.action(describe, move) for spelling in spelled for move, letter in spelling.items()}
    lines = []
    if any(word != letter for letter, word in said.items()):
        lines.append("letters: " + ", ".join(f"{letter} {word}" for letter, word in said.items()))
    tree = form.sequence.decisions
    for i, spelling in enumerate(names.letters):
        name = words.label(tree.players[i])
        known = [tree.history(i, int(tree.set_memory[h])) for h in choices(form, i)]
        knows = {history: words.history_text(describe, history) for history in known}
        if spelling is None:
            listed = zip(names.strategies[i], form.strategies[i])
            for label, strategy in [one for one in listed if used is None or one[0] in used[i]][:most]:
                does = [f"{knows[h]}: {words.action(describe, a)}" for h, a in strategy.items() if h in knows]
                lines.append(f"{name} {label}: " + "; ".join(does))
        elif len(knows) > 1:
            lines.append(f"{name}, letter by letter: " + ", ".join(knows.values()))
    return lines


MOST = 40
CHANCE = 58.0  # pixels of a row's chance
TOP, HIGH, GAP, NARROW, LEGEND = 66.0, 34.0, 4.0, 52.0, 17.0
SIZE = 12.5
Cells = list[list[tuple[str, ...]]]


def matrix(
    form: AnyGame | Form,
    *,
    profile: Profile | None = None,
    dominated: Elimination | None = None,
    describe: Describe = str,
    title: str = "",
    most: int = MOST,
) -> Drawing:
    """Draw the payoffs of a two-player game, a row or column for each pure strategy.

    A strategy is called by its action where its player has one information set, else by a letter for each of them (see
    `evaluation.strategy_names`). Cells from which nobody wants to move alone carry the lamp; in the text, a star.

    Parameters
    ----------
    form : Game or Form
        The normal form, or what it can be derived from.
    profile : Solution or profile, optional
        How both play, such as an equilibrium: each row and column says how likely it is.
    dominated : Elimination, optional
        What `evaluation.iterated_dominance` has taken away: hatched.
    describe : callable
        An action in words, such as `game.describe`.
    title : str
        The first line of the picture.
    most : int
        How many rows and columns are shown; a line below says how many are missing.

    Returns
    -------
    Drawing

    Raises
    ------
    FormError
        Where there are not two players.
    LimitError
        Where a game is too large for a normal form.

    Examples
    --------
    >>> from fogbound import games
    >>> print(matrix(games.make("rock-paper-scissors")).text, end="")
    rock-paper-scissors(biased=false): 3 × 3 pure strategies: what first gets; second gets the rest of 1
    <BLANKLINE>
              second
    first     rock   paper   scissors
    rock       1/2       0          1
    paper        1     1/2          0
    scissors     0       1        1/2
    """
    form = derive(form, NormalForm)
    require_two(form)
    spelling = strategy_names(form, (lambda move: words.action(describe, move)))
    chances = None if profile is None else [said[: max(1, most)] for said in pure_chances(form, profile)]
    shown = [list(strategies[: max(1, most)]) for strategies in spelling.strategies]
    cells = [[cell(form, j, k) for k in range(len(shown[1]))] for j in range(len(shown[0]))]
    stable = {(j, k) for j, k in pure_equilibria(form) if j < len(shown[0]) and k < len(shown[1])}
    left = max(measure.width_of(name, SIZE, bold=True) for name in [*shown[0], label(form.sequence.players[0])])
    wide = _width(cells, shown[1])
    named = titles(form, one_line(title))
    (heading, heading_width), (tokens, top) = svg.heading(*named), _key(form, len(stable), dominated)
    body = [heading, tokens.body, *_heads(form, shown, left, wide, top)]
    gone = dominated.removed if dominated else {}
    for j, row in enumerate(cells):
        for k, payoffs in enumerate(row):
            hints = [_hint(gone, player, s) for player, s in ((0, j), (1, k)) if (player, s) in gone]
            x, y = _place(left, wide, top, j, k)
            parts = _cell(payoffs, x, y, wide, (j, k) in stable, bool(hints))
            body.append(svg.group(parts, "; ".join(hints), f' data-row="{j}" data-column="{k}"'))
    x, y = _place(left, wide, top, len(cells), len(shown[1]))
    if chances:
        body += _margins(chances, left, wide, top)
        x, y = x + CHANCE, y + LEGEND
    lines = [*missing(form, shown), *strategy_meanings(form, spelling, describe, most)]
    legend, legend_width, bottom = _legend(lines, y)
    width = max(x - GAP + MARGIN, heading_width, tokens.right, legend_width)
    text = _text(form, named, shown, cells, stable, lines, chances)
    return svg.document(width, bottom, [*body, legend], f"Payoffs of {'; '.join(titles(form))}.", text)


def pure_chances(form: NormalForm, profile: Profile) -> list[list[str]]:
    """How likely each player's pure strategies are, "" where never: each choice made for itself (Kuhn 1953)."""
    played = behaviours(form.sequence, profile)
    weights = [np.where(w > 0, b, 1.0).prod(axis=1).tolist() for w, b in zip(form.weights, played)]
    return [[chance(p) if p > EXACT else "" for p in chances] for chances in weights]


def _margins(chances: list[list[str]], left: float, wide: float, top: float) -> list[str]:
    """The chances of the rows at their right ends, of the columns below."""
    rows, columns = chances
    x, y = _place(left, wide, top, len(rows), len(columns))
    body = [
        svg.text(x + 6, _place(left, wide, top, j, 0)[1] + HIGH / 2 + 4.5, said, SEA, weight=600)
        for j, said in enumerate(rows)
        if said
    ]
    for k, said in enumerate(columns):
        middle = _place(left, wide, top, 0, k)[0] + wide / 2
        body += [svg.text(middle, y + 12, said, EMBER, anchor="middle", weight=600)] if said else []
    return body


def _place(left: float, wide: float, top: float, row: int, column: int) -> tuple[float, float]:
    return MARGIN + left + 14 + column * (wide + GAP), top + 42 + row * (HIGH + GAP)


def _width(cells: Cells, names: list[str]) -> float:
    """Of a column: room for its name and for the longest payoff, on both sides of the comma where there are two."""
    room = max(measure.width_of(part, SIZE, bold=True) for row in cells for payoffs in row for part in payoffs)
    sides = len(cells[0][0])
    return max(NARROW, sides * room + 16 + 10 * (sides - 1), *(measure.width_of(n, SIZE, bold=True) + 8 for n in names))


def _heads(form: NormalForm, shown: list[list[str]], left: float, wide: float, top: float) -> list[str]:
    """Whose strategies these are, and their names."""
    first, second = map(label, form.sequence.players)
    x, y = _place(left, wide, top, 0, 0)
    body = [svg.text(x, top + 12, second, EMBER, weight=600), svg.text(MARGIN, y - 10, first, SEA, weight=600)]
    for k, name in enumerate(shown[1]):
        at, _ = _place(left, wide, top, 0, k)
        body.append(svg.text(at + wide / 2, y - 10, name, size=SIZE, anchor="middle", weight=600))
    for j, name in enumerate(shown[0]):
        _, at = _place(left, wide, top, j, 0)
        body.append(svg.text(x - 14, at + HIGH / 2 + 4.5, name, size=SIZE, anchor="end", weight=600))
    return body


def _cell(payoffs: tuple[str, ...], x: float, y: float, wide: float, stable: bool, gone: bool) -> list[str]:
    """One cell: lit where nobody wants to move, hatched where somebody never goes."""
    parts = [svg.box(x, y, wide, HIGH, LAMP_WASH if stable else FOG_1, LAMP_FILL if stable else "none")]
    if gone:
        parts.append(svg.hatch(x + 2, y + 2, wide - 4, HIGH - 4))
    middle, base, weight = x + wide / 2, y + HIGH / 2 + 4.5, 600 if stable else 400
    if len(payoffs) == 1:
        return [*parts, svg.text(middle, base, payoffs[0], INK_2 if gone else INK, SIZE, "middle", weight)]
    mine, theirs = payoffs
    return [
        *parts,
        svg.text(middle - 2, base, f"{mine},", INK_2 if gone else SEA, SIZE, "end", weight),
        svg.text(middle + 4, base, theirs, INK_2 if gone else EMBER, SIZE, "start", weight),
    ]


def _hint(gone: dict[tuple[int, int], tuple[int, Removed]], player: int, strategy: int) -> str:
    number, removed = gone[player, strategy]
    return f"{removed.label} is dominated by {removed.by}, round {number}"


def _key(form: NormalForm, stable: int, dominated: Elimination | None) -> tuple[Key, float]:
    """What lamp and hatching mean, where there are any, and where the table begins."""
    entries = [square(marked(form, stable > 1), LAMP_WASH, LAMP_FILL)] if stable else []
    if dominated is not None and dominated.rounds:
        entries.append(hatched("strictly dominated" if dominated.strict else "weakly dominated"))
    return key(entries, MARGIN, TOP + 10), TOP + 30 if entries else TOP


def _legend(lines: list[str], y: float) -> tuple[str, float, float]:
    """Lines below the table, cut where they are too long; their width, and where the picture ends."""
    said = [measure.clip(line, 900) for line in lines]
    body = "".join(svg.text(MARGIN, y + 18 + LEGEND * k, line, INK_3) for k, line in enumerate(said))
    width = 2 * MARGIN + max(map(measure.width_of, said), default=0.0)
    return body, width, y - GAP + MARGIN + LEGEND * len(said)


MARK = "*"
LONGEST = 160  # characters of a line of the legend


def _text(
    form: NormalForm,
    named: tuple[str, str],
    shown: list[list[str]],
    cells: Cells,
    stable: set[tuple[int, int]],
    legend: list[str],
    chances: list[list[str]] | None,
) -> str:
    """Aligned columns; a star marks pure equilibria. Chances stand behind the rows and below the columns."""
    first, second = map(label, form.sequence.players)
    # right-aligned, the marks in a column of their own, so that numbers stand under each other
    table = [[first, *(f"{name} " for name in shown[1])]]
    for j, name in enumerate(shown[0]):
        table.append(
            [name, *(", ".join(cell) + (MARK if (j, k) in stable else " ") for k, cell in enumerate(cells[j]))]
        )
    if chances:
        table = [[*row, said] for row, said in zip(table, ["", *chances[0]])]
        table.append(["", *(f"{said} " for said in chances[1])])
    gutter = max(len(row[0]) for row in table)
    lines = [": ".join(named), "", " " * (gutter + 2) + second, *words.aligned(table, "<>"), ""]
    lines += [f"{MARK} {marked(form, len(stable) > 1)}"] if stable else []
    return "\n".join([*lines, *(one_line(line, LONGEST) for line in legend)]).rstrip() + "\n"
