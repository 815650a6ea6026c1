"""Light-dark: a line, brighter where one sees well, with the origin, the light and the robot."""

from __future__ import annotations

from fogbound.core.drawing import Drawing
from fogbound.core.svg import FOG_3, INK, INK_2, LAMP_FILL, LAMP_WASH, LINE, SEA, box, document, dot, line, text
from fogbound.games.scenes.pieces import EDGE_ROOM, MINE, SMALL, WIDTH, faded, spoken_label, token

TOP, HIGH, STRIPES = 18, 70, 60


def shore(far: float, light: float, robot: float | None, terminal: str) -> Drawing:
    """The line from -far to far; how well one sees is how light it is. `robot` is None where it is hidden."""
    left, wide = EDGE_ROOM, WIDTH - 2 * EDGE_ROOM

    def at_position(position: float) -> float:
        return left + wide * (min(max(position, -far), far) + far) / (2 * far)

    body = [box(left, TOP, wide, HIGH, FOG_3, LINE, 6)]
    step = 2 * far / STRIPES
    for k in range(STRIPES):
        middle = -far + (k + 0.5) * step
        glow = max(0.0, 1.0 - abs(middle - light) / far)
        body.append(
            faded(box(at_position(middle - step / 2), TOP, wide / STRIPES + 0.3, HIGH, LAMP_WASH, round_by=0), glow)
        )
    low = TOP + HIGH
    body.append(line(at_position(0), TOP, at_position(0), low, SEA, 2, "3 4"))
    body.append(dot(at_position(light), TOP + 14, 7, LAMP_FILL))
    for position in range(-int(far), int(far) + 1, 10):
        body.append(
            text(at_position(position), low + 18, str(position), INK if position == 0 else INK_2, SMALL, "middle")
        )
    if robot is not None:
        body.append(token(at_position(robot), TOP + HIGH / 2 + 8, "R", MINE, 14))
    foot = low + 44
    hidden = "The dashed line is the origin, the lamp the light"
    body.append(text(left, foot, hidden, INK_2, SMALL))
    where = "the robot is hidden" if robot is None else f"the robot is at {robot:.4g}"
    label = spoken_label(f"a line with a light at {light:g}", where, "it must stop at the origin")
    return document(WIDTH, foot + 18, body, label, terminal)
