"""`fogbound verify`: what does a saved solution's certificate prove?

The form is derived afresh from the game; everything else is read and judged by the independent checker.
"""

from __future__ import annotations

import time
from typing import Any

from fogbound import files, verify
from fogbound.archive import canonical
from fogbound.certify.certificate import UNCHECKED_SLACK, by_player
from fogbound.cli import naming
from fogbound.cli.console import make_parser, number, say, say_json
from fogbound.cli.forms import build_form
from fogbound.cli.progress import working
from fogbound.core.errors import FileError
from fogbound.core.game import AnyGame
from fogbound.driver.solve import Solution, Until, solve
from fogbound.policies import StoredVectors
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.solvers import SOLVERS

# What `fogbound verify` adds for ladders of levels: the policies that will be played, and a line for each level.


def other_policies(stored: Solution, game: AnyGame, arrays: Any) -> bool:
    """Whether the file would play something else than what its certificate speaks of."""
    from fogbound.core.policy import kinds
    from fogbound.forms import table
    from fogbound.policies import equivalent
    from fogbound.solvers.level_k.fsc import certified_policies

    claimed = certified_policies(table(game), arrays)
    top = max(level for level, _ in claimed)
    if not equivalent(stored.profile[stored.player], claimed[top, stored.player]):
        return True
    other = 1 - stored.player
    weights = arrays["prior"][top - 1].tolist()
    believed = [claimed[level, other] for level, weight in enumerate(weights) if weight > 0]
    listed = [policy for policy, _ in kinds(stored.profile[other])]
    return len(listed) != len(believed) or not all(map(equivalent, listed, believed))


def other_figures(stored: Solution, report: verify.Report, arrays: Any) -> str | None:
    """Whether the file names another prior, or other values of levels, than its certificate speaks of."""
    from fogbound.solvers import SOLVERS
    from fogbound.solvers.level_k.priors import weights

    named: Any = SOLVERS.make(str(stored.provenance["solver"]))
    for level, row in enumerate(arrays["prior"].tolist(), 1):
        if any(abs(a - b) > 1e-12 for a, b in zip(weights(named.prior, named.tau, level), row)):
            return f"the file names the prior {named.prior}, its certificate has {row[:level]} at level {level}"
    proven = {(level, player): (lower, upper) for level, player, lower, upper in report.levels}
    for rung in stored.details.get("levels", []):
        lower, upper = proven.get((rung["level"], rung["player"]), (rung["value"], rung["value"]))
        slack = 1e-9 * max(1.0, abs(lower))
        if not lower - slack <= rung["value"] <= upper + slack:
            return f"the file reports {rung['value']!r} for level {rung['level']}, certified are {lower!r} to {upper!r}"
    return None


def tell_levels(report: verify.Report, players: tuple[str, ...]) -> None:
    """Every level's certified interval."""
    for level, player, lower, upper in report.levels:
        width = abs(upper - lower)
        say(
            f"          level {level:>2} of {players[player]:<10} [{number(lower, 12)}, {number(upper, 12)}] "
            f"{width:.1e}"
        )


