"""`fogbound equilibria`: every equilibrium of a small game, with its components, labels and beliefs."""

from __future__ import annotations

from fogbound import api
from fogbound.api.equilibria import MOST_NODES
from fogbound.cli.console import counting_number, make_parser, say, say_json
from fogbound.cli.progress import working

EXAMPLES = """\
  fogbound equilibria 'matrix-game(matrix=stag-hunt)'
  fogbound equilibria beer-quiche
  fogbound equilibria game.efg --json

Labels, each shown only where it is proven:
  pure, strict       one strategy each; every deviation loses
  Pareto-efficient   among the equilibria; among all outcomes and lotteries
  risk-dominant      2 x 2: the larger product of deviation losses
  undominated        no player's strategy is weakly dominated
  trembling-hand perfect, of two players: the same as undominated
  proper             completely mixed, or regular
  subgame-perfect    with some play where the strategies are silent
  sequential         with the beliefs that are listed
  survives the intuitive criterion: signalling games (Cho and Kreps 1987)
An index, +1 or -1, is that of a regular equilibrium; the indices of all components sum to 1."""


def main(words: list[str]) -> int:
    parser = make_parser(
        "equilibria",
        "List every equilibrium of a small game in exact arithmetic. Of two players: all extreme equilibria, the "
        "maximal Nash subsets and the components. Of three and more: all pure ones, and the mixed ones that are found.",
        EXAMPLES,
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("--json", action="store_true", help="as one JSON object, fractions as text and as numbers")
    parser.add_argument(
        "--limit",
        type=counting_number,
        default=MOST_NODES,
        metavar="N",
        help="nodes of the game's tree, at most (%(default)s)",
    )
    args = parser.parse_args(words)
    with working(f"equilibria of {args.game}"):
        found = api.equilibria(args.game, limit=args.limit)
    if args.json:
        say_json(found.to_dict())
    else:
        say(str(found))
    return 0
