"""`fogbound convert`: a game or a model file as a model file, a value function as another program's."""

from __future__ import annotations

from fogbound import api
from fogbound.cli.console import make_parser, say
from fogbound.cli.progress import working

EXAMPLES = """\
  fogbound convert tiger tiger.pomdp                          a game of one player, for other solvers
  fogbound convert Hallway.pomdpx Hallway.pomdp               APPL's format as Cassandra's, and back
  fogbound convert po-nim reply.pomdpx --against uniform
                                                              what beats a given opponent, as a model
  fogbound convert "pursuit(columns=3)" peg.osposg            a one-sided game; --player says who is blind
  fogbound convert "horizon(game=multi-tiger, steps=3)" tigers.dpomdp
                                                              a game of several players, for solvers of Dec-POMDPs
  fogbound convert tiger.alpha tiger.policy --model tiger.pomdp
                                                              a value function; the model says what its states are

Models:          .pomdp (pomdp-solve), .pomdpx (APPL), .osposg (one blind player against one who sees everything),
                 .dpomdp (MADP: one reward for all), .posg (one for each), .zsposg (what one wins the other loses)
Value functions: .alpha (pomdp-solve), .policy (APPL)
What is read back has the same value. Where a format cannot say something (an action that is not always legal, a
sight that depends on where one came from), more states or actions are written, so that no value changes.
A saved solution (.npz) can be written as vectors: those it holds (solve with --policy vectors), or what each node of
its controller is worth. In states that a vector was not made for it gets the least that any play earns there, so that
it stays a lower bound. A controller itself is drawn: fogbound show x.npz --view controller -o x.dot."""


def main(words: list[str]) -> int:
    parser = make_parser("convert", "Write a game or a model in another format, or a value function.", EXAMPLES)
    parser.add_argument(
        "source", metavar="IN", help="a game, a model (.pomdp, .dpomdp, …) or vectors (.alpha, .policy, .npz)"
    )
    parser.add_argument("target", metavar="OUT", help="the file to write; its ending says in which format")
    parser.add_argument("--model", metavar="MODEL", help="whose states IN's vectors are over: a model file or a game")
    parser.add_argument(
        "--player", default="0", metavar="PLAYER", help="whose problem, or who is blind, by name or number (default 0)"
    )
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="POLICY",
        help="how the others play: one for all, or each in player order",
    )
    parser.add_argument(
        "--paid-at-ends",
        action="store_true",
        help="for .efg: all that is paid stands at the ends, as OpenSpiel's reader wants it",
    )
    parser.add_argument(
        "--by-count",
        action="store_true",
        help="for .nfg: strategies by number, without their names, as OpenSpiel's reader wants it",
    )
    parser.add_argument(
        "--unicode",
        action="store_true",
        help="for .efg and .nfg: keep labels as they are; by default they are ASCII, as Gambit's reader wants it",
    )
    args = parser.parse_args(words)
    with working(f"writing {args.target}"):
        said = api.convert(
            args.source,
            args.target,
            against=args.against or None,
            **args.taken("player", "model", "paid_at_ends", "by_count", "unicode"),
        )
    sizes, *relaxed = said.split("\n")
    say(f"{args.target}: {sizes}")
    for line in relaxed:
        say(line)
    return 0
