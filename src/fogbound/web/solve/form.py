"""The form of the Solve screen: game, question, solver and limits, from a request to a page and to a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fogbound import api
from fogbound.core.errors import FogboundError, SpecError, one_line
from fogbound.core.spec import parse
from fogbound.forms.protocol import NOTHING
from fogbound.games import GAMES
from fogbound.solvers import SOLVERS
from fogbound.web.fields import Field, fields_of, spec_from
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import Asked
from fogbound.web.settings import FIRST
from fogbound.web.site import OPENED, Site

GAP, SECONDS = "0.1%", "60"  # that stand in the form at first
LIKELY = ("level-k", "pg-hsvi", "is-mcts", "pomcp")  # where none can be chosen: the first that fits
QUESTIONS = {  # by question, the kinds of form whose solvers answer it
    "What is safe against anyone?": ("sequence", "normal", "tree", "table", "markov"),
    "What is best against what is given?": ("pomdp", "belief-mdp", "restricted", "average-reward"),
    "What is best when I do not know how deeply the others think?": ("hierarchy",),
    "What can I guarantee against one who sees everything?": ("one-sided",),
    "What do I do now, in a game too large to solve?": ("sampled", "modelled"),
    "What should a team do that cannot talk?": ("posg",),
}


@dataclass
class SolveForm:
    """What the screen shows, filled in from a request.

    Attributes
    ----------
    game, fields
        The game that is chosen, and its parameters.
    spec
        The spec that these make.
    look
        What was found when the game was looked at; empty where that cannot be.
    problem
        Why it cannot be, or what else is wrong with the form.
    solver, solver_fields
        The solver, and its parameters.
    groups
        By question, each solver with whether it suits the game, and why.
    limits
        gap, seconds, iterations and seed, as they stand in the form.
    player, against
        Whose value; how the others play.
    """

    game: str
    fields: list[Field] = field(default_factory=list)
    spec: str = ""
    look: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    solver: str = ""
    solver_spec: str = ""
    solver_fields: list[Field] = field(default_factory=list)
    groups: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    limits: dict[str, str] = field(default_factory=dict)
    player: str = "0"
    against: str = ""

    @property
    def question(self) -> str:
        """The question that the solver answers."""
        return _question_of(SOLVERS.load(self.solver).form.kind) if self.solver else ""

    @property
    def faces(self) -> bool:
        """Whether it matters to the solver how the others play."""
        others = len(self.look.get("players", ())) > 1
        return bool(self.solver and others and SOLVERS.load(self.solver).form.against != NOTHING)

    @property
    def sentence(self) -> str:
        """What there is of the game, in two lines: its states, and its tree or why there is none."""
        found = {form["form"]: form for form in self.look.get("forms", ())}
        said = [found[kind]["words"] for kind in ("table", "tree") if kind in found]
        if "tree" in found and not found["tree"]["exists"]:
            said[-1] = f"no game tree: {found['tree']['words'].partition(', so ')[0]}"
        return ". ".join(words[:1].upper() + words[1:] for words in said)


def filled(site: Site, given: Mapping[str, str]) -> SolveForm:
    """The form as a request fills it in; what is wrong with it is said in it."""
    named = (given.get("spec") or given.get("game") or FIRST).strip()
    form = SolveForm(named, player=given.get("player", "0").strip() or "0", against=given.get("against", "").strip())
    form.limits = {
        "gap": given.get("gap", GAP).strip(),
        "seconds": given.get("seconds", SECONDS).strip(),
        "iterations": given.get("iterations", "").strip(),
        "seed": given.get("seed", "0").strip(),
    }
    try:
        _of_game(site, form, given)
        form.look = site.shelf.named(site.looker.ask(about="game", game=site.source(form.spec)))
    except FogboundError as error:
        form.problem = one_line(site.shelf.named(str(error)), 400)
    _of_solver(form, given)
    return form


def requested_run(site: Site, given: Mapping[str, str]) -> Asked:
    """What a request wants to have solved.

    Raises
    ------
    FogboundError
        It cannot be: the game, the solver, or one of the limits.
    """
    form = filled(site, given)
    if form.problem:
        raise Refusal(400, form.problem)
    if not form.solver:
        raise SpecError("no solver is named, and none suits this game by itself: choose one")
    api.solver(site.solver(form.solver_spec))
    site.opponents(form.against)
    api.player_index(form.player, _Players(tuple(form.look["players"])))  # type: ignore[arg-type]
    wanted = Asked(
        form.spec,
        form.solver_spec,
        form.player,
        form.against if form.faces else "",
        form.limits["gap"],
        _number(form.limits, "seconds", site.settings.seconds),
        _whole(form.limits, "iterations"),
        _whole(form.limits, "seed") or 0,
    )
    try:
        api.stop_rules(**wanted.limits())
    except ValueError:
        raise SpecError(f"gap is {one_line(wanted.gap, 40)!r}, expected a number or a share such as 1%") from None
    return wanted


@dataclass(frozen=True)
class _Players:
    players: tuple[str, ...]


def _of_game(site: Site, form: SolveForm, given: Mapping[str, str]) -> None:
    """The game's own fields; one of one's own, one that was opened and a written spec have none."""
    form.spec = form.game
    if form.game in site.settings.own or form.game.startswith(OPENED):
        return
    spec = parse(form.game)
    name = GAMES.meant(spec.name)
    if name not in GAMES:
        return
    form.game = name
    form.fields = fields_of(GAMES, spec, given, f"{name}.")
    form.spec = spec_from(GAMES, spec, form.fields, f"{name}.")


def _of_solver(form: SolveForm, given: Mapping[str, str]) -> None:
    """The solver, its fields, and all others with the reason why they do not suit."""
    fits = form.look.get("fits") or [_unknown(name) for name in SOLVERS]
    form.groups = {question: [fit for fit in fits if fit["form"] in kinds] for question, kinds in QUESTIONS.items()}
    likely = next((name for name in LIKELY if any(fit["solver"] == name and fit["fits"] for fit in fits)), "")
    wanted = given.get("solver", "").strip() if given.get("for", form.game) == form.game else ""  # of another game
    named = wanted or form.look.get("chosen") or likely
    try:
        spec = parse(named)
        form.solver = SOLVERS.meant(spec.name)
        SOLVERS.load(form.solver)
        form.solver_fields = fields_of(SOLVERS, spec, given, f"{form.solver}.")
        form.solver_spec = spec_from(SOLVERS, spec, form.solver_fields, f"{form.solver}.")
    except FogboundError as error:
        form.solver, form.problem = "", form.problem or one_line(str(error), 400)


def _unknown(name: str) -> dict[str, Any]:
    """A solver beside a game that could not be looked at."""
    return {"solver": name, "form": SOLVERS.load(name).form.kind, "fits": True, "why": ""}


def _number(limits: Mapping[str, str], name: str, most: float) -> float | None:
    text = limits[name]
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= most:
        raise SpecError(f"{name} is {one_line(text, 40)!r}, expected a number above 0, at most {most:,.0f}")
    return value


def _whole(limits: Mapping[str, str], name: str) -> int | None:
    text = limits[name]
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise SpecError(f"{name} is {one_line(text, 40)!r}, expected a whole number")
    return int(text)


def _question_of(kind: str) -> str:
    """The question that solvers on this kind of form answer."""
    return next((question for question, kinds in QUESTIONS.items() if kind in kinds), "")
