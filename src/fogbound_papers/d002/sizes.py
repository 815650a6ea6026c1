"""How large the hunts of document 002 are: what of its text can be checked without its maps.

Chapter 3 of document 002: how large the game with tickets is, and what removing symmetry removes.

The examples of document 002's first two chapters: a grid of 4 x 5, the tiger, hot dogs, a hunt on 3 x 6 cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from math import factorial, prod
from statistics import mean

import numpy as np

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.core.game import Observation
from fogbound.files.osposg.writer import dumps_osposg
from fogbound.forms.one_sided.form import OneSided
from fogbound.games import make
from fogbound.games.matrix_game import MatrixGame
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.town import Town, rounds
from fogbound.policies.controller import Controller
from fogbound_papers.claim import Claim, proof_words, unchecked_claim, verdict
from fogbound_papers.d002.hunts import Hunt, Study

FEWER = 0.69  # of the file is gone with 70 % of the actions


def claims(study: Study) -> Iterator[Claim]:
    """The examples, the domain, the size of the hunt on #18."""
    yield from _examples()
    yield from _domain(study)
    own = study.hunt(18)
    triples = len(own.form.reward)
    yield states_of_18(own.form)
    words = "a state with an action of either player; cops in one node would give more"
    holds = 400_000 < triples < 500_000
    yield Claim("#18: transitions and rewards", "§ 4.1", "over 400,000", f"{triples:,}", verdict(holds), words)
    whole, part = file_sizes(own, 30)
    gone = 1 - part / whole
    words = f"our .osposg file of {whole / 1e6:.1f} MB has {part / 1e6:.1f} MB without the lines about those actions"
    holds = abs(gone - FEWER) < 0.02
    yield Claim("70 % fewer actions, a file that much smaller", "§ 4.1", "69 %", f"{gone:.0%}", verdict(holds), words)
    counts = ", ".join(f"{len(study.hunt(number).moves[1]):,}" for number in (12, 18))
    yield Claim("actions of the cops on #12, #18", "–", "–", counts, "not stated", "over all their positions")


def states_of_18(form: OneSided) -> Claim:
    """How large the game is in which three cops hunt on 18 nodes."""
    words = "18 over 3 sets of cops, 15 nodes for the thief; being caught is not counted"
    close = abs(form.size / 12_000 - 1) < 0.05
    return Claim("#18, three cops on 18 nodes: states", "§ 4.1", "12,000", f"{form.size:,}", verdict(close), words)


def file_sizes(own: Hunt, portion: int) -> tuple[int, int]:
    """Bytes of the game's `.osposg` file, and of one that skips what contains an action out of a random subset.

    Transitions and rewards are skipped, as in section 4.1; states, names and who may do what are kept.
    """
    form, mask = own.form, own.subsets(np.random.default_rng(0), [portion])[0]
    numbers = np.unique(form.action_label, return_inverse=True)[1]
    kept = {*zip(form.part_of_action[mask].tolist(), numbers[mask].tolist())}
    part = [*form.part.tolist(), -1]  # the last state is the end, which nothing is taken from
    text = dumps_osposg(form).splitlines(keepends=True)
    moves, rewards = map(int, text[0].split()[5:7])
    whole = sum(map(len, text))
    listed = text[-1 - moves - rewards : -1]
    skipped = 0
    for line in listed:
        state, action, _ = line.split(maxsplit=2)
        where = part[int(state)]
        if where >= 0 and (where, int(action)) not in kept:
            skipped += len(line)
    return whole, whole - skipped


TICKETS = (4, 2, 1)  # seven in all; of how many kinds each, the document does not say
ROUGHLY, CLOSELY = 0.05, 0.01


