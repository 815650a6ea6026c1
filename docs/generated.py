"""Pages for games, solvers and the Python interface, and a gallery: from docstrings, drawn by the library itself.

Nothing here is kept: `docs/reference` and `docs/_static/pictures` are made anew by each `make docs`.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import fogbound as fb
from fogbound import api
from fogbound.core.errors import FogboundError
from fogbound.draw.beginning import opening_picture
from fogbound.games import GAMES
from fogbound.naming.titles import game_titles
from fogbound.solvers import SOLVERS
from fogbound.transforms import TRANSFORMS

PLAIN = {"horizon": "horizon(game=tiger, steps=3)"}  # an example of what cannot be made without being told of what
TITLES = game_titles()
EXAMPLES = {  # for the picture of a solver's page: games that it may fit, the first that it does is taken
    "pomdp": ["tiger", "horizon(game=tiger, steps=3)"],
    "belief-mdp": ["card-poker"],
    "hierarchy": ["po-nim(n=2)"],
    "one-sided": ["pursuit(columns=3)"],
    "markov": ["repeated(matrix=uneven)", "repeated", "crying-baby", "tiger"],
    "table": ["tic-tac-toe", "nim(heaps=[1, 2])", "bandit"],
    "posg": ["horizon(game=multi-tiger, steps=3)"],
}
OTHERWISE = ["king-ace", "card-poker(ranks=3)", "rock-paper-scissors", "tiger"]
FIGURES = {
    "The strategy of 8-card poker": ("card-poker(ranks=8)", "sequence-lp", "strategy"),
    "The tree of King-Ace with its information sets": ("king-ace", "sequence-lp", "tree"),
    "King-Ace as a matrix": ("king-ace", "sequence-lp", "matrix"),
    "The tiger's controller": ("tiger", "sarsop", "controller"),
    "The tiger's value function": ("tiger", "sarsop", "vectors"),
    "Bounds that close": ("tiger", "hsvi", "bounds"),
}
NEVER = (
    "resolve",
    "oos",
    "is-mcts",
    "pomcp-pgt",
    "mcts",
    "pomcp",
    "lookahead",
)  # what searches as it plays has no picture


def write_all(docs: Path) -> None:
    """Make `docs/reference` and its pictures anew."""
    pages, pictures = docs / "reference", docs / "_static" / "pictures"
    for folder in (pages, pictures):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in (pages / "games", pages / "solvers", pictures):
        folder.mkdir(parents=True)
    names = {"games": sorted([*GAMES, *TRANSFORMS]), "solvers": list(SOLVERS)}
    for name in names["games"]:
        (pages / "games" / f"{name}.md").write_text(game_page(name, pictures))
    for name in names["solvers"]:
        (pages / "solvers" / f"{name}.md").write_text(solver_page(name, pictures))
    for kind, listed in names.items():
        (pages / kind / "index.md").write_text(index(kind.capitalize(), listed))
    (pages / "gallery.md").write_text(gallery(pictures))
    (pages / "python.md").write_text(python_page())


def index(title: str, names: list[str]) -> str:
    return f"# {title}\n\n```{{toctree}}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


def game_page(name: str, pictures: Path) -> str:
    """Rules, parameters, sizes, known values, solvers that fit, a picture."""
    registry = GAMES if name in GAMES else TRANSFORMS
    cls = registry.load(name)
    parts = [f"# {TITLES[name]}", f"`{name}`"] if name in TITLES else [f"# {name}"]
    parts += [prose(sys.modules[cls.__module__].__doc__), prose(cls.__doc__), *parameters(cls)]
    try:
        game = fb.game(PLAIN.get(name, name))
    except FogboundError:  # a game made from a game, which has to be given
        return page(parts)
    drawn = opening_picture(game)
    if drawn is not None:
        drawn.save(pictures / f"game-{name}.svg")
        parts.append(f"![How {game.title} may begin](../../_static/pictures/game-{name}.svg)")
    survey = api.survey(game, seconds=2.0)
    sizes = [f"| {form.form} | {'' if form.exists else 'none: '}{form.words} |" for form in survey.forms]
    parts += ["## Forms", "\n".join(["| form | size, or why there is none |", "|---|---|", *map(cell, sizes)])]
    fits = [f"[{fit.solver}](../solvers/{fit.solver}.md)" for fit in survey.fits if fit.fits]
    parts += ["## Solvers that fit", ", ".join(fits) or "None of those that are listed."]
    if game.record.known:
        rows = [f"| `{k.game}` | {k.value:.10g} | {k.source} |" for k in game.record.known]
        parts += [
            "## Known values",
            "\n".join(["| game | value for the first player | source |", "|---|---|---|", *rows]),
        ]
    return page(parts)


def solver_page(name: str, pictures: Path) -> str:
    """What it finds, on which form, under which assumptions, whose it is, its parameters, and a picture of a run."""
    cls = SOLVERS.load(name)
    entry = fb.solvers()[name]
    parts = [f"# {name}", f"Finds: {entry.finds}. Works on the form: {entry.form}."]
    parts += [prose(cls.__doc__), prose(sys.modules[cls.__module__].__doc__), *parameters(cls)]
    for game in EXAMPLES.get(entry.form, []) + OTHERWISE if name not in NEVER else []:
        try:
            solution = fb.solve(game, name, seconds=2.0, iterations=50, certify=False)
            look = fb.look(solution, game)
            drawn = look.bounds() if len(solution.trace) > 2 else next(pictures_of(look))
        except (FogboundError, StopIteration):
            continue
        drawn.save(pictures / f"solver-{name}.svg")
        parts += [
            "## A run",
            f"`fb.solve({game!r}, {name!r})`:",
            f"![{name} on {game}](../../_static/pictures/solver-{name}.svg)",
        ]
        break
    return page(parts)


def pictures_of(look: api.Look) -> Iterator[fb.draw.Drawing]:
    """What can be drawn of an answer, the most telling first."""
    for view in ("controller", "strategy", "matrix", "tree"):
        try:
            yield getattr(look, view)()
        except FogboundError:
            continue


def gallery(pictures: Path) -> str:
    """One figure for each way to look."""
    parts = ["# Gallery", "Every picture here is one call, and an SVG that can be put into a paper as it is."]
    for title, (game, solver, view) in FIGURES.items():
        solution = fb.solve(game, solver, seconds=10.0)
        file = re.sub(r"\W+", "-", title.lower())
        getattr(fb.look(solution, game), view)().save(pictures / f"{file}.svg")
        call = f'fb.look(fb.solve("{game}", "{solver}")).{view}().save("figure.svg")'
        parts += [f"## {title}", f"```text\n{call}\n```", f"![{title}](../_static/pictures/{file}.svg)"]
    return page(parts)


def python_page() -> str:
    """What `import fogbound as fb` brings, as its docstrings say."""
    names = [name for name in fb.__all__ if not inspect.ismodule(getattr(fb, name)) and not name.startswith("__")]
    rooms = [name for name in fb.__all__ if inspect.ismodule(getattr(fb, name))]
    parts = [
        "# Python",
        "`import fogbound as fb`: everything that the command line does, and the pieces it is made of.",
    ]
    for name in names:
        kind = "autoclass" if inspect.isclass(getattr(fb, name)) else "autofunction"
        parts += [f"## fb.{name}", f"```{{eval-rst}}\n.. {kind}:: fogbound.{name}\n   :no-index:\n```"]
    for room in rooms:
        parts += [f"## fb.{room}", prose(getattr(fb, room).__doc__).partition("\n\n")[0]]
    return page(parts)


def parameters(cls: type) -> list[str]:
    """The section of that name, as a list."""
    text = inspect.cleandoc(cls.__doc__ or "")
    found = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        return []
    items = re.findall(r"^(\S.*)\n((?:[ ]+.*\n?|\n)*)", found[1] + "\n", re.MULTILINE)
    return ["## Parameters", "\n".join(f"- **{name}**: {' '.join(said.split())}" for name, said in items)]


def prose(docstring: str | None) -> str:
    """A docstring up to its first section, as Markdown takes it: indented lines are code."""
    text = re.split(r"\n\n?[A-Z]\w+\n-{3,}", inspect.cleandoc(docstring or ""))[0].split(">>>")[0].strip()
    return re.sub(r"[<>{}\[\]$*_|#]", lambda sign: "\\" + sign[0], text) if "`" not in text else text


def cell(text: str) -> str:
    return text.replace("\n", " ")


def page(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
