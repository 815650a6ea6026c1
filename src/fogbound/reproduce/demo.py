"""The questions that this version answers, on the documents' games, with the published figure beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from fogbound import archive, draw, evaluate, forms, games
from fogbound.core.game import AnyGame
from fogbound.policies import Tabular, Uniform
from fogbound.reproduce.claim import Claim, compare
from fogbound.solve import Solution, Until, solve
from fogbound.solvers import make as solver

SECTION = "Oliehoek 2005, § 5"
SLIDE = "003, King-Ace"
SLIDES_TABLE = {  # rows: the first player's move with ace, king; columns: the second's cc, cf, ff, fc
    "rr": (0, Fraction(-1, 6), 1, Fraction(7, 6)),
    "kr": (Fraction(-1, 3), Fraction(-1, 6), Fraction(5, 6), Fraction(2, 3)),
    "rk": (Fraction(1, 3), 0, Fraction(1, 6), Fraction(1, 2)),
    "kk": (0, 0, 0, 0),
}


def questions(pictures: Path | None = None) -> Iterator[tuple[str, list[Claim]]]:
    """Each question with its claims, as they are answered; pictures go into the folder, if one is named."""
    poker = games.make("card-poker(ranks=8)")
    form = forms.sequence(poker)
    nash = solve(solver("sequence-lp"), form)
    yield "What is safe against anyone?", [*_safe(nash), *_king_ace()]
    yield "What is best against this opponent?", list(_replies(poker, nash))
    found = solve(solver("belief-mdp"), forms.belief_mdp(forms.pomdp(games.make("tiger"))), Until(gap=1e-6))
    yield "What is best when only chance opposes me?", [_tiger(found)]
    if pictures is not None:
        _draw(pictures, form, nash, found)


def _proof(found: Solution) -> str:
    words = {"both": "both bounds certified", "lower": "the policy's worth certified", "none": "not certified"}
    return f"{words[found.certified]}, gap {found.gap:.1g}"


def _safe(nash: Solution) -> Iterator[Claim]:
    yield compare("8-card poker is worth this to the dealer", SECTION, 0.0625, -nash.value, _proof(nash), 5e-5)


def _king_ace() -> Iterator[Claim]:
    form = forms.normal(games.make("king-ace"))
    found = solve(solver("matrix-lp"), form)
    same = _as_table(form) == SLIDES_TABLE
    verdict = "reproduced" if same else "refuted"
    ours = "16 of 16 entries" if same else "another table"
    yield Claim("King-Ace as a 4 x 4 matrix", SLIDE, "the table", ours, verdict, "compared as fractions")
    yield compare("King-Ace is worth", SLIDE, None, found.value, _proof(found), 0)


def _as_table(form: forms.NormalForm) -> dict[str, tuple[Fraction, ...]]:
    """The matrix in the slide's order, each entry as the fraction it is."""
    letters = {"raise": "r", "check": "k", "call": "c", "fold": "f"}

    def places(player: int) -> dict[str, int]:
        names = {}
        for j, strategy in enumerate(form.strategies[player]):
            by_card = {history[0].private: letters[str(action)] for history, action in strategy.items()}
            names[by_card["A"] + by_card["K"]] = j
        return names

    rows, columns = places(0), places(1)
    return {
        row: tuple(
            Fraction(float(form.payoff[rows[row], columns[column], 0])).limit_denominator(100)
            for column in ("cc", "cf", "ff", "fc")
        )
        for row in ("rr", "kr", "rk", "kk")
    }


def _replies(poker: AnyGame, nash: Solution) -> Iterator[Claim]:
    cases = [
        ("the gambler's best reply to a Nash dealer", 0, nash.profile[1], -0.0625),
        ("the dealer's best reply to a Nash gambler", 1, nash.profile[0], 0.0625),
        ("the gambler's best reply to uniform play (1/2)", 0, Uniform(), None),
        ("the dealer's best reply to uniform play (19/56)", 1, Uniform(), None),
    ]
    for statement, me, opponent, published in cases:
        found = solve(solver("belief-mdp"), forms.belief_mdp(forms.pomdp(poker, me, {1 - me: opponent})))
        yield compare(statement, SECTION, published, found.value, _proof(found), 5e-5)


def _tiger(found: Solution) -> Claim:
    where = "APPL's SARSOP, 1e-3"
    return compare("the tiger problem, discount .95", where, (19.3711, 19.3721), found.value, _proof(found), 0)


def _draw(folder: Path, form: forms.SequenceForm, nash: Solution, tiger: Solution) -> None:
    """The strategies and the controller as pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for player, name in enumerate(form.tree.players):
        policy = Tabular(form.tree, player, evaluate.behaviour(form, player, nash.profile[player]))
        archive.write(folder / f"8-card-poker-{name}.svg", draw.plain(draw.strategy(policy)).encode())
    listener = tiger.profile[0].minimal()  # type: ignore[union-attr]
    archive.write(folder / "tiger-controller.svg", draw.plain(draw.controller(listener)).encode())
