"""`fogbound show`: a game or a saved solution, as text or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fogbound import archive
from fogbound.cli import naming
from fogbound.cli.words import make_parser, number, say
from fogbound.core.errors import FogboundError, FormError, LimitError, SpecError
from fogbound.core.game import AnyGame

VIEWS = ("auto", "strategy", "controller", "tree", "bounds", "board", "matrix", "minimax")


def main(words: list[str]) -> int:
    parser = make_parser(
        "show",
        "Look at a game (its tree, or how it begins) or at a saved solution (strategy, controller, bounds over time).",
        '  fogbound show "card-poker(ranks=3)" -o tree.svg\n'
        "  fogbound show king-ace --view matrix -o table.svg\n"
        "  fogbound show nash.npz --player dealer\n"
        "  fogbound show reply.npz --view controller -o controller.svg\n"
        "  fogbound show gambler.npz dealer.npz --beside nash.npz -o figure.svg\n"
        "  fogbound show slide-tree --view minimax -o search.svg",
    )
    parser.add_argument("what", metavar="FILE|GAME", nargs="+", help="a solution (.npz) or a game")
    parser.add_argument("--beside", metavar="FILE", help="compare with this solution's policies, dashed, in a picture")
    parser.add_argument("-o", "--output", metavar="PICTURE", help="write a picture: .svg, or .dot for a controller")
    parser.add_argument("--view", choices=VIEWS, default="auto", help="what to look at (default: what fits)")
    parser.add_argument("--player", metavar="P", help="whose policy, by seat or name (default: the solution's player)")
    parser.add_argument("--game", metavar="GAME", help="the solution's game, when it is one of your own files")
    args = parser.parse_args(words)
    several, args.what = args.what, args.what[0]
    if len(several) > 1 and not args.beside:
        raise SpecError(f"found {several[1]!r} too, expected one FILE or GAME (several only with --beside)")
    if args.beside:
        text, picture = _beside(args, several)
    else:
        text, picture = (_solution if args.what.endswith(".npz") else _game)(args)
    if args.output:
        from fogbound import draw

        archive.write(args.output, draw.plain(picture(args.output)).encode())
        say(args.output)
    else:
        say(text())
    return 0


def _game(args: Any) -> tuple[Any, Any]:
    """A game: its forms and first board as text; its tree, or that board, as a picture."""
    from fogbound import draw, forms

    game = naming.game(args.what)
    if args.view == "matrix":
        return _matrix(game)
    if args.view not in ("auto", "tree", "board", "minimax"):
        raise SpecError(f"--view {args.view} looks at a saved solution; a game has tree, board, matrix and minimax")
    eye = None if args.player is None else naming.seat(args.player, game)
    first = next(iter(game.start()))[0].state

    def text() -> str:
        board = game.board(first, eye)
        listed = [f"  {'✓' if f.exists else '✗'} {f}" for f in forms.available(game, states=100_000)]
        about = ((type(game).__doc__ or "").strip().splitlines() or [""])[0]
        return "\n".join([f"{game}: {about}", *([board.text()] if board else []), "forms", *listed])

    def picture(path: str) -> str:
        _want(path, ".svg")
        if args.view == "board":
            return game.draw(first, eye)
        if args.view == "minimax":
            return draw.minimax(game)
        try:
            return draw.tree(forms.tree(game), describe=game.describe)
        except (FormError, LimitError):
            if args.view == "tree":
                raise
            return game.draw(first, eye)

    return text, picture


def _matrix(game: AnyGame) -> tuple[Any, Any]:
    """A two-player game as the table of its pure strategies."""
    from fogbound import draw, forms

    form = forms.normal(game)

    def picture(path: str) -> str:
        _want(path, ".svg")
        return draw.matrix(form, describe=game.describe)

    return lambda: draw.matrix_text(form, describe=game.describe), picture


def _beside(args: Any, several: list[str]) -> tuple[Any, Any]:
    """Saved policies beside another solution's: the chance of a move by what is held, solid and dashed."""
    from fogbound import draw, evaluate, files, forms, policies

    loaded = [files.load(name) for name in several]
    other = files.load(args.beside)
    game = _its_game(args, loaded[0])
    form = forms.sequence(game)

    def table(solution: Any, seat: int) -> Any:
        return policies.Tabular(form.tree, seat, evaluate.behaviour(form, seat, solution.profile[seat]))

    pairs = [(table(one, one.player), table(other, one.player)) for one in loaded]
    names = (str(loaded[0].recipe["solver"]), str(other.recipe["solver"]))

    def picture(path: str) -> str:
        _want(path, ".svg")
        return draw.panels(pairs, names, describe=game.describe)

    def text() -> str:
        told = [draw.strategy_text(policy, describe=game.describe) for pair in pairs for policy in pair]
        return "\n\n".join(told)

    return text, picture


