"""Document 004: POMCP in a public game tree, for King Up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import fogbound as fb
from fogbound.games.king_up.game import KingUp
from fogbound_papers.claim import UNSTATED, Claim, compare_figure
from fogbound_papers.d004 import TITLE, convergence, formulas, public_states, tournaments
from fogbound_papers.reproduction import ResultTable, write_page

QUICK_GAMES, FULL_GAMES = 60, 1_000
UNTRIED = "nobody has, here or there"
FUTURE = "the document leaves it to the future"


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """What the document states, or leaves to be worked out."""
    return (result for result in results(folder) if isinstance(result, Claim))


def results(
    folder: Path | None = None,
    full: bool = False,
    watch: Callable[[str], None] = lambda _: None,
    tables: bool = True,  # noqa: ARG001
) -> Iterator[Claim | ResultTable]:
    """Claims and tables as they are found; `full` plays as many games a row as the document did."""
    yield from _scale()
    exact = public_states.exact_figures(KingUp())
    yield from _exactly(exact)
    games = public_states.FULL_GAMES if full else public_states.QUICK_GAMES
    yield from public_states.share_claims(public_states.share_gained(KingUp(), exact, games, watch=watch))
    yield from convergence.claims()
    yield from formulas.generalisation_claims()
    yield from formulas.claims()
    exploited = convergence.exploited_rows(full, watch)
    yield from convergence.soundness_claims(exploited)
    if folder is not None:
        convergence.draw_all(folder, exploited)
    played = tournaments.tournament_rows(FULL_GAMES if full else QUICK_GAMES, watch)
    yield from tournaments.claims(played)
    printed = tournaments.tournament_tables(played)
    yield from printed
    if folder is not None:
        write_page(folder, TITLE, "Printed figures and ours.", printed)
    yield Claim(
        "a model could be learnt instead of given", "section 5.4", "future work", UNTRIED, "cannot be checked", FUTURE
    )
    yield Claim("it converges in theory", "section 5.4", "future work", UNTRIED, "cannot be checked",
                f"{FUTURE}; in biased rock-paper-scissors, as published, it does not")  # fmt: skip


def _scale() -> Iterator[Claim]:
    """Section 4.1: what can be scored."""
    game = KingUp()
    best = (game.height - 1) * (game.targets - 1) + game.top
    yield compare_figure(
        "the best score of the small setting is", "section 4.1", 22.0, best, "table 4.1's formula", 0.0
    )
    full = fb.game("king-up(setting=full, height=7, top=20)")
    assert isinstance(full, KingUp)
    most = (full.height - 1) * (full.targets - 1) + full.top
    words = "height 7, six targets, a throne of 20"
    yield compare_figure("the best score of the real game is", "section 4.1", 50.0, most, words, 0.0)


def _exactly(found: public_states.ExactFigures) -> Iterator[Claim]:
    """What nobody has said of the small setting."""
    states, replies = found.told_apart.total, " / ".join(f"{points:.6f}" for points in found.replies)
    swept = "an exact sweep over all public states"
    yield Claim("public states of the small setting", UNSTATED, UNSTATED, f"{states:,}", "not stated", swept)
    yield Claim("random play scores, in every seat", UNSTATED, UNSTATED, f"{found.random[0]:.6f}", "not stated",
                f"{swept}: no seat has an advantage in points")  # fmt: skip
    yield Claim("the best reply to two random players scores", UNSTATED, UNSTATED, replies, "not stated",
                "in seats 1 / 2 / 3; random players reveal nothing, so what is hidden does not matter")  # fmt: skip