def _domain(study: Study) -> Iterator[Claim]:
    states, steps = with_tickets(map_of(12), TICKETS)
    words = f"3 x 4 nodes, two cops, {', '.join(map(str, TICKETS))} tickets: the division of seven that fits"
    ours, close = f"{states:,}", abs(states / 600_000 - 1) < ROUGHLY
    yield Claim("with tickets: states", "§ 3.1.2", "roughly 600,000", ours, verdict(close), words)
    close = abs(steps / 15e6 - 1) < ROUGHLY
    yield Claim("with tickets: transitions", "§ 3.1.2", "15 million", f"{steps:,}", verdict(close), "of the same game")
    yield _file(study.hunt(12), steps)
    yield from _symmetry(map_of(18))


def map_of(number: int) -> Town:
    """The map of a hunt."""
    game = make(f"scotland-yard(map={number})")
    assert isinstance(game, ScotlandYard)
    return game.town


def with_tickets(place: Town, tickets: tuple[int, ...]) -> tuple[int, int]:
    """States and transitions when every cop may have any number of its tickets left, as the document counts them."""
    purses = list(product(*(range(count + 1) for count in tickets)))
    states = steps = 0
    for cops in combinations(range(place.nodes), 2):
        free = [node for node in range(place.nodes) if node not in cops]
        states += len(free) * len(purses) ** 2
        moves = sum(len(rounds(place, (cops, two))) for two in product(purses, repeat=2))
        steps += moves * sum(len(place.ways[node]) for node in free)
    return states, steps


def _file(own: Hunt, steps: int) -> Claim:
    """The size of a file from what a transition takes in ours, with its reward."""
    text = dumps_osposg(own.form)
    each = len(text) / len(own.form.reward)
    words = f"{each:.0f} bytes a transition with its reward in our file of #12; how theirs is written is not told"
    ours = f"{each * steps / 1e9:.1f} GB"
    return Claim("with tickets: the file", "§ 3.1.2", "almost 1 GB", ours, "cannot be checked", words)


def _symmetry(place: Town, cops: int = 3) -> Iterator[Claim]:
    """Cops in a given order, and as a set."""
    sets = list(combinations(range(place.nodes), cops))
    ordered = sum(1 for _ in permutations(range(place.nodes), cops))
    share = ordered / len(sets)
    words = f"#18: places of three cops, {ordered:,} in order and {len(sets):,} as sets"
    holds = share == factorial(cops)
    yield Claim("without symmetry: states", "§ 3.2.2", "1 / n!", f"1 / {share:g}", verdict(holds), words)
    as_tuples = factorial(cops) * sum(_ordered_moves(place, each) for each in sets)
    as_sets = sum(len(place.rounds(each)) for each in sets)
    words = (
        f"#18: {as_tuples:,} joint moves in order, {as_sets:,} as sets; a few more go, since cops that cross come "
        "to the same nodes"
    )
    share = as_tuples / as_sets
    holds = abs(share / factorial(cops) - 1) < CLOSELY
    yield Claim("… and actions", "§ 3.2.2", "1 / n!", f"1 / {share:.3f}", verdict(holds), words)


def _ordered_moves(place: Town, cops: tuple[int, ...]) -> int:
    """How many ways three cops who are told apart can move, no two to one node."""
    goals = product(*(place.neighbours[cop] for cop in cops))
    return sum(len(set(each)) == len(cops) for each in goals)


ROWS, COLUMNS, COPS, MOVES = 4, 5, 3, 10
OPENS = 0.1  # the belief below which the document opens the right door
STREET = 10  # parts of the mile, so that 50 % is one of the places
ROUNDS = 9
ETAS = (0.5, 0.8, 0.95, 0.99)
PROBLEMS = ("tiger", "rock-sample(size=4, rocks=4)")
SIMILAR = 1.5  # times as many backups are still not very sensitive
HUNT = "pursuit(columns=6, reveal=4)"
Graph = dict[int, list[int]]


def _examples() -> Iterator[Claim]:
    yield from _grid()
    yield from _tiger()
    yield _anytime()
    yield from _hot_dogs()
    yield _observations()
    yield unchecked_claim(
        "game theory is broadly used in practice", "ch. 1", "of the world at large", "security, biology"
    )
    yield unchecked_claim(
        "linear programs project faster than hulls", "§ 2.2.1", "of large problems in general; it cites it"
    )


