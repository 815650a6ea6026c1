"""The random numbers of one game of a batch, in plain Python: SplitMix64, from the seed on."""

from __future__ import annotations

WORD = 2**64
STEP = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


class Stream:
    """A source of chance for plain environments, which draws what the game of this seed draws in a batch."""

    def __init__(self, seed: int) -> None:
        self.word = mix(seed % WORD)

    def random(self) -> float:
        self.word = (self.word + STEP) % WORD
        return (mix(self.word) >> 11) / 2**53
