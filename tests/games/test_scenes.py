"""Games that draw themselves: what a seat cannot see changes nothing, what it believes shows, and all can be read."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from xml.etree import ElementTree

import pytest

from fogbound.core import Board, Dist, Drawing, Game, GameError, Outcome, Tile
from fogbound.core.game import AnyGame
from fogbound.forms.tree import Tree, tree
from fogbound.games import make
from fogbound.testing import check_game
from fogbound.transforms.horizon import Horizon
from fogbound.transforms.team import Team
from tests.draw.made import SVG, checked

HUNT = "map=12, cops=[0], thief=9, transport_seen=false"
CASTLE = "king-up(seats=2, pieces=3, targets=2, height=3, width=1, rounds=1, lists=any)"
HIDDEN: dict[str, AnyGame] = {  # games with a drawing of their own in which something is hidden, in small versions
    "po-nim": Horizon(make("po-nim(n=2)"), 4),
    "card-poker": make("card-poker(ranks=4)"),
    "king-ace": make("king-ace"),
    "kuhn": make("kuhn(seats=3)"),
    "leduc": make("leduc"),
    "scotland-yard": Horizon(make(f"scotland-yard({HUNT})"), 3),
    "tickets": Horizon(make(f"scotland-yard({HUNT}, tickets=[2, 1, 1])"), 2),
    "pursuit": Horizon(make("pursuit(rows=2, columns=3, pursuers=1, reveal=2)"), 4),
    "king-up": Horizon(make(CASTLE), 3),
    "tiger": Horizon(make("tiger"), 4),
    "multi-tiger": Horizon(make("multi-tiger"), 2),
    "competitive-tiger": Horizon(make("competitive-tiger"), 2),
    "rock-sample": Horizon(make("rock-sample(size=2, rocks=2)"), 3),
    "tag": Horizon(make("tag"), 1),
    "pocman": Horizon(make("pocman(maze=ring)"), 3),
}
NARROW, READABLE = 330, 11  # a phone, and the least size of letters there, in pixels
PHONE = (
    *("po-nim(n=5)", "po-nim(n=30)", "card-poker", "king-ace", "kuhn", "kuhn(seats=7)", "leduc", "pursuit(columns=10)"),
    *(
        "scotland-yard",
        "scotland-yard(map=24)",
        "soccer",
        "tiger",
        "tag",
        "rock-sample",
        "rock-sample(size=11, rocks=11)",
        "pocman",
    ),
    *("rock-sample(size=11, rocks=11)", "king-up", "king-up(setting=full)", "tic-tac-toe", "goofspiel", "multi-tiger"),
)


@cache
def unrolled(name: str) -> Tree:
    return tree(HIDDEN[name])


def alike(name: str) -> list[tuple[int, list[object]]]:
    """For each information set who moves there, and the states that it cannot tell apart."""
    form, sets = unrolled(name), defaultdict[tuple[int, int], list[object]](list)
    for node in range(form.size):
        if form.infoset[node] >= 0:
            sets[int(form.mover[node]), int(form.infoset[node])].append(form.states[form.state[node]])
    return [(player, list(dict.fromkeys(states))) for (player, _), states in sets.items()]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", HIDDEN)
def test_what_a_seat_cannot_tell_apart_is_the_same_picture_to_the_byte(name):
    game, compared = HIDDEN[name], 0
    for player, states in alike(name)[:150]:
        several = len(states) > 1
        belief = Dist.uniform(states)
        for held in (None, belief):
            pictures = {game.draw(state, player, held) for state in states[:60]}
            assert len(pictures) == 1, states
        compared += several
    assert compared, "nothing was hidden"


@pytest.mark.parametrize("name", HIDDEN)
def test_a_belief_shows_and_whoever_sees_everything_has_none(name):
    game = HIDDEN[name]
    player, states = max(alike(name), key=lambda found: len(found[1]))
    belief = Dist.uniform(states)
    assert game.draw(states[0], player, belief) != game.draw(states[0], player)
    assert game.draw(states[0], None, belief) == game.draw(states[0])
    assert "%" in game.draw(states[0], player, belief).label
    assert "%" not in game.draw(states[0]).label


@pytest.mark.parametrize("name", HIDDEN)
def test_pictures_keep_what_all_pictures_promise(name):
    game = HIDDEN[name]
    for player, states in alike(name)[:: max(1, len(alike(name)) // 12)]:
        for picture in (
            game.draw(states[0], player),
            game.draw(states[0], player, Dist.uniform(states)),
            game.draw(states[0]),
        ):
            promised(picture)


def promised(picture: Drawing) -> None:
    """No ids or styles, one sentence, no colours but the page's (and ink or white on what the dark leaves alone)."""
    root = checked(without_fans(picture))
    assert root.get("aria-label") == picture.label
    plain = re.sub(r"var\([^)]*\)", "", picture.svg)
    assert set(re.findall(r"#[0-9a-f]{6}\b", plain)) <= {"#ffffff", "#14212b"}


def without_fans(picture: Drawing) -> str:
    """The picture less its fanned cards, which lie over each other."""
    root = ElementTree.fromstring(picture.svg)
    for element in [e for e in root if e.get("transform", "").startswith("rotate")]:
        root.remove(element)
    return ElementTree.tostring(root, "unicode")


@pytest.mark.parametrize("spec", PHONE)
def test_letters_can_be_read_on_a_phone(spec):
    game = make(spec)
    state = next(iter(game.start()))[0].state
    for player in (None, 0):
        root = checked(game.draw(state, player))
        wide = max(NARROW, float(root.get("width")))
        sizes = [float(e.get("font-size")) for e in root.iter(f"{SVG}text")]
        assert min(sizes) * NARROW / wide >= READABLE


