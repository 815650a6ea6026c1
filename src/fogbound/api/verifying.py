"""`verify`: what does a solution's certificate prove, and is it about what the solution plays?

The form is derived afresh from the game; everything else is read and judged by the independent checker.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import fogbound.verify as checker
from fogbound import evaluate, files, forms
from fogbound.api.naming import GameLike, title
from fogbound.api.naming import game as as_game
from fogbound.api.solving import form_for
from fogbound.archive import canonical
from fogbound.certify.certificate import UNCHECKED_SLACK
from fogbound.certify.tree import by_player
from fogbound.core.errors import FileError, FogboundError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import kinds
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.driver.solve import solve
from fogbound.forms import bayes_filter as bayes
from fogbound.forms.protocol import FORMS, Form, Question, derive
from fogbound.policies import AlphaVectors, StoredVectors, equivalent
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.policies.stored_bounds import StoredBounds
from fogbound.solvers import SOLVERS

STATISTICAL = "statistical"  # the kind of an answer from samples, which proves nothing
ABOUT = {  # the form that each kind of certificate is about
    "zero-sum-tree": "tree",
    "tree-profile": "tree",
    "restricted-tree": "tree",
    "chain-profile": "table",
    "level-k": "table",
    "pomdp": "pomdp",
    "one-sided": "one-sided",
}


@dataclass(frozen=True)
class Verification:
    """What the independent checker says about a solution.

    Attributes
    ----------
    kind
        The kind of certificate; ``"statistical"`` for an answer from samples, which is only played again.
    player
        Whose value the interval is about.
    lower, upper
        The certified interval.
    refuted
        The first claim of the solution that does not hold, or None.
    regret
        What no player can gain more than by deviating, where the certificate is about a profile.
    levels
        (level, player, lower, upper) for each level, where it is about a hierarchy.
    """

    game: str
    players: tuple[str, ...]
    kind: str
    player: int
    lower: float
    upper: float
    refuted: str | None = None
    regret: float | None = None
    levels: tuple[tuple[int, int, float, float], ...] = ()

    @property
    def holds(self) -> bool:
        return self.refuted is None

    def __bool__(self) -> bool:
        return self.holds


def verify(solution: Solution | str | os.PathLike[str], game: GameLike | None = None) -> Verification:
    """Check a solution's certificate against the game, in exact arithmetic.

    Parameters
    ----------
    solution
        A solution, or the file that one was saved to.
    game
        Whatever `fogbound.game` takes; by default the game that the solution names.

    Returns
    -------
    Verification
        True where everything holds; `refuted` says what does not.

    Raises
    ------
    FileError
        The file is damaged, or holds no certificate.

    Examples
    --------
    >>> import fogbound as fb
    >>> proof = fb.verify(fb.solve("card-poker(ranks=3)", "sequence-lp"))
    >>> bool(proof), proof.lower <= -1 / 18 <= proof.upper
    (True, True)
    """
    stored, where = (_as_kept(solution), "the solution") if isinstance(solution, Solution) else _loaded(solution)
    played: AnyGame | Form = _named(stored) if game is None else as_game(game)
    if stored.certificate is None and STATISTICAL in stored.details:
        return _replayed(stored, played)
    try:
        claim, evidence = _claim(stored) if isinstance(solution, Solution) else _read(solution)
        report = checker.check(claim, _fresh(played, str(claim.get("kind")), stored), evidence)
        refuted = report.refuted or _figures(stored, report) or _policies(stored, played, report)
    except checker.Refused as refusal:
        raise FileError(f"{where}: {refusal}") from refusal
    return Verification(
        title(played),
        played.players,
        report.kind,
        report.player,
        report.lower,
        report.upper,
        refuted,
        report.regret,
        tuple(report.levels),
    )


def _named(stored: Solution) -> AnyGame | Form:
    """The game that a solution names, made anew; the one that was handed over where no name leads to it."""
    spec = str(stored.provenance["game"])
    try:
        return as_game(spec)
    except FogboundError as error:
        if stored.asked is not None:
            asked: AnyGame | Form = stored.asked
            return asked
        raise SpecError(
            f"{spec}: no such game can be made from its name; hand it over: verify(solution, game)"
        ) from error


def _as_kept(solution: Solution) -> Solution:
    """With bounds and vectors as a file holds them: that is what is compared with the certificate."""
    profile = {i: _kept(policy) for i, policy in solution.profile.items()}
    return replace(solution, profile=profile)


def _kept(policy: Any) -> Any:
    if isinstance(policy, AlphaVectors):
        return StoredVectors.of(policy)
    return policy.stored() if hasattr(policy, "stored") else policy


def _loaded(path: str | os.PathLike[str]) -> tuple[Solution, str]:
    if not isinstance(path, str | os.PathLike):
        raise SpecError(f"found {brief(path)}, expected a solution, or the file that one was saved to")
    return files.load(path), os.fspath(path)


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, checker.Array]]:
    """The claim and the evidence in a file, by the checker's own reader."""
    arrays = checker.read_npz(os.fspath(path))
    claim = checker.read_header(arrays).get("certificate")
    if not isinstance(claim, dict):
        raise FileError(f"{Path(path)}: holds no certificate to check")
    return claim, {k.removeprefix("certificate/"): v for k, v in arrays.items() if k.startswith("certificate/")}


def _claim(solution: Solution) -> tuple[dict[str, Any], dict[str, checker.Array]]:
    if solution.certificate is None:
        raise FileError("the solution holds no certificate to check")
    return solution.certificate.header(), _plain(solution.certificate.evidence)


