"""The games that come with Fogbound, one file each. `games.make("po-nim(n=3)")` builds one."""

from __future__ import annotations

from fogbound.core.game import AnyGame
from fogbound.core.record import KnownValue
from fogbound.core.registry import Registry
from fogbound.core.spec import Spec

TYPE_CHECKING = False  # as type checkers see it, without importing `typing`
if TYPE_CHECKING:
    from fogbound.simulators.simulator import Simulator

GAMES: Registry[AnyGame] = Registry(
    "game",
    {
        "rock-paper-scissors": "fogbound.games.rock_paper_scissors:RockPaperScissors",
        "tic-tac-toe": "fogbound.games.tic_tac_toe:TicTacToe",
        "dark-hex": "fogbound.games.dark_hex:DarkHex",
        "phantom-tic-tac-toe": "fogbound.games.phantom_tic_tac_toe.game:PhantomTicTacToe",
        "slide-tree": "fogbound.games.slide_tree:SlideTree",
        "king-ace": "fogbound.games.king_ace:KingAce",
        "card-poker": "fogbound.games.card_poker:CardPoker",
        "kuhn": "fogbound.games.kuhn:Kuhn",
        "leduc": "fogbound.games.leduc:Leduc",
        "liars-dice": "fogbound.games.liars_dice:LiarsDice",
        "goofspiel": "fogbound.games.goofspiel:Goofspiel",
        "nim": "fogbound.games.nim:Nim",
        "po-nim": "fogbound.games.po_nim:PONim",
        "battleship": "fogbound.games.battleship:Battleship",
        "stratego": "fogbound.games.stratego:Stratego",
        "tiger": "fogbound.games.tiger:Tiger",
        "multi-tiger": "fogbound.games.multi_tiger:MultiTiger",
        "broadcast-channel": "fogbound.games.broadcast_channel:BroadcastChannel",
        "recycling-robots": "fogbound.games.recycling_robots:RecyclingRobots",
        "adversarial-tiger": "fogbound.games.adversarial_tiger:AdversarialTiger",
        "competitive-tiger": "fogbound.games.competitive_tiger:CompetitiveTiger",
        "crying-baby": "fogbound.games.crying_baby:CryingBaby",
        "rock-sample": "fogbound.games.rock_sample.game:RockSample",
        "tag": "fogbound.games.tag:Tag",
        "pocman": "fogbound.games.pocman.game:Pocman",
        "scotland-yard": "fogbound.games.scotland_yard.game:ScotlandYard",
        "king-up": "fogbound.games.king_up.game:KingUp",
        "king-up-figure": "fogbound.games.king_up.positions:KingUpFigure",
        "pursuit": "fogbound.games.pursuit:Pursuit",
        "patrolling": "fogbound.games.patrolling:Patrolling",
        "intrusion": "fogbound.games.intrusion:Intrusion",
        "soccer": "fogbound.games.soccer:Soccer",
        "bandit": "fogbound.games.bandit:Bandit",
        "matrix-game": "fogbound.games.matrix_game:MatrixGame",
        "selten-horse": "fogbound.games.selten_horse:SeltenHorse",
        "beer-quiche": "fogbound.games.beer_quiche:BeerQuiche",
        "myerson-poker": "fogbound.games.myerson_poker:MyersonPoker",
        "repeated": "fogbound.games.repeated:Repeated",
        "random-markov": "fogbound.games.random_markov:RandomMarkov",
        "random": "fogbound.games.random_game:RandomGame",
        "random-posg": "fogbound.games.random_posg:RandomPOSG",
    },
    aliases={
        "kuhn-poker": "kuhn",
        "leduc-poker": "leduc",
        "myersons-poker": "myerson-poker",
        "rps": "rock-paper-scissors",
        "tictactoe": "tic-tac-toe",
        "phantom-ttt": "phantom-tic-tac-toe",
        "rocksample": "rock-sample",
    },
    synonyms={"players": "seats"},
    group="fogbound.games",
)

# Games that other libraries bring: known by name like ours, imported when one is asked for, refused in a line where
# their extra is not installed.
FOREIGN: Registry[AnyGame] = Registry(
    "game", {"openspiel": "fogbound.interop.openspiel.game:OpenSpielGame"}, aliases={"open-spiel": "openspiel"}
)

# Models that can only be sampled.
SIMULATORS: Registry[Simulator] = Registry(
    "simulator",
    {
        "laser-tag": "fogbound.games.laser_tag.game:LaserTag",
        "light-dark": "fogbound.games.light_dark.game:LightDark",
    },
    group="fogbound.simulators",
)


def known_values() -> list[KnownValue]:
    """The known values of all games, which are imported for it."""
    return [known for name in GAMES for known in GAMES.load(name).record.known]


def make(spec: Spec | str) -> AnyGame:
    """The game that a spec such as `card-poker(ranks=8)` describes."""
    return GAMES.make(spec)
