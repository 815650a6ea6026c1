"""What the picture and the text of a matrix game share: numbers, titles, and what the short names mean."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fogbound.core.errors import FormError
from fogbound.draw import svg, words
from fogbound.draw.words import Describe
from fogbound.evaluate.names import Names, choices
from fogbound.forms.normal import NormalForm

LONGEST_NUMERATOR = 99


def require_two(form: NormalForm) -> None:
    """Tables have rows and columns, and no third side."""
    if len(form.weights) != 2:
        raise FormError(f"{form.spec}: {len(form.weights)} players, expected 2 for a table of rows and columns")


def fraction(value: float) -> str:
    """A payoff as the short fraction that it is, else with four digits."""
    ratio = Fraction(value).limit_denominator(svg.LARGEST_DENOMINATOR)
    if abs(float(ratio) - value) < svg.EXACT and (ratio.denominator == 1 or abs(ratio.numerator) <= LONGEST_NUMERATOR):
        return svg.number(float(ratio), 9) if ratio.denominator == 1 else str(ratio).replace("-", "−")
    return svg.number(value)


def cell(form: NormalForm, row: int, column: int) -> tuple[str, ...]:
    """The payoffs to be written: the row player's alone where the other's follow from them."""
    pay = [fraction(v) for v in form.payoff[row, column].tolist()]
    return tuple(pay[:1] if form.constant_sum is not None else pay)


def titles(form: NormalForm) -> tuple[str, str]:
    """The two lines at the top."""
    rows, columns = (len(w) for w in form.weights)
    first, second = map(words.label, form.sequence.tree.players)
    total = form.constant_sum
    if total is None:
        paid = f"what {first} gets, then what {second} gets"
    else:
        paid = f"what {first} gets; {second} gets " + (f"the rest of {fraction(total)}" if total else "the opposite")
    return f"{form.spec}: {rows:,} × {columns:,} pure strategies", paid


def marked(form: NormalForm, many: bool) -> str:
    """What a lamp on a cell means."""
    if form.constant_sum is None:
        return "pure equilibria" if many else "pure equilibrium"
    return "saddle points" if many else "saddle point"


def missing(form: NormalForm, shown: Sequence[Sequence[str]]) -> list[str]:
    """How many rows and columns are not shown, in a line."""
    counts = [len(w) - len(part) for w, part in zip(form.weights, shown)]
    said = [f"{count:,} more {word}" for count, word in zip(counts, ("rows", "columns")) if count]
    return [f"… {' and '.join(said)}"] if said else []


def meanings(form: NormalForm, names: Names, describe: Describe, most: int) -> list[str]:
    """The legend: which letter is which move and which place which knowledge, or each numbered strategy in words."""
    spelled = [told for i, told in enumerate(names.letters) if told and choices(form, i)]
    said = {letter: words.action(describe, move) for told in spelled for move, letter in told.items()}
    lines = []
    if any(word != letter for letter, word in said.items()):
        lines.append("letters: " + ", ".join(f"{letter} {word}" for letter, word in said.items()))
    tree = form.sequence.tree
    for i, told in enumerate(names.letters):
        name = words.label(tree.players[i])
        known = [tree.history(i, int(tree.set_memory[h])) for h in choices(form, i)]
        knows = {history: words.knowledge(describe, history) for history in known}
        if told is None:
            for label, strategy in list(zip(names.strategies[i], form.strategies[i]))[:most]:
                does = [f"{knows[h]}: {words.action(describe, a)}" for h, a in strategy.items() if h in knows]
                lines.append(f"{name} {label}: " + "; ".join(does))
        elif len(knows) > 1:
            lines.append(f"{name}, letter by letter: " + ", ".join(knows.values()))
    return lines
