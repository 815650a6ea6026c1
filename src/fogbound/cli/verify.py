"""`fogbound verify`: what does a saved solution's certificate prove?"""

from __future__ import annotations

import time

from fogbound import api
from fogbound.certificates.statistical import SECONDS
from fogbound.cli.console import make_parser, say, say_json
from fogbound.cli.progress import working
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.forms.protocol import Form
from fogbound.naming import games as naming


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
    parser.add_argument(
        "--seconds",
        type=float,
        default=SECONDS,
        help="how long an answer from samples may be replayed (default %(default)g); certificates are checked however "
        "long that takes",
    )
    parser.add_argument(
        "--export",
        metavar="FORM",
        help="also write the form (.npz) that the certificate is about: python -m fogbound.verify FORM FILE then needs "
        "no Fogbound but the folder fogbound/verify",
    )
    args = parser.parse_args(words)
    game, began = naming.problem(args.game), time.monotonic()
    with working(f"checking {args.file}"):
        verification = api.verify(args.file, game, seconds=args.seconds)
    seconds = time.monotonic() - began
    if args.export:
        api.export_form(args.file, args.export, game)
    if args.json:
        shown = {key: value for key, value in vars(verification).items() if key != "players"}
        say_json({**shown, "words": verification.words, "seconds": seconds})
    elif verification.refuted:
        say(f"refuted   {verification.refuted}")
    else:
        _tell(verification, seconds, _read(game))
    return 0 if verification else 1


def _read(game: AnyGame | Form) -> bool:
    """Whether the arrays come from a file, so that no rules were asked; also those of a file that was cut off."""
    if isinstance(game, Form):
        return True
    cut = game.cut_from()
    return (cut[0] if cut else game).origin is not None


def _tell(verification: api.Verification, seconds: float, read: bool) -> None:
    replayed = verification.kind == api.STATISTICAL
    meaning = verification.wording.meaning.format(name=verification.name)
    say(f"{'replayed ' if replayed else 'certified'} {meaning}")
    if replayed:
        say(f"          {number(verification.lower, 12)}")
    else:
        width = abs(verification.upper - verification.lower)  # never -0
        say(f"          [{number(verification.lower, 17)}, {number(verification.upper, 17)}]   width {width:.3g}")
    for level, player, lower, upper in verification.levels:
        interval = f"[{number(lower, 12)}, {number(upper, 12)}]"
        say(f"          level {level:>2} of {verification.players[player]:<10} {interval}  {abs(upper - lower):.1e}")
    for line in verification.words[0 if replayed else 1 :]:
        say(f"          {line}")
    asked = "read from its file" if read else "enumerated from its rules, a sample of which was asked twice"
    say(f"          {verification.kind}, {seconds:.2f} s" + ("" if replayed else f", about the game as it was {asked}"))
