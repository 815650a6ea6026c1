"""`fogbound play`: a game in the terminal, seeing only what your player sees."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.arena.episode import Episode
from fogbound.cli.console import Parser, make_parser, natural, say
from fogbound.cli.play.panel import SOME_LEVEL, BeliefPanel, chosen_levels, known_fog
from fogbound.cli.play.person import PARAGRAPHS, Person, Quit, tell_help, tell_rules
from fogbound.cli.play.review import judge, reveal, tell_thoughts
from fogbound.cli.progress import following
from fogbound.core.errors import FormError, SpecError, many
from fogbound.core.game import AnyGame
from fogbound.inference.fog import SearchedFog
from fogbound.naming import games, policies

TEACHING = """\
Play a game in the terminal. You see what your player sees; the whole truth is shown at the end.

At the prompt type what stands before a move, or the beginning of its words. Commands begin with a colon: :fog, :rules,
:help, :quit. :fog lifts the fog: from what you did and saw it works out what may be hidden and the value of each of
your moves, against the policies that you play against. With --levels, or against some-level, your opponent is one of
several levels of reasoning (level 0 plays at random) instead: the fog also shows which one it may be, and what it may
believe itself. It never looks at what is hidden. A game in which the fog was lifted counts as assisted, and ends with
what each of your moves cost."""
EXAMPLES = """\
  fogbound play po-nim
  fogbound play po-nim --against "level-k(level=3)" --as second
  fogbound play po-nim --against some-level --levels 4 --lift    one of levels 0 to 4; guess which
  fogbound play "card-poker(ranks=3)" --against sequence-lp --as dealer --review
  fogbound play leduc --against is-mcts --thoughts    afterwards, what its searches found"""


def main(words: list[str]) -> int:
    args = _parser().parse_args(words)
    game = games.game(args.game)
    if game.only_sampled:
        raise FormError(
            f"play: {game.only_sampled}, so what you know cannot be followed; let a planner play it: fogbound match"
        )
    player = games.player_index(args.player, game)
    others = [i for i in range(len(game.players)) if i != player]
    given = args.against or ["uniform"]
    texts = given * len(others) if len(given) == 1 and (others or not args.against) else given
    if len(texts) != len(others):
        whom = f"one for each of the {len(others)} others, or one for all of them"
        raise SpecError(
            f"--against is given {many(len(texts), 'time')}, expected {whom if others else 'none: you play alone'}"
        )
    levels = chosen_levels(game, player, texts, args.levels)
    with following(f"{game}  policies") as followed:
        against = {
            i: levels.some_level()
            if text == SOME_LEVEL and levels is not None
            else policies.policy(text, game, i, watch=followed.watch, tell=followed.tell)
            for i, text in zip(others, texts)
        }
    named = dict(zip(others, texts))
    panel = BeliefPanel(lambda: levels or known_fog(game, player, named, against), args.lift)
    if args.lift or args.review:
        panel.fog.prepare()  # what cannot be shown is said before the game, not after it
    if args.review and isinstance(panel.fog, SearchedFog):
        panel.fog.review(())  # which refuses
    return _sit_down(Person(game, player, panel), against, named, args)


def _parser() -> Parser:
    parser = make_parser("play", TEACHING, EXAMPLES)
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="POLICY",
        help="one for all others, or one for each in order: uniform, a solver's spec, a saved solution, or "
        f"{SOME_LEVEL}, which is drawn from the levels that the fog considers and told at the end",
    )
    parser.add_argument(
        "--player",
        "--as",
        dest="player",
        default="0",
        metavar="PLAYER",
        help="who you are, by name or number (default 0)",
    )
    parser.add_argument("--no-rules", action="store_true", help="do not begin with the rules of the game")
    parser.add_argument("--seed", type=natural, metavar="K", help="deal the same game again")
    parser.add_argument(
        "--levels",
        type=natural,
        metavar="K",
        help="the fog takes your opponent for one of levels 0 to K (default: for the policy that it is; "
        f"{SOME_LEVEL} is one of levels 0 to 3)",
    )
    parser.add_argument("--lift", action="store_true", help="lift the fog at every move")
    parser.add_argument("--review", action="store_true", help="say at the end what each move cost, fog lifted or not")
    parser.add_argument(
        "--thoughts", action="store_true", help="say at the end what the searches of the others found at their moves"
    )
    return parser


def _sit_down(person: Person, against: dict[int, Any], named: dict[int, str], args: Any) -> int:
    game: AnyGame = person.game
    policies = [person if i == person.player else against[i] for i in range(len(game.players))]
    person.table = table = Episode(game, policies, np.random.default_rng(args.seed))
    players = ", ".join(f"{game.players[i]} is {text}" for i, text in named.items())
    say(f"{game}   you are {game.players[person.player]}{'; ' + players if players else ''}")
    if not args.no_rules:
        tell_rules(game, PARAGRAPHS)
        tell_help()
    steps = []
    try:
        for step in table.steps():
            steps.append(step)
    except Quit:
        say("\nYou left the table.")
        return 0
    reveal(person, steps, table.played())
    judge(person, table.policies, named, args.review)
    if args.thoughts:
        tell_thoughts(person, table.policies, steps)
    return 0
