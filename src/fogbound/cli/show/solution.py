"""`fogbound show` of a saved solution: its policy, with what it believes, or another view of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fogbound.api.looking import Look, believed
from fogbound.cli.console import whisper
from fogbound.cli.show.common import Shown, game_of
from fogbound.core.drawing import Drawing
from fogbound.core.errors import FileError, FogboundError, LimitError, SpecError, many
from fogbound.core.game import AnyGame
from fogbound.driver.solution import column, range_words
from fogbound.naming import games as naming

if TYPE_CHECKING:
    from fogbound.evaluation import Visitation

MOST_LISTED = 100  # nodes of a controller in a terminal
FEW = 300  # nodes that a strategy by bounds may have to be listed at all: each takes a linear program
MOST_MOVES = 12


def solution(args: Any) -> Shown:
    """A saved solution: its policy as text or picture, its bounds, or one game as it was believed."""
    from fogbound import draw, files, policies
    from fogbound.policies import AlphaVectors
    from fogbound.policies.stored import StoredBounds

    stored = files.load(args.what)
    looked = Look(stored, game_of(args, stored))
    game = looked.game
    player = stored.player if args.player is None else naming.player_index(args.player, game)
    if player not in stored.profile:
        raise SpecError(f"{args.what}: has no policy for player {player} ({game.players[player]})")
    value = stored.value_text(10)
    bounds = range_words(stored.lower, stored.upper, stored.possible, 10)
    bounds = f"bounds {bounds}" if math.isfinite(stored.lower + stored.upper) else bounds
    head = (
        f"{stored.provenance['game']}   {stored.provenance['solver']}   value {value} for "
        f"{game.players[stored.player]}, {bounds}   "
        "claimed by the file, not checked: fogbound verify"
    )
    if args.view == "bounds":
        rows = [f"{m.seconds:>9.3f}  {column(m.lower, 10):>14}  {column(m.upper, 10):>14}" for m in stored.trace]
        low, high = stored.words
        text = "\n".join([head, f"  seconds  {low:>14}  {high:>14}", *rows])
        return Shown(lambda: text, lambda: looked.bounds(title=args.title))
    if args.view == "path":
        return Shown.below(head, lambda: draw.logit_path(stored, game=game, title=args.title))
    if args.view == "field" or (args.view == "auto" and game.draws_policies):
        return Shown.below(head, lambda: draw.field(stored, game=game, player=player, title=args.title))
    if args.view == "belief":
        title = f"What {game.players[player]} believed"
        titled = args.title or f"{game}: {title.lower()}"
        return Shown.below(f"{head}\n{title}", lambda: looked.beliefs(player, seed=args.seed, title=titled))
    if args.view == "vectors":
        return Shown.below(head, lambda: _value_by_belief(args.what, looked, player, args.title))
    if isinstance(looked.policy(player), AlphaVectors):

        def refuse() -> Drawing:
            raise SpecError(f"{args.what}: holds a value function: look at it with --view vectors, belief or bounds")

        return Shown(lambda: _summed_up(looked.policy(player), head) if args.view == "auto" else refuse().text, refuse)
    if isinstance(stored.profile[player], StoredBounds) and args.view == "auto" and not args.output:
        strategy: Any = looked.policy(player)
        try:
            policies.controller(game, player, strategy, FEW)
        except LimitError:
            return Shown(
                lambda: _begun(strategy, game, player, head),
                lambda: _policy(looked, player, args, head).picture(),
            )
    shown = _policy(looked, player, args, head)
    if args.view == "tree":

        def as_tree() -> Drawing:
            return looked.tree(title=args.title)

        return Shown(lambda: f"{head}\n{as_tree().text.removesuffix(chr(10))}", as_tree)
    return shown


def _summed_up(policy: Any, head: str) -> str:
    """A value function in two lines: how many vectors start with which action."""
    counts = Counter(str(policy.pomdp.actions[a]) for a in policy.actions)
    listed = ", ".join(f"{action} {count:,}" for action, count in counts.most_common(12))
    return f"{head}\n{many(len(policy.actions), 'vector')} over {many(policy.pomdp.size, 'state')}: {listed}"


def _begun(policy: Any, game: AnyGame, player: int, head: str) -> str:
    """A strategy that is too large to list, by how it begins: it finds each next move when it is asked."""
    lines = [head, f"{game.players[player]}'s policy remembers more than {FEW} things; how it begins:"]
    for outcome, _ in game.start():
        if player in game.actors(outcome.state):
            moves = policy.act(policy.begin(outcome.observation(player)), game.actions(outcome.state, player))
            likely = sorted(moves, key=lambda pair: -pair[1])[:MOST_MOVES]
            lines += [f"  {p:7.2%}  {game.describe(action)}" for action, p in likely]
    lines.append("look at it with --view belief or bounds, --view controller -o FILE, or play against it")
    return "\n".join(lines)


def _policy(looked: Look, player: int, args: Any, head: str) -> Shown:
    """A strategy's table, or a controller with what it believes at each node."""
    from fogbound import draw
    from fogbound.draw.controller.graph import controller_text  # alone: a picture of so many nodes takes its time
    from fogbound.policies import Tabular

    ways: dict[str, Callable[[int], Any]] = {"strategy": looked.tabular, "controller": looked.automaton}
    policy = ways.get(args.view, looked.natural)(player)
    describe, title = looked.game.describe, f"{head}\n{looked.game.players[player]}'s policy"
    if isinstance(policy, Tabular):
        return Shown.below(title, lambda: draw.strategy(policy, describe=describe, title=args.title))

    def held() -> Visitation | None:
        try:
            return looked.visitation(player)
        except FogboundError as error:
            whisper(f"fogbound: shown without beliefs: {error}")
            return None

    return Shown(
        lambda: f"{title}\n{controller_text(policy, describe, MOST_LISTED, held())}",
        lambda: draw.controller(policy, describe=describe, visitation=held(), title=args.title),
        lambda: draw.controller_dot(policy, describe=describe, visitation=held()),
    )


def value_function(args: Any) -> Shown:
    """A file of vectors, for the game that --game names."""
    from fogbound import draw, files, forms

    if not args.game:
        raise SpecError(f"{args.what}: holds vectors alone; name the model that they are for with --game")
    game = naming.game(args.game)
    policy = files.read_vectors(args.what, forms.pomdp(game))
    head = f"{game}   {args.what}"
    if args.view == "belief":
        title = f"What {game.players[0]} believed"
        titled = args.title or f"{game}: {title.lower()}"
        return Shown.below(f"{head}\n{title}", lambda: believed(game, {0: policy}, policy.pomdp, args.seed, titled))
    if args.view not in ("auto", "vectors"):
        raise SpecError(f"--view {args.view}: a file of vectors is shown with --view vectors or --view belief")
    return Shown.below(head, lambda: draw.vectors(policy, describe=game.describe, title=args.title))


def _value_by_belief(name: str, looked: Look, player: int, title: str) -> Drawing:
    """Value by belief of a saved solution."""
    try:
        return looked.vectors(player, title=title)
    except SpecError as error:
        raise SpecError(f"{name}: {error}") from error
    except FileError as error:
        raise FileError(f"{name}: {error}") from error