def _plain(arrays: Mapping[str, Any]) -> dict[str, checker.Array]:
    kept = {name: canonical(array) for name, array in arrays.items()}
    return {name: checker.Array(a.dtype.str, a.shape, a.tobytes()) for name, a in kept.items()}


def _fresh(game: AnyGame | Form, kind: str, stored: Solution) -> dict[str, checker.Array]:
    """The form that a certificate of this kind speaks about, derived afresh from the game."""
    form = derive(game, FORMS.load(ABOUT.get(kind, "tree")), _question(stored))
    return _plain(form.arrays())


def _question(stored: Solution) -> Question:
    """What the solution answers: its player against the stored others."""
    return Question(stored.player, {i: policy for i, policy in stored.profile.items() if i != stored.player})


def _replayed(stored: Solution, game: AnyGame | Form) -> Verification:
    """An answer from samples proves nothing, but it can be had again: its provenance must give the same mean."""
    provenance = stored.provenance
    solver = SOLVERS.make(str(provenance["solver"]))
    form = form_for(solver, game, stored.player)
    again = solve(solver, form, Until(iterations=stored.iterations), int(provenance["seed"]), certified=False)
    same = (again.value, again.provenance["form_sha256"]) == (stored.value, provenance["form_sha256"])
    refuted = None if same else f"the file reports {stored.value!r}, its provenance gives {again.value!r}"
    return Verification(title(game), game.players, STATISTICAL, stored.player, again.value, again.value, refuted)


def _figures(stored: Solution, report: checker.Report) -> str | None:
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


def _policies(stored: Solution, game: Any, report: checker.Report) -> str | None:
    """Whether the policies in the file are those that the certificate speaks of: what will be played."""
    claimed = stored.certificate
    if claimed is None:
        return None
    if report.player not in stored.profile:
        return f"the certificate speaks of player {report.player}, for which the file has no policy"
    if report.kind == "pomdp":
        form = derive(game, forms.POMDP, _question(stored))
        names = ("node_action", "begin", "arrow")
        mine = stored.profile[report.player]
        if isinstance(mine, StoredVectors):
            return _beyond(mine.on(form), report)
        followed = PolicyGraph(form, *(claimed.evidence[name] for name in names)).controller()
        apart = not _alike(stored.profile[report.player], followed)
    elif report.kind == "one-sided":
        apart = not _promised(stored, game, report)
    elif report.kind == "level-k":
        wrong = _other_figures(stored, report, claimed.evidence)
        if wrong:
            return wrong
        apart = _other_policies(stored, game, claimed.evidence)
    elif report.kind == "chain-profile":
        worth = evaluate.value(game, stored.profile)[report.player]
        slack = 1e-6 * max(1.0, abs(worth))
        apart = not report.lower - slack <= worth <= report.upper + slack
    else:
        tree = derive(game, forms.SequenceForm)
        ours = evaluate.behaviours(tree, stored.profile)
        theirs = by_player(tree, claimed.evidence["strategy"])
        # where a player never comes by its own play it does not matter what it would do
        pairs = zip(tree.plexes, ours, theirs)
        apart = any(bool((abs(plex.weights(a) - plex.weights(b)) > 1e-9).any()) for plex, a, b in pairs)
    return "the policies stored in the file are not those of its certificate" if apart else None


def _beyond(policy: Any, report: checker.Report) -> str | None:
    """Whether vectors promise something else at the start than what is certified; what comes later is not checked."""
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


def _promised(stored: Solution, game: Any, report: checker.Report) -> bool:
    """Whether the vectors in the file promise what is certified; what they promise later is not checked."""
    from fogbound.solvers.one_sided.play import profile as loose

    mine = stored.profile[report.player]
    if not isinstance(mine, StoredBounds):
        return False
    lower, _ = loose.restored_bounds(mine, derive(game, forms.OneSided, Question(report.player))).interval()
    return lower >= report.lower - 1e-6 * max(1.0, abs(report.lower))


def _other_policies(stored: Solution, game: AnyGame | Form, arrays: Any) -> bool:
    """Whether the file would play something else than what its certificate speaks of."""
    from fogbound.solvers.level_k.fsc import certified_policies

    claimed = certified_policies(derive(game, forms.Table), arrays)
    top = max(level for level, _ in claimed)
    if not equivalent(stored.profile[stored.player], claimed[top, stored.player]):
        return True
    other = 1 - stored.player
    weights = arrays["prior"][top - 1].tolist()
    believed = [claimed[level, other] for level, weight in enumerate(weights) if weight > 0]
    listed = [policy for policy, _ in kinds(stored.profile[other])]
    return len(listed) != len(believed) or not all(map(equivalent, listed, believed))


def _other_figures(stored: Solution, report: checker.Report, arrays: Any) -> str | None:
    """Whether the file names another prior, or other values of levels, than its certificate speaks of."""
    from fogbound.solvers.level_k.priors import weights

    named: Any = SOLVERS.make(str(stored.provenance["solver"]))
    for level, row in enumerate(arrays["prior"].tolist(), 1):
        if any(abs(a - b) > 1e-12 for a, b in zip(weights(named.prior, named.tau, level), row)):
            return f"the file names the prior {named.prior}, its certificate has {row[:level]} at level {level}"
    proven = {(level, player): (lower, upper) for level, player, lower, upper in report.levels}
    for told in stored.details.get("levels", []):
        lower, upper = proven.get((told["level"], told["player"]), (told["value"], told["value"]))
        slack = 1e-9 * max(1.0, abs(lower))
        if not lower - slack <= told["value"] <= upper + slack:
            return f"the file reports {told['value']!r} for level {told['level']}, certified are {lower!r} to {upper!r}"
    return None