def grid_graph(stay: bool) -> Graph:
    """Where one can go from each of the grid's nodes."""
    steps = [(-1, 0), (1, 0), (0, -1), (0, 1), *([(0, 0)] if stay else [])]
    return {
        row * COLUMNS + column: [
            (row + down) * COLUMNS + column + right
            for down, right in steps
            if 0 <= row + down < ROWS and 0 <= column + right < COLUMNS
        ]
        for row, column in product(range(ROWS), range(COLUMNS))
    }


def _grid() -> Iterator[Claim]:
    """Chapter 1: "about 70" actions of three cops, "about 4" of the thief, "3 septillion" states after ten moves."""
    still, moving = grid_graph(stay=True), grid_graph(stay=False)
    free = mean(prod(len(still[cop]) for cop in cops) for cops in combinations(still, COPS))
    thief, must = (mean(map(len, graph.values())) for graph in (still, moving))
    ours, close = f"{free:.0f} and {thief:.1f}", abs(free - 70) < 5 and abs(thief - 4) < 0.5
    words = "over all places of three cops, if all may also stand still and cops may share a node"
    yield Claim("grid 4 x 5: actions of three cops, of the thief", "ch. 1", "70 and 4", ours, verdict(close), words)
    together = mean(
        len({frozenset(goals) for goals in product(*(moving[cop] for cop in cops)) if len(set(goals)) == COPS})
        for cops in combinations(moving, COPS)
    )
    words = "everybody must move and no two cops to one node, as section 3.1.5 has it"
    ours, close = f"{together:.0f} and {must:.1f}", abs(together - 70) < 5 and abs(must - 4) < 0.5
    yield Claim("… by the rules that it then plays", "ch. 1", "70 and 4", ours, verdict(close), words)
    states = sum(1 for _ in combinations(still, COPS)) * (len(still) - COPS)
    ways = f"{(70 * 4) ** MOVES:.3g}"
    words = f"all there are, being caught apart; (70 x 4)^{MOVES} = {ways} counts ways to play, not states"
    statement = "grid 4 x 5: states that may be there after ten moves"
    yield Claim(statement, "ch. 1", "over 3e24", f"{states:,}", verdict(states > 3e24), words)


def _tiger() -> Iterator[Claim]:
    """Section 2.1.2: thresholds of one step, the belief after a roar, and whether any finite plan is optimal."""
    low, high = (10 + 1) / 110, (100 - 1) / 110  # where 10 - 110 b, and -100 + 110 b, are as good as -1
    crossed = abs(low - OPENS) < 1e-12 and abs(high - (1 - OPENS)) < 1e-12
    ours = f"{low:g} and {high:g}"
    words = "where the value of opening a door at once crosses that of listening at once"
    yield Claim("tiger: one-step thresholds", "§ 2.1.2", "0.1 and 0.9", ours, verdict(crossed), words)
    game = fb.game("tiger(resets=false, discount=1)")
    found = fb.solve(game, "belief-search", gap=1e-6)
    best = found.policy(0)
    assert isinstance(best, Controller)  # what belief-search returns
    after = [0.15**k / (0.15**k + 0.85**k) for k in range(6)]  # b: the tiger on the right, after k roars from the left
    opened = next(k for k in range(6) if _opens(best, k))
    waits = [b for b in after[:opened] if b <= OPENS]
    words = (
        f"γ = 1, worth {found.value:.4f} ({proof_words(found)}): after {opened - 1} more roars from "
        f"the left than from the right, b = {after[opened - 1]:.3f}, the best is to listen once more"
    )
    ours = f"{after[opened]:.4f} and less"
    yield Claim("… and in the whole game opening is best at", "§ 2.1.2", "b ≤ 0.1", ours, verdict(not waits), words)
    words = "a slip of the pen: by its own scale b = 0 is a tiger on the left for sure"
    heard = after[1]
    statement = "tiger: the belief after one roar from the left"
    yield Claim(statement, "§ 2.1.2", "b = 0.85", f"b = {heard:.2f}", verdict(abs(heard - 0.85) < 1e-12), words)
    values = [fb.solve(f"horizon(game={game}, steps={n})", "belief-mdp").value for n in range(1, ROUNDS + 1)]
    short = max(values) < found.lower - 1e-9
    words = f"the best plans of 1 to {ROUNDS} steps against one without end; roars may always alternate once more"
    ours = f"{max(values):.3f} < {found.value:.3f}"
    yield Claim("no finite strategy is optimal", "§ 2.1.2", "none", ours, verdict(short), words)