def _solution(args: Any) -> tuple[Any, Any]:
    """A saved solution: its policy as text or picture, its bounds as a picture."""
    from fogbound import draw, files

    solution = files.load(args.what)
    game = _its_game(args, solution)
    if args.view == "matrix":
        return _matrix(game)
    seat = solution.player if args.player is None else naming.seat(args.player, game)
    if seat not in solution.profile:
        raise SpecError(f"{args.what}: has no policy for seat {seat} ({game.players[seat]})")
    view = args.view
    policy = _as_view(solution.profile[seat], game, seat, view)

    def text() -> str:
        head = (
            f"{solution.recipe['game']}   {solution.recipe['solver']}   value {number(solution.value)} for "
            f"{game.players[solution.player]}, bounds {number(solution.lower)} to {number(solution.upper)}"
        )
        if view == "bounds":
            rows = [f"{m.seconds:>9.3f}  {number(m.lower):>14}  {number(m.upper):>14}" for m in solution.trace]
            return "\n".join([head, "  seconds      guaranteed         at most", *rows])
        told = draw.strategy_text if _is_table(policy) else draw.controller_text
        return f"{head}\n{game.players[seat]}'s policy\n{told(policy, describe=game.describe)}"

    def picture(path: str) -> str:
        if path.endswith(".dot") and not _is_table(policy):
            return draw.controller_dot(policy, describe=game.describe)
        _want(path, ".svg")
        if view == "bounds":
            return draw.bounds(solution.trace, title=str(solution.recipe["game"]))
        if view == "tree":
            from fogbound import forms

            return draw.tree(forms.tree(game), describe=game.describe)
        return (draw.strategy if _is_table(policy) else draw.controller)(policy, describe=game.describe)

    return text, picture


def _its_game(args: Any, solution: Any) -> AnyGame:
    """The game of a stored solution. A person's own file is run only when named on the command line."""
    stored = str(solution.recipe.get("game"))
    if args.game:
        game = naming.game(args.game)
        if str(game).rpartition("/")[2] != stored.rpartition("/")[2]:
            raise SpecError(f"{args.what}: is a solution of {stored}, not of {game}")
        return game
    if ".py:" in stored:
        raise SpecError(
            f"{args.what}: solves {stored}; name that game with --game, since no file's code is run unasked"
        )
    return naming.game(stored)


def _as_view(policy: Any, game: AnyGame, seat: int, view: str) -> Any:
    """A policy as the table of a strategy where there is a tree and it is total, else as a controller."""
    from fogbound import evaluate, forms, policies

    if view != "controller":
        try:
            form = forms.sequence(game)
            total = not isinstance(policy, policies.Controller) or policy.size >= len(form.plexes[seat].sets)
            if total or view == "strategy":
                return policies.Tabular(form.tree, seat, evaluate.behaviour(form, seat, policy))
        except (FormError, LimitError):
            if view == "strategy":
                raise
    if isinstance(policy, policies.Controller):
        return policy.minimal()
    try:
        return policies.controller(game, seat, policy).minimal()
    except AttributeError:
        raise FogboundError("a mixture has no single controller: look at its members") from None


def _is_table(policy: Any) -> bool:
    from fogbound.policies import Tabular

    return isinstance(policy, Tabular)


def _want(path: str, *endings: str) -> None:
    if Path(path).suffix not in endings:
        raise SpecError(f"{path}: found the ending {Path(path).suffix!r}, expected {' or '.join(endings)}")
