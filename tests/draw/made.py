"""What the tests of drawings share: a game with nasty names, and what every picture must satisfy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from xml.etree import ElementTree

from fogbound.core import Dist, Drawing, Game, Outcome
from fogbound.core.measure import width_of
from fogbound.driver.protocol import Until
from fogbound.forms.belief_mdp import belief_mdp
from fogbound.forms.pomdp import pomdp
from fogbound.forms.sequence import sequence
from fogbound.forms.tree import tree
from fogbound.games import make
from fogbound.policies import Tabular, Uniform
from fogbound.solvers import make as make_solver
from tests.run import solve

NASTY = ('<b>&"', "</svg>\x00\x1b[31m", "]]>'\\n\"")
SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class NastyGame(Game[int, str]):
    """Three moves that no label should be trusted with, an observation to match, then the same again."""

    players = ('<i>"one"', "two & more", "three")

    def start(self) -> Dist[Outcome[int]]:
        return Dist.uniform(
            Outcome(0, private=(observation, observation, None)) for observation in ('<s a="1">', "\ud800 & \u202e")
        )

    def actors(self, state: int) -> tuple[int, ...]:
        return (state,) if state < 3 else ()

    def actions(self, state: int, player: int) -> tuple[str, ...]:
        return NASTY

    def step(self, state: int, joint: tuple[str, ...]) -> Dist[Outcome[int]]:
        return Dist.sure(Outcome(state + 1, (1.0, -0.5, 1e-9) if state == 2 else (), public=joint[0]))


@cache
def made_tree(spec: str):
    return tree(NastyGame() if spec == "nasty" else make(spec))


def uniform(spec: str, player: int) -> Tabular:
    form = sequence(made_tree(spec))
    return Tabular(form.tree, player, form.plexes[player].uniform)


@cache
def solved(spec: str):
    return solve(make_solver("sequence-lp"), sequence(made_tree(spec)))


@cache
def replied(spec: str, player: int = 0):
    """The best reply to uniform play."""
    game = make(spec)
    others = {i: Uniform() for i in range(len(game.players)) if i != player}
    return solve(make_solver("belief-mdp"), belief_mdp(pomdp(game, player, others)), Until(gap=1e-6))


def checked(picture: Drawing | str) -> ElementTree.Element:
    """Parse a picture and hold it to what all pictures promise."""
    root = ElementTree.fromstring(str(picture))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == ("group" if list(root.iter(f"{SVG}a")) else "img")  # nothing inside an image is reached
    assert root.get("aria-label", "").endswith(".")
    assert not [e for e in root.iter() if e.get("id") or e.get("style") or e.tag in (f"{SVG}style", f"{SVG}script")]
    boxes = [_extent(e) for e in root.iter(f"{SVG}text")]
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for left, top, right, bottom, words in boxes:
        assert left >= 0, words
        assert top >= 0, words
        assert right <= width, words
        assert bottom <= height, words
    for a, b in combinations(boxes, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, f"{a[4]!r} overlaps {b[4]!r}"
    return root


def _extent(element: ElementTree.Element) -> tuple[float, float, float, float, str]:
    words, size = element.text or "", float(element.get("font-size", "12"))
    width = width_of(words, size, bold=int(element.get("font-weight", "400")) >= 600)
    x, y = float(element.get("x", "0")), float(element.get("y", "0"))
    left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[element.get("text-anchor", "start")] * width
    return left, y - 0.75 * size, left + width, y + 0.2 * size, words


def words_in(root: ElementTree.Element) -> list[str]:
    return [e.text or "" for e in root.iter(f"{SVG}text")]


def marked(root: ElementTree.Element, name: str) -> set[int]:
    """The numbers that elements carry under an attribute."""
    return {int(e.get(name, "")) for e in root.iter() if e.get(name) is not None}
