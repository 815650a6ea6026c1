"""King Up's rules as compiled rules: the castle as one set of pieces a level, each set the bits of a word.

A state is (deal, who pushes or pushed, pieces left to set, rejection cards, the set on level 0, on level 1, …, on the
throne). Cards are `CARD_BITS` bits a player. What is in no set is off the board; a state with nobody on the board and
nothing left to set is over. With sets a random step is a few instructions: where there is room for whom, is a union of
sets, and who is pushed is one of its bits.
"""

from __future__ import annotations

from typing import Any

from fogbound.compiled.bits import chosen, counted
from fogbound.compiled.draws import below
from fogbound.compiled.kernel import kernel
from fogbound.compiled.rules import rule

SEATS, PIECES, HEIGHT, WIDTH, REST, LISTS, FIRST = range(7)  # of `rules.integers`; LISTS: where they begin, by deal
BONUS, TOP, UNIT, CHANCE = range(4)  # of `rules.numbers`; CHANCE: of each deal
DEAL, MOVER, LEFT, CARDS, LEVEL = range(5)  # of a state, such as the one at FIRST; LEVEL: the first of the levels
CARD_BITS, ONE_HAND = 5, 31
YES, NO, PUSH, SET, STRIDE = 0, 1, 2, 32, 32  # codes: PUSH + piece, SET + STRIDE * piece + level
VOTES, LIST = 2048, 4096  # what is seen besides: VOTES + one bit a "no", LIST + the set of the own list


@kernel
def cards_of(state: Any, player: Any) -> Any:
    """How many rejection cards a player holds."""
    return (state[CARDS] >> (CARD_BITS * player)) & ONE_HAND


@kernel
def on_board(rules: Any, state: Any) -> Any:
    """The set of all pieces on some level."""
    union = 0
    for level in range(LEVEL, LEVEL + rules.integers[HEIGHT] + 1):
        union |= state[level]
    return union


@kernel
def off_board(rules: Any, state: Any) -> Any:
    """The set of all others."""
    return ((1 << rules.integers[PIECES]) - 1) & ~on_board(rules, state)


@kernel
def room_on_level(rules: Any, state: Any, level: Any) -> Any:
    """Whether one more can stand there: always on level 0 and on the throne, which is empty when somebody pushes."""
    between = 0 < level < rules.integers[HEIGHT]
    return not between or counted(state[LEVEL + level]) < rules.integers[WIDTH]


@kernel
def movable(rules: Any, state: Any) -> Any:
    """The set of the pieces that can be pushed."""
    pieces = 0
    for level in range(rules.integers[HEIGHT]):
        if room_on_level(rules, state, level + 1):
            pieces |= state[LEVEL + level]
    return pieces


@kernel
def pass_on(rules: Any, state: Any) -> Any:
    """It is the next one's turn."""
    following = state[MOVER] + 1
    state[MOVER] = following if following < rules.integers[SEATS] else 0


@kernel
def put(rules: Any, state: Any, piece: Any, level: Any) -> Any:
    """Set a piece, given as a set, on a level; it is the next one's turn."""
    integers = rules.integers
    state[LEVEL + level] |= piece
    state[LEFT] -= 1
    if state[LEFT] == 0 and integers[REST]:
        state[LEVEL] |= off_board(rules, state)
    pass_on(rules, state)


@kernel
def push(rules: Any, state: Any, piece: Any) -> Any:
    """Push a piece, given as a set, up; it stays the turn of whoever makes all vote."""
    level = LEVEL
    while not state[level] & piece:
        level += 1
    state[level] ^= piece
    state[level + 1] |= piece
    if level + 1 < LEVEL + rules.integers[HEIGHT]:
        pass_on(rules, state)


@kernel
def reject(rules: Any, state: Any, against: Any) -> Any:
    """Everybody in `against` pays a card, and the throne is empty: whether play goes on."""
    integers = rules.integers
    for player in range(integers[SEATS]):
        state[CARDS] -= ((against >> player) & 1) << (CARD_BITS * player)
    state[LEVEL + integers[HEIGHT]] = 0
    pass_on(rules, state)
    return on_board(rules, state) != 0


@kernel
def score(rules: Any, state: Any, player: Any) -> Any:
    """What a player is paid where the game ends as the pieces stand."""
    integers, numbers = rules.integers, rules.numbers
    own = integers[integers[LISTS] + state[DEAL] * integers[SEATS] + player]
    points = numbers[TOP] if state[LEVEL + integers[HEIGHT]] & own else 0.0
    for level in range(1, integers[HEIGHT]):
        points += level * counted(state[LEVEL + level] & own)
    return (points if points > 0.0 else numbers[BONUS]) / numbers[UNIT]


