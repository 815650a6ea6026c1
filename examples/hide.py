from dataclasses import dataclass

from fogbound import Dist, Game, Outcome


@dataclass(frozen=True)
class Hide(Game):
    """A hider chooses a room; a seeker opens rooms and hears after each miss whether it was next door."""

    rooms: int = 4
    tries: int = 2
    players = ("hider", "seeker")

    def start(self):
        return Dist.sure(Outcome((None, self.tries)))  # a state: (where the hider is, tries left)

    def actors(self, state):
        room, left = state
        return () if left == 0 else (0,) if room is None else (1,)

    def actions(self, state, player):
        return tuple(range(1, self.rooms + 1))

    def step(self, state, joint):
        (room, left), (choice,) = state, joint
        if room is None:
            return Dist.sure(Outcome((choice, left)))  # nobody sees where
        if choice == room:
            return Dist.sure(Outcome((room, 0), (-1, 1), public="found"))
        clue = "near" if abs(choice - room) == 1 else "far"
        return Dist.sure(Outcome((room, left - 1), (1, -1) if left == 1 else (), public=clue))
