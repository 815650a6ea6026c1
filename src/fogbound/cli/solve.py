"""`fogbound solve`: a game, a solver, an answer with its bounds."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from fogbound import api
from fogbound._version import __version__
from fogbound.certificates.wording import EQUILIBRIUM
from fogbound.cli.console import counting_number, gap, make_parser, natural, positive, say, say_json, waited, whisper
from fogbound.cli.progress import following, shielded
from fogbound.core.errors import SpecError, many
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.registry import parameters, suggestion
from fogbound.core.spec import Spec, parse
from fogbound.driver.clock import Clock
from fogbound.driver.limits import CHECK_RULE, TIME_RULE, Limits, preparing
from fogbound.driver.report import GUARANTEE, SEARCH
from fogbound.driver.solution import FLOORS, LOCKS, Solution, gap_words, range_words
from fogbound.driver.solver import Criterion
from fogbound.forms.protocol import Form, title
from fogbound.naming import games as naming
from fogbound.naming.solvers import is_own, solver_class
from fogbound.parallel.engine import processes
from fogbound.solvers.fitting import require_known

EXAMPLES = """\
  fogbound solve "card-poker(ranks=8)" --with sequence-lp -o nash.npz
  fogbound solve "card-poker(ranks=8)" --with belief-mdp --player dealer --against nash.npz --ties split
  fogbound solve tiger --with belief-mdp --gap 1e-3 --json
  fogbound solve "po-nim(n=3)" --with level-k --levels 5 -o levels.npz

A solver's parameters are flags too (see fogbound solvers), or go into its spec: --with "belief-mdp(ties=split)"."""
MOST_DRAWS = 12  # of a mediator, in sentences
TOLD = (
    "uncertified",
    "shown",
    "claimed",
    "value_is",
    "not_equilibrium",
    "interval",
    "possible",
)  # have own lines
MOST_LISTED = 20  # equilibria, likewise
MOST_SEATS = 4  # that fit beside each other
SURE = 1e-9  # what is missing to certainty, and means nothing


def main(words: list[str]) -> int:
    args, extra = _parser().parse_known_args(words)
    if args.output is not None and not args.output.endswith(".npz"):
        raise SpecError(f"-o {args.output}: solutions are .npz files")
    for path in filter(None, (args.output, args.checkpoint)):
        if not Path(path).absolute().parent.is_dir():  # found out now, not after hours
            raise SpecError(f"{path}: there is no folder {Path(path).parent}")
    clock = Clock(waited())  # loading the program, reading a model and choosing a solver count as well
    with following(args.game) as followed:
        limits = Limits(api.stop_rules(args.gap, args.seconds, args.iterations).seconds, clock, tell=followed.tell)
        with preparing(limits, "the game was being read"):
            followed.tell("reading")
            game = naming.problem(args.game)
            player = api.player_index(args.player, game)
            asked = _asked(args, game)
            solver, why = _solver(args.solver, extra, asked, bool(args.against), args.criterion)
        if why:
            whisper(f"fogbound: using {solver.name}: {why} (another with --with, see fogbound solvers)")
        followed.title, followed.solver = f"{title(game)}  {solver.name}", solver.name
        solution = api.solve(
            game,
            solver,
            player=player,
            against=args.against or None,
            locks=args.locks or None,
            floors=args.floors or None,
            watch=followed.watch,
            tell=followed.tell,
            engine=processes(args.workers),
            clock=clock,
            **args.taken("criterion", "gap", "seconds", "iterations", "seed", "limit"),
            **args.taken("checkpoint", "resume", "start", "certify"),
        )
    with shielded():  # an answer that is there is not lost to an impatient Ctrl-C
        if args.json:
            say_json(as_json(solution))
        else:
            say(in_sentences(solution, game))
        if args.output:  # after the answer, which must not be lost with the disk
            solution.save(args.output)
    if args.output and not args.json:
        check = f'   check it: fogbound verify "{args.game}" {args.output}' if solution.certificate else ""
        say(f"saved    {args.output}{check}")
    return {"interrupted": 130, "terminated": 143}.get(solution.stopped, 0)


