"""`fogbound convert`: a game or a model file as a model file, a value function as another program's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fogbound.cli import naming
from fogbound.cli.console import make_parser, say
from fogbound.cli.progress import working
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame

EXAMPLES = """\
  fogbound convert tiger tiger.pomdp                          a game of one player, for other solvers
  fogbound convert Hallway.pomdpx Hallway.pomdp               APPL's format as Cassandra's, and back
  fogbound convert po-nim reply.pomdpx --against uniform
                                                              what beats a given opponent, as a model
  fogbound convert "pursuit(columns=3)" peg.osposg            a one-sided game; --player says who is blind
  fogbound convert tiger.alpha tiger.policy --model tiger.pomdp
                                                              a value function; the model says what its states are

Models:          .pomdp (pomdp-solve), .pomdpx (APPL), .osposg (one blind player against one who sees everything)
Value functions: .alpha (pomdp-solve), .policy (APPL)
What is read back is worth the same. Where a format cannot say something (an action that is not always legal, a
sight that depends on where one came from), more states or actions are written, so that no value changes.
A saved solution (.npz) can be written as vectors where it holds some: solve with --policy vectors.
A controller is drawn: fogbound show x.npz --view controller -o x.dot."""


def main(words: list[str]) -> int:
    parser = make_parser("convert", "Write a game or a model in another format, or a value function.", EXAMPLES)
    parser.add_argument(
        "source", metavar="IN", help="a game, a model (.pomdp, .pomdpx) or vectors (.alpha, .policy, .npz)"
    )
    parser.add_argument("target", metavar="OUT", help="the file to write; its ending says in which format")
    parser.add_argument("--model", metavar="MODEL", help="whose states IN's vectors are over: a model file or a game")
    parser.add_argument(
        "--player", default="0", metavar="P", help="whose problem, or who is blind: player or name (default 0)"
    )
    parser.add_argument(
        "--against", action="append", default=[], metavar="POLICY", help="how the others play, in player order"
    )
    args = parser.parse_args(words)
    from fogbound import files

    if Path(args.source).suffix in (*files.VECTORS, ".npz"):
        _convert_vectors(args)
    elif Path(args.target).suffix in files.ONE_SIDED:
        _convert_one_sided(args)
    else:
        _convert_model(args)
    return 0


def _convert_one_sided(args: Any) -> None:
    """Write a game of a blind player against one who sees everything."""
    from fogbound import files, forms

    if args.against or args.model:
        raise SpecError(
            f"{args.target}: a one-sided game holds both players, so --against and --model mean nothing to it"
        )
    game = naming.game(args.source)
    with working(f"building the one-sided form of {game}"):
        form = forms.one_sided(game, naming.player(args.player, game))
    with working(f"writing {args.target}"):
        sizes = files.write_one_sided(form, args.target)
    say(f"{args.target}: {sizes}")
    if form.relaxed:
        say(f"relaxed: {form.relaxed}")


def _convert_model(args: Any) -> None:
    """Write the POMDP of a game or a model file."""
    from fogbound import files

    _want(args, files.MODELS, "a model")
    if args.model:
        raise SpecError(f"--model says whose states vectors are over, but {args.source} is a model itself")
    form = _form(args.source, args)
    with working(f"writing {args.target}"):
        sizes = files.write_model(form, args.target)
    say(f"{args.target}: {sizes}")


def _convert_vectors(args: Any) -> None:
    """Write the vectors of a file in the other format."""
    from fogbound import files

    _want(args, files.VECTORS, "vectors")
    if not args.model:
        raise SpecError(f"{args.source}: vectors are over the states of a model: name it with --model")
    policy = _vectors(args, _form(args.model, args))
    files.write_vectors(policy, args.target)
    say(f"{args.target}: {len(policy.vectors):,} vectors over {policy.pomdp.size:,} states")


def _vectors(args: Any, form: Any) -> Any:
    """The value function in a file of vectors or in a saved solution."""
    from fogbound import files
    from fogbound.policies import StoredVectors

    if not args.source.endswith(".npz"):
        return files.read_vectors(args.source, form)
    stored = files.load(args.source).profile[form.player]
    if not isinstance(stored, StoredVectors):
        raise SpecError(
            f"{args.source}: holds a controller, not vectors: solve with --policy vectors, or draw it with "
            f"fogbound show {args.source} --view controller -o controller.dot"
        )
    return stored.on(form)


def _form(text: str, args: Any) -> Any:
    """The POMDP that `text` names: a model file's, or that of one player of a game."""
    from fogbound import forms

    game = naming.game(text)
    player = naming.player(args.player, game)
    others = _others(game, player, args.against)
    with working(f"building the POMDP of {game}"):
        return forms.pomdp(game, player, others)


def _others(game: AnyGame, player: int, given: list[str]) -> dict[int, Any]:
    """How the others play; a model holds one player's problem, so all of them must be known."""
    others = [i for i in range(len(game.players)) if i != player]
    if len(given) != len(others):
        raise SpecError(
            f"{game}: has {len(game.players)} player{'s' * (len(game.players) != 1)}, and a model holds one player's "
            f"problem: expected --against {len(others)} times, found {len(given)}"
        )
    return {other: naming.policy(text, game, other) for other, text in zip(others, given)}


def _want(args: Any, endings: dict[str, Any], what: str) -> None:
    """Refuse an output that cannot hold the input, before any work is done."""
    found = Path(args.target).suffix
    if found not in endings:
        raise SpecError(
            f"{args.target}: found the ending {found!r}, expected {' or '.join(endings)}, since {args.source} is {what}"
        )