def main(words: list[str]) -> int:
    parser = make_parser(
        "verify",
        "Check a saved solution's certificate against the game, in exact arithmetic. Exit code 0: the certified "
        "interval; 1: the first refuted claim.",
        '  fogbound verify "card-poker(ranks=8)" nash.npz',
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("file", metavar="FILE", help="a solution saved with fogbound solve -o FILE")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    args = parser.parse_args(words)
    game = naming.game(args.game)
    began = time.monotonic()
    sampled = files.load(args.file)
    if sampled.certificate is None and "statistical" in sampled.details:
        return _replay(sampled, game, args.json)
    try:
        arrays = verify.read_npz(args.file)
        header = verify.read_header(arrays)
        claim = header.get("certificate")
        if not isinstance(claim, dict):
            raise FileError(f"{args.file}: holds no certificate to check")
        evidence = {k.removeprefix("certificate/"): v for k, v in arrays.items() if k.startswith("certificate/")}
        with working(f"checking {args.file}"):
            stored = files.load(args.file)
            report = verify.check(claim, _form(game, str(claim.get("kind")), stored), evidence)
            mismatch = report.refuted or _figures(stored, report) or _policies(stored, game, report)
    except verify.Refused as refusal:
        raise FileError(f"{args.file}: {refusal}") from refusal
    seconds = time.monotonic() - began
    if args.json:
        say_json({"game": str(game), **vars(report), "refuted": mismatch, "seconds": seconds})
    elif mismatch:
        say(f"refuted   {mismatch}")
    else:
        _tell(report, game.players, seconds)
    return 1 if mismatch else 0


def _replay(stored: Solution, game: Any, as_json: bool) -> int:
    """An answer from samples proves nothing, but it can be had again: the same recipe must give the same mean."""
    provenance = stored.provenance
    solver = SOLVERS.make(str(provenance["solver"]))
    form = build_form(solver, game, stored.player, {})
    with working("replaying the samples"):
        again = solve(solver, form, Until(iterations=stored.iterations), int(provenance["seed"]), certified=False)
    same = (again.value, again.provenance["form_sha256"]) == (stored.value, provenance["form_sha256"])
    if as_json:
        say_json(
            {"game": str(game), "kind": "statistical", "value": again.value, "reported": stored.value, "same": same}
        )
    elif same:
        say(f"replayed  the same {number(again.value, 12)}; statistical, with no bounds to certify")
        say(f"          {stored.details['statistical']}: {stored.details.get('interval')}")
    else:
        say(f"refuted   the file reports {stored.value!r}, its recipe gives {again.value!r}")
    return 0 if same else 1


def _figures(stored: Solution, report: verify.Report) -> str | None:
    """Whether the file reports more than its certificate proves."""
    proven_upper = report.upper if report.kind != "chain-profile" else stored.upper
    slack = UNCHECKED_SLACK * max(1.0, abs(report.lower), abs(report.upper))
    if stored.lower > report.lower + slack or stored.upper < proven_upper - slack:
        return (
            f"the file reports {stored.lower!r} to {stored.upper!r}, certified are {report.lower!r} to {report.upper!r}"
        )
    if not stored.lower - slack <= stored.value <= stored.upper + slack:
        return f"the file reports the value {stored.value!r} outside its own bounds"
    return None


def _policies(stored: Solution, game: Any, report: verify.Report) -> str | None:
    """Whether the policies in the file are those that the certificate speaks of: what will be played."""
    from fogbound import evaluate, forms

    claimed = stored.certificate
    if claimed is None:
        return None
    if report.player not in stored.profile:
        return f"the certificate speaks of player {report.player}, for which the file has no policy"
    if report.kind == "pomdp":
        form = _process(game, stored)
        names = ("node_action", "begin", "arrow")
        mine = stored.profile[report.player]
        if isinstance(mine, StoredVectors):
            return _beyond(mine.on(form), report)
        followed = PolicyGraph(form, *(claimed.evidence[name] for name in names)).controller()
        apart = not _alike(stored.profile[report.player], followed)
    elif report.kind == "one-sided":
        apart = not _promised(stored, game, report)
    elif report.kind == "level-k":
        wrong = other_figures(stored, report, claimed.evidence)
        if wrong:
            return wrong
        apart = other_policies(stored, game, claimed.evidence)
    elif report.kind == "chain-profile":
        worth = evaluate.value(game, stored.profile)[report.player]
        slack = 1e-6 * max(1.0, abs(worth))
        apart = not report.lower - slack <= worth <= report.upper + slack
    else:
        form = forms.sequence(game)
        ours = evaluate.behaviours(form, stored.profile)
        theirs = by_player(form, claimed.evidence["strategy"])
        # where a player never comes by its own play it does not matter what it would do
        pairs = zip(form.plexes, ours, theirs)
        apart = any(bool((abs(plex.weights(a) - plex.weights(b)) > 1e-9).any()) for plex, a, b in pairs)
    return "the policies stored in the file are not those of its certificate" if apart else None


def _beyond(policy: Any, report: verify.Report) -> str | None:
    """Whether vectors promise something else at the start than what is certified; what comes later is not checked."""
    from fogbound.forms import bayes_filter as bayes

    form, promised = policy.pomdp, float(policy.pomdp.reward[0])
    chances = {z: float(form.prob[: form.out[1]][form.obs[: form.out[1]] == z].sum()) for z in bayes.begin(form)}
    for z, belief in bayes.begin(form).items():
        if form.observations[z][1] < 0:
            return None  # the first step is not ours: nothing is promised yet
        promised += chances[z] * float((policy.vectors[:, belief.states] @ belief.weights).max())
    slack = 1e-3 * max(1.0, report.upper - report.lower, abs(report.lower)) + report.upper - report.lower
    if report.lower - slack <= promised <= report.upper + slack:
        return None
    return (
        f"the vectors in the file promise {promised!r} at the start, certified are {report.lower!r} to {report.upper!r}"
    )


def _alike(one: Any, two: Any) -> bool:
    """Whether two controllers are the same, node by node."""
    parts = ("first", "arrows", "choices")
    return all(getattr(one, part, None) == getattr(two, part) for part in parts)


def _promised(stored: Solution, game: Any, report: verify.Report) -> bool:
    """Whether the vectors in the file promise what is certified; what they promise later is not checked."""
    from fogbound.forms import one_sided
    from fogbound.policies.stored_bounds import StoredBounds
    from fogbound.solvers.one_sided.play import profile as loose

    mine = stored.profile[report.player]
    if not isinstance(mine, StoredBounds):
        return False
    lower, _ = loose.restored_bounds(mine, one_sided(game, report.player)).bounds()
    return lower >= report.lower - 1e-6 * max(1.0, abs(report.lower))


def _process(game: Any, stored: Solution) -> Any:
    """The POMDP of the solution's player against the stored others."""
    from fogbound import forms

    rest = {player: policy for player, policy in stored.profile.items() if player != stored.player}
    return forms.pomdp(game, stored.player, rest)


def _form(game: Any, kind: str, stored: Solution) -> dict[str, verify.Array]:
    """The form that a certificate of this kind speaks about, derived afresh from the game."""
    from fogbound import forms

    if kind == "pomdp":
        form: Any = _process(game, stored)
    else:
        if kind == "one-sided":
            form = forms.one_sided(game, stored.player)
        else:
            form = forms.table(game) if kind in ("chain-profile", "level-k") else forms.tree(game)
    plain = {name: canonical(array) for name, array in form.arrays().items()}
    return {name: verify.Array(a.dtype.str, a.shape, a.tobytes()) for name, a in plain.items()}


def _tell(report: verify.Report, players: tuple[str, ...], seconds: float) -> None:
    name = players[report.player]
    meaning = {
        "zero-sum-tree": f"the value of the game for {name} lies in",
        "tree-profile": f"from what the strategy of {name} is worth to what any reply could be worth",
        "restricted-tree": f"what {name} can have against an opponent believed in part lies in",
        "chain-profile": f"what the policy of {name} is worth lies in",
        "one-sided": f"what {name} can guarantee against one who sees everything lies in",
        "level-k": f"from what the highest level of {name} earns to what no reply to its beliefs exceeds",
        "pomdp": f"from what the controller of {name} earns to what no policy exceeds",
    }[report.kind]
    say(f"certified {meaning}")
    width = abs(report.upper - report.lower)  # never -0
    say(f"          [{number(report.lower, 17)}, {number(report.upper, 17)}]   width {width:.3g}")
    tell_levels(report, players)
    if report.regret is not None:
        say(f"          no player can gain more than {number(report.regret, 6)} by deviating")
    say(f"          {report.kind}, exact arithmetic, {seconds:.2f} s")