@kernel
def end(rules: Any, state: Any) -> Any:
    """What is over has no state but the one."""
    for word in range(LEVEL + rules.integers[HEIGHT] + 1):
        state[word] = 0


@rule
def begin(rules: Any, k: Any, state: Any, seen: Any) -> Any:
    """The k-th deal: each sees its own list."""
    integers = rules.integers
    for word in range(LEVEL + integers[HEIGHT] + 1):
        state[word] = integers[FIRST + word]
    state[DEAL] = k
    for player in range(integers[SEATS]):
        seen[player] = LIST + integers[integers[LISTS] + k * integers[SEATS] + player]
    return rules.numbers[CHANCE]


@rule
def actors(rules: Any, state: Any, out: Any) -> Any:
    """All where somebody stands on the throne, else who sets or pushes."""
    integers = rules.integers
    if state[LEVEL + integers[HEIGHT]]:
        for player in range(integers[SEATS]):
            out[player] = player
        return integers[SEATS]
    out[0] = state[MOVER]
    return 1 if state[LEFT] or on_board(rules, state) else 0


@rule
def legal(rules: Any, state: Any, player: Any, out: Any) -> Any:
    """Votes; else pieces by their letters, and what is set by levels too."""
    integers, count = rules.integers, 0
    if state[LEVEL + integers[HEIGHT]]:
        out[0], out[1] = YES, NO
        return 2 if cards_of(state, player) else 1
    pieces = off_board(rules, state) if state[LEFT] else movable(rules, state)
    for piece in range(integers[PIECES]):
        if (pieces >> piece) & 1 and state[LEFT]:
            for level in range(integers[REST], integers[HEIGHT] - 1):
                if room_on_level(rules, state, level):
                    out[count] = SET + STRIDE * piece + level
                    count += 1
        elif (pieces >> piece) & 1:
            out[count] = PUSH + piece
            count += 1
    return count


@rule
def chances(rules: Any, state: Any, joint: Any, places: Any, weights: Any) -> Any:  # noqa: ARG001
    """Nothing is left to chance after the deal."""
    weights[0] = 1.0
    return 1


@rule
def follow(rules: Any, state: Any, joint: Any, places: Any, k: Any, rewards: Any, seen: Any) -> Any:  # noqa: ARG001
    """All see the word that was said, or the votes."""
    integers = rules.integers
    seats, word = integers[SEATS], joint[0]
    for player in range(seats):
        rewards[player] = 0.0
    if state[LEVEL + integers[HEIGHT]]:
        against = 0
        for player in range(seats):
            against |= joint[player] << player
        word = VOTES + against
        if against == 0 or not reject(rules, state, against):
            for player in range(seats):
                rewards[player] = score(rules, state, player)
            end(rules, state)
    elif state[LEFT]:
        put(rules, state, 1 << ((word - SET) // STRIDE), (word - SET) % STRIDE)
    else:
        push(rules, state, 1 << (word - PUSH))
    for player in range(seats):
        seen[player] = word
    return 0


@rule
def play_out(rules: Any, state: Any, random: Any, left: Any, returns: Any) -> Any:
    """The same steps at random, without a list of what is legal: how many were played."""
    integers = rules.integers
    seats, throne = integers[SEATS], LEVEL + integers[HEIGHT]
    for step in range(left):
        if state[throne]:
            against = 0
            for player in range(seats):
                if cards_of(state, player):
                    against |= below(random, 2) << player
            if against == 0 or not reject(rules, state, against):
                for player in range(seats):
                    returns[player] += score(rules, state, player)
                end(rules, state)
                return step + 1
        elif state[LEFT]:
            set_at_random(rules, state, random)
        else:
            pieces = movable(rules, state)
            if not pieces:
                return step
            push(rules, state, chosen(pieces, below(random, counted(pieces))))
    return left


@kernel
def set_at_random(rules: Any, state: Any, random: Any) -> Any:
    """One of the legal settings, as they are ordered: by pieces, then by levels with room."""
    integers, room = rules.integers, 0
    for level in range(integers[REST], integers[HEIGHT] - 1):
        room += room_on_level(rules, state, level)
    pieces = off_board(rules, state)
    place = below(random, counted(pieces) * room)
    level, higher = integers[REST] - 1, place % room
    while higher >= 0:
        level += 1
        higher -= room_on_level(rules, state, level)
    put(rules, state, chosen(pieces, place // room), level)
