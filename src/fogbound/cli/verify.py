"""`fogbound verify`: what does a saved solution's certificate prove?"""

from __future__ import annotations

import time

from fogbound import api
from fogbound.api import naming
from fogbound.cli.console import make_parser, say, say_json
from fogbound.cli.progress import working
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.forms.protocol import Form

MEANING = {
    "zero-sum-tree": "the value of the game for {name} lies in",
    "tree-profile": "from what {name} earns with its strategy to what its best reply would earn",
    "zero-sum-memories": "the value of the game for {name} lies in",
    "memories-profile": "from what {name} earns with its strategy to what its best reply would earn",
    "restricted-memories": "what {name} can have against an opponent believed in part lies in",
    "restricted-tree": "what {name} can have against an opponent believed in part lies in",
    "chain-profile": "what the policy of {name} is worth lies in",
    "team": "from what these plans earn together to what no plans of this team exceed",
    "one-sided": "what {name} can guarantee against one who sees everything lies in",
    "level-k": "from what the highest level of {name} earns to what no reply to its beliefs exceeds",
    "zero-sum-markov": "the value of the game for {name} lies in",
    "markov-profile": "from what {name} earns with its policy to what its best reply would earn",
    "markov-correlated": "from what {name} earns as recommended to what its best disobedience would earn",
    "correlated": "from what {name} earns as recommended to what its best disobedience would earn",
    "coarse-correlated": "from what {name} earns as recommended to what it would earn by promising no obedience",
    "extensive-form-correlated": "from what {name} earns as recommended to what disobeying some move would earn",
    "pomdp": "from what the controller of {name} earns to what no policy exceeds",
}


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
        "--export",
        metavar="FORM",
        help="also write the form (.npz) that the certificate is about: python -m fogbound.verify FORM FILE then needs "
        "no Fogbound but the folder fogbound/verify",
    )
    args = parser.parse_args(words)
    game, began = naming.problem(args.game), time.monotonic()
    with working(f"checking {args.file}"):
        verification = api.verify(args.file, game)
    seconds = time.monotonic() - began
    if args.export:
        api.export_form(args.file, args.export, game)
    if args.json:
        say_json({key: value for key, value in vars(verification).items() if key != "players"} | {"seconds": seconds})
    elif verification.refuted:
        say(f"refuted   {verification.refuted}")
    elif verification.kind == api.STATISTICAL:
        say(f"replayed  the same {number(verification.lower, 12)}; statistical, with no bounds to certify")
        low, high = verification.interval or (verification.lower, verification.upper)
        say(f"          {verification.statistical}: {number(low, 12)} to {number(high, 12)}")
        _tell_against(verification)
    else:
        _tell(verification, seconds, _read(game))
    return 0 if verification else 1


def _read(game: AnyGame | Form) -> bool:
    """Whether the arrays come from a file, so that no rules were asked; also those of a file that was cut off."""
    if isinstance(game, Form):
        return True
    cut = game.cut_from()
    return getattr(cut[0] if cut else game, "origin", None) is not None


def _tell(verification: api.Verification, seconds: float, read: bool) -> None:
    say("certified " + MEANING[verification.kind].format(name=verification.players[verification.player]))
    width = abs(verification.upper - verification.lower)  # never -0
    say(f"          [{number(verification.lower, 17)}, {number(verification.upper, 17)}]   width {width:.3g}")
    for level, player, lower, upper in verification.levels:
        interval = f"[{number(lower, 12)}, {number(upper, 12)}]"
        say(f"          level {level:>2} of {verification.players[player]:<10} {interval}  {abs(upper - lower):.1e}")
    _tell_against(verification)
    if verification.proves == "lower":
        say("          the upper bound that the file reports is claimed, not checked")
    if verification.regret is not None and not verification.against:
        say(f"          no player can gain more than {number(verification.regret, 6)} by deviating")
    say(f"          {verification.kind}, exact arithmetic, {seconds:.2f} s")
    asked = "read from its file" if read else "enumerated from its rules, a sample of which was asked twice"
    say(f"          about the game as it was {asked}")
    say("          how it was found (solver, seconds, details, trace) is claimed by the file, not checked")


def _tell_against(verification: api.Verification) -> None:
    for player, how in verification.against:
        say(f"          against {how} of {verification.players[player]}, as stored in the file")