def _opens(policy: Controller, roars: int) -> bool:
    """Whether it opens a door after so many roars from the left."""
    game = fb.game("tiger(resets=false, discount=1)")
    memory = policy.begin(Observation(None, None))
    for _ in range(roars):
        memory = policy.update(memory, "listen", Observation(None, "growl-left"))
    return "listen" not in policy.act(memory, game.actions("left", 0)).support()


def _anytime() -> Claim:
    """Section 2.2.5: "performance is not very sensitive to η"."""
    counts = {spec: [_backups(spec, eta) for eta in ETAS] for spec in PROBLEMS}
    spread = max(max(each) / min(each) for each in counts.values())
    listed = "; ".join(f"{spec.split('(')[0]} {', '.join(f'{n:,}' for n in each)}" for spec, each in counts.items())
    words = f"backups of `hsvi` to a gap of 0.1 for η = {', '.join(f'{eta:g}' for eta in ETAS)} (`zeta`): {listed}"
    ours = f"at most {spread:.1f} times as many"
    said = verdict(spread <= SIMILAR, "not reproduced")
    return Claim("HSVI is not very sensitive to η", "§ 2.2.5", "not very", ours, said, words)


def _backups(spec: str, eta: float) -> int:
    return int(fb.solve(spec, f"hsvi(zeta={eta})", gap=0.1).details["backups"])


def _hot_dogs() -> Iterator[Claim]:
    """Section 2.3.1: what is sold at 25 and 65 per cent of the street, and where nobody moves any more."""
    bob, alice = sold(65, 25), sold(25, 65)
    words = "of a street whose people walk to the nearer stand"
    holds = (bob, alice) == (55, 45)
    yield Claim(
        "hot dogs at 65 % and at 25 %", "§ 2.3.1", "55 and 45 %", f"{bob:g} and {alice:g} %", verdict(holds), words
    )
    places = [100 * k / STREET for k in range(STREET + 1)]
    table = tuple(tuple((sold(one, other), sold(other, one)) for other in places) for one in places)
    found = [
        tuple(places[k] for k in pair) for pair in evaluation.pure_equilibria(forms.normal(MatrixGame(payoffs=table)))
    ]
    words = f"the pure equilibria of a street with {len(places)} places for a stand"
    ours = ", ".join(f"{one:g} and {other:g} %" for one, other in found)
    yield Claim("… both end up in the middle", "§ 2.3.1", "50 and 50 %", ours, verdict(found == [(50.0, 50.0)]), words)


def sold(mine: float, other: float) -> float:
    """The share of the street that is nearer to my stand, in per cent; a shared place is shared."""
    if mine == other:
        return 50.0
    middle = (mine + other) / 2
    return middle if mine < other else 100 - middle


def _observations() -> Claim:
    """Section 2.3.2: what the pursuers may be told."""
    form = forms.one_sided(fb.game(HUNT))
    cells = {observation.public for observation in form.observations if str(observation.public).startswith("evader")}
    words = (
        "three steps of four tell nothing, which its definition counts as an observation too; and all move on a grid "
        f"of two colours, so that every fourth step shows cells of one; {form.size:,} states"
    )
    statement, ours = "hunt on 3 x 6 cells: different observations", f"{len(cells)} cells, or nothing"
    command = f'fogbound check "{HUNT}"'
    return Claim(statement, "§ 2.3.2", "18, one a node", ours, verdict(len(cells) == 18), words, command=command)
