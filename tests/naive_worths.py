"""The oracle of the belief panel: beliefs and worths of moves against given policies, straight from a game's rules.

All courses of play that fit a player's history are listed with their probabilities, and the best continuation is a
recursion over what the player may see next. Games must end within a bounded number of steps.
"""

from __future__ import annotations

from itertools import product

from fogbound.core.policy import kinds


def opening(game, player, others, seen):
    """[(state, memories by other player, policies, weight)] after the first observation."""
    listed = []
    for drawn in product(*(list(kinds(policy)) for policy in others.values())):
        policies = {i: kind for i, (kind, _) in zip(others, drawn)}
        chance = 1.0
        for _, p in drawn:
            chance *= p
        for outcome, p in game.start():
            if outcome.observation(player) == seen and p * chance > 0:
                memories = {i: policy.begin(outcome.observation(i)) for i, policy in policies.items()}
                listed.append((outcome.state, memories, policies, p * chance))
    return listed


def after(game, player, course, action):
    """What may follow one course of play: (own observation, own reward, course); `action` None where not asked."""
    state, memories, policies, weight = course
    actors = game.actors(state)
    options = [
        [(action, 1.0)] if i == player else list(policies[i].act(memories[i], tuple(game.actions(state, i))))
        for i in actors
    ]
    for parts in product(*options):
        joint, chance = tuple(move for move, _ in parts), weight
        for _, p in parts:
            chance *= p
        own = dict(zip(actors, joint))
        for outcome, p in game.step(state, joint):
            if chance * p > 0:
                told = {
                    i: policy.update(memories[i], own.get(i), outcome.observation(i)) for i, policy in policies.items()
                }
                reward = outcome.rewards[player] if outcome.rewards else 0.0
                yield outcome.observation(player), reward, (outcome.state, told, policies, chance * p)


def following(game, player, others, history):
    """All courses that fit a history at whose end the player is to move."""
    courses = opening(game, player, others, history[0])
    for action, seen in history[1:]:
        courses = [
            found
            for course in courses
            if (player in game.actors(course[0])) == (action is not None) and game.actors(course[0])
            for saw, _, found in after(game, player, course, action)
            if saw == seen
        ]
    return [course for course in courses if player in game.actors(course[0])]


def belief(courses):
    """The states of the game with their probabilities."""
    total, states = sum(course[3] for course in courses), {}
    for state, *_, weight in courses:
        states[state] = states.get(state, 0.0) + weight / total
    return states


def worths(game, player, courses):
    """By action, what it earns from here on if the player plays on as well as can be."""
    total = sum(course[3] for course in courses)
    return {action: _action(game, player, courses, action) / total for action in game.actions(courses[0][0], player)}


def _action(game, player, courses, action):
    """The weighted value of an action: what it pays, and the best that follows whatever is seen."""
    paid, seen = 0.0, {}
    for course in courses:
        for saw, reward, found in after(game, player, course, action):
            paid += found[3] * reward
            state = found[0]
            asked = tuple(game.actions(state, player)) if player in game.actors(state) else None
            if game.actors(state):
                seen.setdefault((saw, asked), []).append(found)
    return paid + game.discount * sum(_best(game, player, group, asked) for (_, asked), group in seen.items())


def _best(game, player, courses, asked):
    return max(_action(game, player, courses, action) for action in asked or (None,))
