"""The questions that this version answers, on the documents' games, with the published figure beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fogbound as fb
from fogbound import draw, evaluation, forms
from fogbound.core.game import AnyGame
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.driver.solve import run_solver
from fogbound.policies import Tabular, Uniform
from fogbound.solvers import make as solver
from fogbound.solvers.level_k.form import hierarchy
from fogbound_papers.claim import Claim, compare_figure, compare_solution, proof_words
from fogbound_papers.d000.games import figure_2, half_of_a_win
from fogbound_papers.d002.sizes import states_of_18
from fogbound_papers.d003.document import king_ace

CHANCE = "tiger", "rock-sample(size=4, rocks=4, half_distance=0.6931471805599453)"  # as in RockSample_4_4.pomdp
APPL = "APPL's SARSOP, 1e-3"
SECTION = "Oliehoek 2005, § 5"


def questions(pictures: Path | None = None) -> Iterator[tuple[str, list[Claim]]]:
    """Each question with its claims, as they are answered; pictures go into the folder, if one is named."""
    poker = fb.game("card-poker(ranks=8)")
    form = forms.sequence(poker)
    nash = run_solver(solver("sequence-lp"), form)
    yield "What is safe against anyone?", [*_safe(nash), *king_ace()]
    yield "What is best against this opponent?", list(_replies(poker, nash))
    tiger, rocks = (
        run_solver(solver("sarsop"), forms.pomdp(fb.game(spec)), RunOptions(Until(gap=1e-3))) for spec in CHANCE
    )
    yield "What is best when only chance opposes me?", [_tiger(tiger), _rocks(rocks)]
    yield "What is best against an opponent of unknown depth of thought?", list(_levels())
    yield "What can be guaranteed against one who sees everything?", list(_guarantees())
    if pictures is not None:
        _draw(pictures, form, nash, tiger)


def _safe(nash: Solution) -> Iterator[Claim]:
    yield compare_figure(
        "8-card poker is worth this to the dealer", SECTION, 0.0625, -nash.value, proof_words(nash), 5e-5
    )


def _replies(poker: AnyGame, nash: Solution) -> Iterator[Claim]:
    cases = [
        ("the gambler's best reply to a Nash dealer", 0, nash.profile[1], -0.0625),
        ("the dealer's best reply to a Nash gambler", 1, nash.profile[0], 0.0625),
        ("the gambler's best reply to uniform play (1/2)", 0, Uniform(), None),
        ("the dealer's best reply to uniform play (19/56)", 1, Uniform(), None),
    ]
    for statement, player, opponent, published in cases:
        solution = run_solver(
            solver("belief-mdp"), forms.belief_mdp(forms.pomdp(poker, player, {1 - player: opponent}))
        )
        yield compare_solution(statement, SECTION, published, solution, 5e-5)


def _levels() -> Iterator[Claim]:
    yield half_of_a_win()
    yield figure_2()
    nim = fb.game("po-nim(n=3)")
    top = run_solver(solver("level-k(levels=15)"), hierarchy(nim))
    yield compare_solution("level 15, going first, all lower levels equally likely", "Fig. 3", None, top)


def _guarantees() -> Iterator[Claim]:
    """Stage games by linear programs, since the compiled ones would take half a minute to compile on a new machine."""
    yield states_of_18(forms.one_sided(fb.game("scotland-yard(map=18)")))
    hunt = forms.one_sided(fb.game("pursuit(columns=3)"))
    solution = run_solver(solver("pg-hsvi(stage=oracle)"), hunt, RunOptions(Until(gap=1.0)))
    statement = "two pursuers who never see the evader, 3 x 3 cells"
    yield compare_solution(statement, "Horak et al. 2017", None, solution)


def _tiger(tiger: Solution) -> Claim:
    return compare_solution("the tiger problem, discount .95", APPL, (19.3711, 19.3721), tiger)


def _rocks(rocks: Solution) -> Claim:
    return compare_solution("rocks to sample, 4 x 4 with 4 rocks", APPL, (17.9245, 17.9248), rocks, 1e-5)


def _draw(folder: Path, form: forms.SequenceForm, nash: Solution, tiger: Solution) -> None:
    """The strategies and the controller as pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for player, name in enumerate(form.players):
        policy = Tabular(form.decisions, player, evaluation.behaviour(form, player, nash.profile[player]))
        draw.strategy(policy).save(folder / f"8-card-poker-{name}.svg")
    listener = tiger.profile[0].minimal()  # type: ignore[union-attr]
    held = evaluation.visitation(fb.game("tiger"), {0: listener})
    draw.controller(listener, visitation=held).save(folder / "tiger-controller.svg")
