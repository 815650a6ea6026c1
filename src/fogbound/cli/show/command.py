"""`fogbound show`: a game or a saved solution, as text or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fogbound import api, archive
from fogbound.cli.console import make_parser, natural, say, typed
from fogbound.cli.show.common import Shown, game_of
from fogbound.core.drawing import Drawing, require_ending
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.core.game import AnyGame
from fogbound.naming import games as naming

TABLES = {".csv": "csv", ".json": "json"}
LATEX = "latex"
OF_ALL = ("tree", "minimax", "matrix", "bounds", "path")  # views for which it does not matter whose policy is meant
VIEWS = (
    "auto",
    "strategy",
    "controller",
    "belief",
    "vectors",
    "tree",
    "bounds",
    "gaps",
    "board",
    "matrix",
    "minimax",
    "field",
    "path",
)


def main(words: list[str]) -> int:
    parser = make_parser(
        "show",
        "Look at a game (its tree, or how it begins) or at a saved solution (strategy, controller, bounds over time).",
        '  fogbound show "card-poker(ranks=3)" -o tree.svg\n'
        "  fogbound show king-ace --view matrix -o table.svg\n"
        "  fogbound show king-ace --view matrix --format latex\n"
        "  fogbound show nash.npz --player dealer\n"
        "  fogbound show nash.npz --format csv > nash.csv\n"
        "  fogbound show reply.npz --view controller -o controller.svg\n"
        "  fogbound show tiger.npz --view belief --seed 3\n"
        "  fogbound show tiger.alpha --game tiger --view vectors -o value.svg\n"
        "  fogbound show gambler.npz dealer.npz --beside nash.npz -o figure.svg\n"
        "  fogbound show fast.npz slow.npz --view gaps -o gaps.pdf\n"
        "  fogbound show slide-tree --view minimax -o search.svg",
    )
    parser.add_argument(
        "what", metavar="FILE|GAME", nargs="+", help="a solution (.npz), a file of vectors (.alpha, .policy) or a game"
    )
    parser.add_argument("--beside", metavar="FILE", help="compare with this solution's policies, dashed, in a picture")
    parser.add_argument(
        "-o",
        "--output",
        metavar="PICTURE",
        help="write a picture: .svg, .png, .pdf or .tex (TikZ), or .dot for a controller; or a table: .csv, .json, or "
        ".tex with --format latex",
    )
    parser.add_argument(
        "--view",
        choices=VIEWS,
        default="auto",
        metavar="VIEW",
        help=f"what to look at: {', '.join(VIEWS[1:])} (default auto: what fits)",
    )
    parser.add_argument(
        "--player", metavar="PLAYER", help="whose policy, by name or number (default: the solution's player)"
    )
    parser.add_argument("--game", metavar="GAME", help="the solution's game, when it is one of your own files")
    parser.add_argument(
        "--format",
        choices=("text", "csv", "json", LATEX),
        help="the strategies of a solution as a table: player, information set, action, probability, reached; of all "
        "players unless --player says whose. A .csv or .json is a POLICY wherever one is named. latex with --view "
        "matrix: the payoffs",
    )
    parser.add_argument("--title", default="", metavar="WORDS", help="the first line of a picture")
    parser.add_argument(
        "--seed",
        type=natural,
        default=0,
        metavar="K",
        help="which game --view belief follows, or which episode of a simulator is drawn",
    )
    args = parser.parse_args(words)
    several, args.what = args.what, args.what[0]
    if len(several) > 1 and not args.beside and args.view != "gaps":
        raise SpecError(
            f"found {several[1]!r} too, expected one FILE or GAME (several only with --beside or --view gaps)"
        )
    _refuse_unused(args)
    if args.format == LATEX and args.view == "matrix":
        return _written(_payoffs(args), args.output)
    if args.format or (args.output and Path(args.output).suffix in TABLES):
        return _table(args)
    shown = _beside(args, several) if args.beside else _gaps(args, several) if args.view == "gaps" else _shown(args)
    if args.output:
        shown.save(args.output)
        say(args.output)
    else:
        say(shown.text())
    return 0


def _refuse_unused(args: Any) -> None:
    """Complain about what the view that was asked for does not look at."""
    if args.view != "belief" and (_stored(args.what) or args.beside or args.view not in ("auto", "board")):
        args.refuse("without --view belief", "seed")
    if args.view == "gaps" or args.beside:
        args.refuse("where several solutions are compared", "player")
    elif args.view in OF_ALL:
        args.refuse(f"with --view {args.view}, which is about all players", "player")
    if not args.beside and not _stored(args.what):
        args.refuse("beside a GAME", "game")
    if not args.output or args.format or Path(args.output).suffix in TABLES:
        args.refuse("without a picture (-o)", "title")


def _stored(name: str) -> bool:
    """Whether a name is that of a saved solution or of vectors."""
    from fogbound import files

    return Path(name).suffix in (".npz", *files.VECTORS)


def _table(args: Any) -> int:
    """The strategies of a saved solution, to be read by other programs or in a terminal."""
    from fogbound import files

    if not args.what.endswith(".npz"):
        raise SpecError(f"{args.what}: --format writes the strategies of a saved solution (.npz)")
    if args.view != "auto" or args.beside:
        raise SpecError(f"--format {args.format or Path(args.output).suffix[1:]} is a table of its own, without --view")
    written = {**TABLES, ".tex": LATEX}.get(Path(args.output).suffix) if args.output else None
    if args.output and written is None:
        raise SpecError(f"{args.output}: a table is written to .csv, .json or .tex, or to the terminal")
    if args.format and written not in (None, args.format):
        raise SpecError(f"{args.output}: is not what --format {args.format} says")
    stored = files.load(args.what)
    made = api.table(stored, args.player, game_of(args, stored))
    ways = {"csv": made.to_csv, "json": made.to_json, LATEX: made.to_latex}
    return _written(ways.get(written or args.format, made.text)(), args.output)


def _written(text: str, output: str | None) -> int:
    """Put a table into a file, or on the terminal."""
    if output:
        archive.write(output, text.encode())
    say(output or text.removesuffix("\n"))
    return 0


def _payoffs(args: Any) -> str:
    """The payoffs of a game of two as LaTeX, with how likely each pure strategy is in a saved solution."""
    from fogbound import draw

    if args.output:
        require_ending(args.output, ".tex")
    game, profile = _with_profile(args)
    return draw.matrix_latex(game, profile=profile, describe=game.describe)


def _with_profile(args: Any) -> tuple[AnyGame, dict[int, Any] | None]:
    """A game alone, or that of a saved solution with its profile, where that has a policy for each player."""
    from fogbound import files

    if not args.what.endswith(".npz"):
        return naming.game(args.what), None
    stored = files.load(args.what)
    game = game_of(args, stored)
    return game, stored.profile if len(stored.profile) == len(game.players) else None


def _shown(args: Any) -> Shown:
    """What the one thing that was named is shown as: by its ending."""
    from fogbound import files

    if Path(args.what).suffix in files.VECTORS:
        from fogbound.cli.show.solution import value_function

        return value_function(args)
    if not args.what.endswith(".npz"):
        return _game(args)
    if args.view == "matrix":
        return _matrix(*_with_profile(args), args.title)
    from fogbound.cli.show.solution import solution

    return solution(args)


def _game(args: Any) -> Shown:
    """A game: its forms and first board as text; its tree, or that board, as a picture."""
    from fogbound import draw, forms

    game = naming.game(args.what)
    if game.only_sampled:
        from fogbound.cli.show.simulator import sampled_game

        return sampled_game(args, game)
    if args.view != "belief":
        args.refuse("without --view belief", "seed")
    if args.view == "matrix":
        return _matrix(game, None, args.title)
    if args.view not in ("auto", "tree", "board", "minimax"):
        raise SpecError(f"--view {args.view} looks at a saved solution; a game has tree, board, matrix and minimax")
    player = None if args.player is None else naming.player_index(args.player, game)
    first = next(iter(game.start()))[0].state

    def text() -> str:
        if args.view in ("tree", "minimax"):
            return picture().text.removesuffix("\n")
        board = game.board(first, player)
        listed = [
            typed(f"  {'✓' if f.exists else '✗' if f.known else '~'} {f}")
            for f in forms.available(game, states=100_000)
        ]
        about = ((type(game).__doc__ or "").strip().splitlines() or [""])[0]
        return "\n".join([f"{game}: {about}", *([board.text()] if board else []), "forms", *listed])

    def picture() -> Drawing:
        if args.view == "board":
            return board()
        if args.view == "minimax":
            return draw.minimax(game, title=args.title)
        try:
            return draw.tree(game, describe=game.describe, title=args.title)
        except (FormError, LimitError):
            if args.view == "tree":
                raise
            return board()

    def board() -> Drawing:
        args.refuse("above a board", "title")
        return game.draw(first, player)

    return Shown(text, picture)


def _matrix(game: AnyGame, profile: dict[int, Any] | None, title: str) -> Shown:
    """A two-player game as the table of its pure strategies, with how likely they are where both play as is known."""
    from fogbound import draw, forms

    form = forms.normal(game)

    def drawn() -> Drawing:
        return draw.matrix(form, profile=profile, describe=game.describe, title=title)

    return Shown(lambda: drawn().text, drawn)


def _gaps(args: Any, several: list[str]) -> Shown:
    """How fast the gap of one or more saved runs closed."""
    from fogbound import draw, files

    for name in several:
        if not name.endswith(".npz"):
            raise SpecError(f"{name}: --view gaps looks at saved solutions (.npz)")
    loaded = [files.load(name) for name in several]
    (title, *others) = dict.fromkeys(str(one.provenance["game"]) for one in loaded)
    runs = {
        f"{Path(name).stem} ({str(one.provenance['game']).partition('(')[0]})" if others else Path(name).stem: one
        for name, one in zip(several, loaded)
    }

    def drawn() -> Drawing:
        return draw.gaps(runs, title=args.title or ("" if others else title))

    return Shown(lambda: drawn().text.removesuffix("\n"), drawn)


def _beside(args: Any, several: list[str]) -> Shown:
    """Saved policies beside another solution's: the chance of a move by what is held, solid and dashed."""
    from fogbound import draw, evaluation, files, forms, policies

    loaded = [files.load(name) for name in several]
    other = files.load(args.beside)
    game = game_of(args, loaded[0])
    form = forms.sequence(game)

    def table(solution: Any, player: int) -> Any:
        return policies.Tabular(form.decisions, player, evaluation.behaviour(form, player, solution.profile[player]))

    pairs = [(table(one, one.player), table(other, one.player)) for one in loaded]
    names = (str(loaded[0].provenance["solver"]), str(other.provenance["solver"]))

    def text() -> str:
        return "\n\n".join(draw.strategy(policy, describe=game.describe).text for pair in pairs for policy in pair)

    return Shown(text, lambda: draw.panels(pairs, names=names, describe=game.describe, title=args.title))