def _parser() -> Any:
    parser = make_parser("solve", "Solve a game and report the answer with its bounds.", EXAMPLES)
    parser.add_argument("game", metavar="GAME", help='a spec such as "po-nim(n=3)", or my_game.py:MyGame')
    parser.add_argument("--with", dest="solver", metavar="SOLVER", help="a solver's name or spec (fogbound solvers)")
    parser.add_argument(
        "--player", default="0", metavar="PLAYER", help="whose value and bounds, by name or number (default 0)"
    )
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="POLICY",
        help="how the others play: one for all of them, or repeat it for each in player order (level-k: how level 0 "
        "plays)",
    )
    locks = 'PLAYER: INFORMATION SET: ACTION=P, ACTION=P", or a .csv or .json as show --format writes it; repeatable'
    parser.add_argument(
        *("--lock", "--locks"),
        dest="locks",
        action="append",
        default=[],
        metavar="LOCK",
        help=f'probabilities that a player must play: "{locks}; the answer is of the game with these locks',
    )
    parser.add_argument(
        *("--floor", "--floors"),
        dest="floors",
        action="append",
        default=[],
        metavar="LOCK",
        help="least probabilities that a player must play, given in the same way",
    )
    parser.add_argument(
        "--criterion",
        choices=get_args(Criterion),
        help="what the answer is best by: the game's own discounted sum of rewards (default), or the average reward a "
        "step",
    )
    parser.add_argument(
        "--gap",
        type=gap,
        metavar="G",
        help="stop when the bounds are this close, or so close beside the answer: 1%% (where no limit is given: 0.1%% "
        "or 60 seconds, whichever is first)",
    )
    parser.add_argument(
        "--seconds",
        type=positive,
        metavar="S",
        help=f"stop after S seconds, or inf for as long as the solver takes: {TIME_RULE}",
    )
    parser.add_argument("--iterations", type=counting_number, metavar="N", help="stop after so many steps")
    parser.add_argument(
        "--certify",
        action=argparse.BooleanOptionalAction,
        help=f"let the independent checker confirm the bounds ({CHECK_RULE}), or not at all",
    )
    parser.add_argument("--seed", type=natural, default=0, metavar="K", help="same seed, same result (default 0)")
    parser.add_argument("--limit", type=counting_number, metavar="N", help="let the form have up to N nodes or beliefs")
    parser.add_argument(
        "--workers", type=counting_number, default=1, metavar="W", help="compute in W processes where that can be done"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="save the solution (.npz)")
    parser.add_argument("--checkpoint", metavar="FILE", help="keep the state of the run in FILE, rewritten as it goes")
    parser.add_argument("--resume", metavar="FILE", help="go on from a checkpoint, to the same result")
    parser.add_argument(
        "--start",
        metavar="FILE",
        help="begin from a saved solution, or another POLICY, with a solver that can (fogbound solvers says which): it "
        "is evaluated anew, and nothing that it says is believed",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of sentences")
    return parser


def _asked(args: Any, game: AnyGame | Form) -> AnyGame | Form:
    """What a solver is chosen for: the game, or its tree with locks."""
    if args.solver is not None or not (args.locks or args.floors):
        return game
    from fogbound.files.locks import Locks

    return Locks.given(game, args.locks, args.floors).applied(game, args.limit)


def _solver(
    text: str | None, extra: list[str], game: AnyGame | Form, against: bool, criterion: Criterion | None
) -> tuple[Any, str]:
    """The solver, with the flags that are its own parameters; chosen by the question, and why, when not named."""
    why = ""
    if text is None:
        text, why = api.choose_solver(game, against, criterion or "discounted")
    spec = parse(text)
    if not is_own(spec.name):
        require_known(spec.name, game)
    own = [p.name for p in parameters(solver_class(spec.name))]
    spec = spec.named(own)
    known = {name.replace("_", "-"): name for name in own}
    given = dict(spec.parameters)
    words = [part for word in extra for part in (word.split("=", 1) if word.startswith("--") else [word])]
    while words:
        flag = words.pop(0)
        name = flag.removeprefix("--")
        if not flag.startswith("--") or name not in known:
            has = ", ".join(f"--{k}" for k in known) or "none"
            near = suggestion(name, known) if flag.startswith("--") else ""
            raise SpecError(
                f"found {flag!r}, which neither solve nor {spec.name} knows{near}; {spec.name}'s own: {has}"
            )
        if not words:
            raise SpecError(f"{flag} needs a value")
        given[known[name]] = parse(f"x(v={words.pop(0)})").parameters[0][1]
    return api.solver(Spec(spec.name, tuple(given.items()))), why


def as_json(solution: Solution) -> dict[str, Any]:
    """What `--json` prints."""
    provenance = solution.provenance
    return {
        "game": provenance["game"],
        "form": provenance["form"],
        "solver": provenance["solver"],
        "player": solution.player,
        "value": solution.value,
        "answer": solution.answer,
        "lower": solution.lower,
        "upper": solution.upper,
        "gap": solution.gap,
        "exploitability": solution.exploitability,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "stopped": solution.stopped,
        "until": provenance["until"],
        "seed": provenance["seed"],
        "version": __version__,
        "certified": solution.certified,
        "claimed": list(solution.claimed),
        "value_is": solution.value_is,
        "not_equilibrium": solution.not_equilibrium or None,
        "details": solution.details,
        **{name: provenance[name] for name in (LOCKS, FLOORS) if name in provenance},
    }


def in_sentences(solution: Solution, game: AnyGame | Form) -> str:
    """The answer for people."""
    name = game.players[solution.player]
    shown = {key: value for key, value in solution.details.items() if key not in TOLD}
    facts = ", ".join(f"{key} {_fact(value)}" for key, value in shown.items() if _short(value))
    trust = api.trust(solution, "save with -o and run fogbound verify, or solve with --certify")
    bounds = _bounds(solution)
    least = "at least " if solution.value_is == GUARANTEE else ""
    searched = " by the search's simulations: what its policy earns is not evaluated" * (solution.value_is == SEARCH)
    whose = "" if math.isnan(solution.value) else f" for {name}{_of_equilibrium(solution, game)}{searched}"
    lines = [
        f"{title(game)}   {solution.provenance['problem']}   {solution.provenance['solver']}",
        f"value    {least}{solution.value_text(10)}{whose}",
        bounds,
        f"         {trust}",
        *([f"         {solution.not_equilibrium}"] if solution.not_equilibrium else []),
        *_locked(solution, game),
        *([f"shown    {solution.details['shown']}"] if "shown" in solution.details else []),
        *_drawn(solution),
        *_equilibria(solution, game),
        *_maxmin(solution, name),
        f"stopped  {api.why_stopped(solution, '--gap, --seconds')} after {many(solution.iterations, 'step')}, "
        f"{solution.seconds:.3g} s",
        *([f"details  {facts}"] if facts else []),
        *_levels_table(solution.details.get("levels"), game.players),
    ]
    return "\n".join(lines)


def _locked(solution: Solution, game: AnyGame | Form) -> list[str]:
    """The locks that the answer keeps, and what deviating could bring if nobody had to."""
    if (free := solution.details.get("unlocked")) is None:
        return []
    from fogbound.files.locks import Locks

    clauses = Locks.stored(solution.provenance, game).words
    more = [f"and {len(clauses) - MOST_LISTED:,} more"] if len(clauses) > MOST_LISTED else []
    listed = [f"{'locks' if k == 0 else '':<9}{one}" for k, one in enumerate([*clauses[:MOST_LISTED], *more])]
    gains = ", ".join(f"{name} {number(gain, 4)}" for name, gain in zip(game.players, free["regrets"]))
    return [
        *listed,
        f"         value and bounds are of the game with {'this lock' if len(clauses) == 1 else 'these locks'}",
        f"unlocked exploitability {number(free['exploitability'], 4)}: without locks deviating would gain {gains}",
    ]


def _equilibria(solution: Solution, game: AnyGame | Form) -> list[str]:
    """All that were found, where a solver looks for all: what each player does, and what that pays."""
    found = solution.details.get("list") or []
    lines = []
    for k, one in enumerate(found[:MOST_LISTED], 1):
        mixed = [" ".join(_weighed(name, p) for name, p in part.items()) for part in one["strategies"]]
        plays = "; ".join(f"{player}: {part}" for player, part in zip(game.players, mixed))
        pays = ", ".join(number(value, 6) for value in one["payoffs"])
        lines.append(f"{'found' if k == 1 else '':<9}{k}  {plays}   pays {pays}")
    if len(found) > MOST_LISTED:
        lines.append(f"         and {len(found) - MOST_LISTED:,} more (--json has all)")
    return [*lines, *(f"         {line}" for line in _legend(found[:MOST_LISTED], game))]


def _legend(found: list[dict[str, Any]], game: AnyGame | Form) -> list[str]:
    """What letters and numbers of strategies mean, where they are called by those: several choices are no word."""
    if not found:
        return []
    from fogbound.draw.matrix.payoffs import strategy_meanings
    from fogbound.evaluation.dominance import strategy_names
    from fogbound.forms.normal import NormalForm
    from fogbound.forms.protocol import derive

    form = derive(game, NormalForm)
    used = [{name for one in found for name in one["strategies"][i]} for i in range(len(form.players))]
    return strategy_meanings(form, strategy_names(form), str, MOST_LISTED, used)


def _weighed(name: str, p: float) -> str:
    return name if p > 1 - SURE else f"{name} {number(p, 4)}"


def _bounds(solution: Solution) -> str:
    """The bounds by the words that are true of them; of a profile, what deviating can bring."""
    if math.isinf(solution.lower) and math.isinf(solution.upper):
        return f"bounds   {range_words(solution.lower, solution.upper, solution.possible)}"
    if solution.answer == EQUILIBRIUM:
        return f"regret   nobody gains more than {number(solution.gap, 3)} by deviating alone"
    (low, high), exploited = solution.words, solution.exploitability
    named = ((low, solution.lower), (high, solution.upper))
    known = ", ".join(f"{what} {number(bound, 12)}" for what, bound in named if math.isfinite(bound))
    more = "" if exploited is None or math.isinf(exploited) else f", exploitability {number(exploited, 3)}"
    return f"bounds   {known}{gap_words(solution.gap)}{more}"


def _of_equilibrium(solution: Solution, game: AnyGame | Form) -> str:
    """What the others have in the same profile, since it is no value of the game."""
    values = solution.details.get("values")
    if solution.answer != EQUILIBRIUM or not values:
        return ""
    others = [f"{number(v, 6)} for {game.players[i]}" for i, v in enumerate(values) if i != solution.player]
    return " in this profile, " + ", ".join(others)


def _drawn(solution: Solution) -> list[str]:
    """What a mediator recommends, the likeliest draws first."""
    listed = solution.details.get("recommended") or []
    lines = [f"{p['probability']:>8.4f}  {' | '.join(p['strategies'])}" for p in listed[:MOST_DRAWS]]
    return lines + ([f"          … {len(listed) - MOST_DRAWS:,} more (see --json)"] if len(listed) > MOST_DRAWS else [])


def _maxmin(solution: Solution, name: str) -> list[str]:
    """What the player can have whatever the others do, where that is known."""
    known = solution.details.get("maxmin")
    if not known:
        return []
    sure = ", certified" if known["certified"] else ""
    return [f"maxmin   {name} can guarantee itself {number(known['value'], 6)} against {known['against']}{sure}"]


def _short(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return 0 < len(value) <= 4 and not any(isinstance(part, dict) for part in value)
    return isinstance(value, int | float | str)


def _fact(value: Any) -> str:
    """One figure of a solver's own, in a few characters."""
    if isinstance(value, list | tuple):
        return "(" + ", ".join(map(_fact, value)) + ")"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return number(value, 6) if isinstance(value, float) else str(value)


def _levels_table(levels: Sequence[dict[str, Any]] | None, players: Sequence[str]) -> list[str]:
    """Value and controller of every level and player; nothing where there are no levels."""
    if not levels:
        return []
    shown = list(players)[:MOST_SEATS]
    lines = [
        "levels   " + "".join(f"{name:>28}" for name in shown),
        "         " + "        value   nodes  kind" * len(shown),
    ]
    for level in sorted({rung["level"] for rung in levels}):
        by_player = {rung["player"]: rung for rung in levels if rung["level"] == level}
        lines.append(f"{level:>6}   " + "".join(_cell(by_player[i]) for i in range(len(shown))))
    if any(not rung["converged"] for rung in levels):
        lines.append("         * not settled: what is shown is earned, the bound above is in --json")
    return lines


def _cell(rung: dict[str, Any]) -> str:
    mark = " " if rung["converged"] else "*"
    return f"{number(rung['value'], 9):>13}{mark}{rung['nodes']:>7,}{rung['kind']:>6}" + " "