def densities(picture: Drawing) -> list[float]:
    return [float(found) for found in re.findall(r'<g opacity="([^"]+)"', picture.svg)]


def test_a_stone_is_as_dense_as_it_is_likely():
    nim = make("po-nim(n=3)")
    belief = Dist.of({(3, 1, 0): 0.5, (3, 2, 0): 0.3, (3, 0, 0): 0.2})
    assert densities(nim.draw((3, 1, 0), 0, belief)) == [0.8, 0.3]  # and none for the third
    assert "0 with 20\u202f%" in nim.draw((3, 1, 0), 0, belief).label
    assert densities(nim.draw((3, 1, 0), 0)) == []


def test_whoever_has_lost_sees_both_heaps():
    nim, end = make("po-nim(n=3)"), "one stone is left: the game is over."
    assert nim.draw((1, 0, 1), 0).label == f"Their heap has 0 stones; your heap has 1 stone; {end}"
    assert nim.draw((1, 0, 1), 1).label == f"Their heap has 1 stone; your heap has 0 stones; {end}"


def test_cards_rise_with_their_probability():
    poker = make("card-poker(ranks=4)")
    belief = Dist.of({((2, 1), "b"): 0.6, ((2, 3), "b"): 0.3, ((2, 4), "b"): 0.1})
    fan = poker.draw(belief.support()[0], 0, belief).svg.split('transform="rotate')[1:]
    heights = {re.findall(r">([^<]+)</text>", card)[0]: float(re.findall(r' y="([^"]+)"', card)[0]) for card in fan}
    assert set(heights) == {"1", "3", "4"}
    assert heights["1"] < heights["3"] < heights["4"]


def test_halos_are_denser_where_the_thief_is_likelier():
    game = make("scotland-yard")
    cops = game.cops
    picture = game.draw((cops, 3), 0, Dist.of({(cops, 3): 0.5, (cops, 4): 0.25, (cops, 5): 0.25}))
    halos = [float(found) for found in re.findall(r'<g><circle [^>]*opacity="([^"]+)"', picture.svg)]
    assert halos == [0.34, 0.17, 0.17]
    assert "he may be in 3 with 50\u202f%, 4 with 25\u202f%, 5 with 25\u202f%" in picture.label


def test_where_the_robot_is_follows_from_what_it_believes():
    tag = make("tag")
    sure = Dist.uniform([(3, 12), (3, 13)])
    assert "the robot is in cell 3; the opponent is in cell 12 with 50\u202f%" in tag.draw((3, 12), 0, sure).label
    assert "the robot is hidden; the opponent is hidden" in tag.draw((3, 12), 0).label
    assert "the robot is in cell 3; the opponent is in cell 3." in tag.draw((3, 3)).label


def test_chips_are_what_was_paid():
    leduc = make("leduc")
    first, raised = (("Ks", "Qh"), "", 1, 1, 1), (("K", "Q"), "J", 3, 2, 0)
    assert "First bet, First's card is hidden, 3 paid" in leduc.draw(first, 1).label
    assert "you hold Q, 1 paid" in leduc.draw(first, 1).label.replace("You", "you")
    assert "Second raised, Second's card is hidden, 11 paid" in leduc.draw(raised, 0).label
    assert "18 in the pot" in leduc.draw(raised, 0).label


def test_games_made_from_games_hand_the_belief_on():
    tiger, belief = make("tiger"), Dist.of({"left": 0.7, "right": 0.3})
    cut = Horizon(tiger, 3)
    assert cut.draw((3, "left"), 0, belief.map(lambda side: (3, side))) == tiger.draw("left", 0, belief)
    nim, held = make("po-nim"), Dist.uniform([(3, 3, 0), (3, 2, 0)])
    assert Team(nim, (1,)).draw((3, 3, 0), 0, held) == nim.draw((3, 3, 0), 0, held)


def test_tiles_say_how_likely_something_is_there():
    board = Board.grid([[Tile("", "fog", 0.75), Tile("x", "fog", 0.25), Tile("", "fog")]])
    assert re.split(" +", board.text()) == ["75\u202f%", "x", "▒▒▒▒"]
    assert densities(board.draw()) == [0.45, 0.15]


def test_a_long_caption_is_broken():
    root = checked(Board.grid([["x"]], "so many words that no phone has room for all of them in one line " * 2).draw())
    assert float(root.get("width")) < 430
    assert len(list(root.iter(f"{SVG}text"))) > 3


@dataclass(frozen=True)
class Leaking(Game[str, str]):
    """A game whose board keeps the secret and whose picture does not."""

    players = ("one",)

    def start(self) -> Dist[Outcome[str]]:
        return Dist.uniform([Outcome("red"), Outcome("blue")])

    def actors(self, state: str) -> tuple[int, ...]:
        return () if state == "over" else (0,)

    def actions(self, state: str, player: int) -> tuple[str, ...]:
        return ("guess",)

    def step(self, state: str, joint: tuple[str, ...]) -> Dist[Outcome[str]]:
        return Dist.sure(Outcome("over"))

    def draw(self, state: str, player: int | None = None, belief: Dist[str] | None = None) -> Drawing:
        return Board.of_text(state).draw()


def test_a_picture_that_tells_is_a_breach_of_the_contract():
    with pytest.raises(GameError, match=r"one cannot tell 'red' from 'blue', but draw\(\) shows a difference"):
        check_game(Leaking())
