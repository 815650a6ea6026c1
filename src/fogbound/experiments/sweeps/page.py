"""A sweep as one page, fit for a paper: curves and a table for each game, what failed, and what computed it."""

from __future__ import annotations

from collections.abc import Mapping

from fogbound.core.drawing import quoted
from fogbound.core.errors import many
from fogbound.draw.gaps import ITERATIONS, SECONDS
from fogbound.draw.page import whole_page
from fogbound.experiments.sweeps.result import SweepResult

HEADS = ("Solver", "Runs", "Value", "Gap", "95 % interval", "Steps", "Time")
MEANING = (
    "A line is the geometric mean of the gaps over runs with different seeds, its band Student's 95 % interval of that "
    "mean; a run that has ended keeps its last gap. Runs that do not depend on their seed have no band. Bands and "
    "intervals are statistics over seeds, not bounds. Gaps of curves are the solvers' own, the last of each is "
    "computed from its profile; where the two disagree, or where nothing confirms the last one, the curve is "
    "marked as claimed."
)


def page(sweep: SweepResult, command: str) -> str:
    """A whole HTML document."""
    plan = sweep.plan
    title = f"How the gap closes: {many(len(plan.games), 'game')}, {many(len(plan.solvers), 'solver')}"
    sentence = f"{many(len(sweep.rows), 'run')} of {len(plan):,}, {many(len(plan.seeds), 'seed')} each. {MEANING}"
    return whole_page(title, sentence, f"{sections(sweep)}{_computed_by(sweep)}", command)


def sections(sweep: SweepResult) -> str:
    """A fragment: every game with its curves and its table, then what failed."""
    games = "".join(_section(sweep, game) for game in sweep.plan.games if sweep.of_game(game))
    faults = "".join(
        f"<li>{quoted(f'{row.game}, {row.solver}, {row.until}, seed {row.seed}: {row.failed}')}</li>"
        for row in sweep.failed
    )
    return games + (
        f'<section><div class="head"><h2>What failed</h2></div><ul>{faults}</ul></section>' if faults else ""
    )


def _section(sweep: SweepResult, game: str) -> str:
    kinds = [SECONDS, ITERATIONS] if sweep.plan.times else [ITERATIONS]
    solved = any(group.solved for group in sweep.of_game(game))
    pictures = "".join(
        f'<figure tabindex="0"><div class="scroll">{sweep.picture(game, over, None).svg}</div>'
        f"<figcaption>{quoted(game)}: the gap over {over}</figcaption></figure>"
        for over in kinds
        if solved
    )
    heads = "".join(f"<th{'' if k == 0 else ' class=r'}>{words}</th>" for k, words in enumerate(HEADS))
    rows = "".join(
        "<tr>" + "".join(f"<td{'' if k == 0 else ' class=r'}>{quoted(c)}</td>" for k, c in enumerate(cells)) + "</tr>"
        for cells in map(sweep.cells, sweep.of_game(game))
    )
    return (
        f'<section><div class="head"><h2>{quoted(game)}</h2></div>{pictures}'
        f'<div class="card scroll" tabindex="0"><table class="list"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div></section>\n"
    )


def _computed_by(sweep: SweepResult) -> str:
    """The versions that computed it; all of them, where they differ."""
    found: list[Mapping[str, str]] = []
    for row in sweep.rows:
        if row.versions not in found:
            found.append(row.versions)
    listed = "".join(f"<li>{quoted(', '.join(f'{k} {v}' for k, v in each.items()))}</li>" for each in found)
    seeds = ", ".join(map(str, sweep.plan.seeds))
    return (
        f'<section><div class="head"><h2>What computed it</h2></div><ul>{listed}</ul>'
        f'<p class="say">Seeds {quoted(seeds)}; limits {quoted("; ".join(sweep.plan.stops))}.</p></section>\n'
    )
