"""Many games at once, compiled: what policies earn, estimated by playing.

`kernels` steps the games over plain arrays; `players` numbers what policies remember and answers what the kernel does
not know yet, once each. One player who follows alpha vectors (`vector_player`) has its belief followed in compiled
code, which remembers the beliefs that it met and finds the best vector without looking at most. Both draw as
`arena.episode` does, so that a plain game with the same numbers is the same game, which is how they are tested.
"""

from fogbound.evaluation.episodes.played import CUT, FADED, OVER, PlayedEpisodes, play_episodes

__all__ = ["CUT", "FADED", "OVER", "PlayedEpisodes", "play_episodes"]
