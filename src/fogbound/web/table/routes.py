"""The addresses of the table: begin, look, move, lift the fog, look back, go on from a position, take the log away."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse

from fogbound import api
from fogbound.arena.log import KIND, SCHEMA, record_line
from fogbound.core.errors import FogboundError, one_line
from fogbound.core.json_lines import json_line
from fogbound.inference.fog import Inferred
from fogbound.inference.levels.opponent import LevelPosterior
from fogbound.inference.type_posterior import describe_levels
from fogbound.web.pages import attachment, render_page, see_other
from fogbound.web.refusal import Refusal
from fogbound.web.site import Here, Site
from fogbound.web.streams import STILL_HERE, event_stream, event_text
from fogbound.web.table import replay
from fogbound.web.table.opponents import APART, PERSON, fields, opponent_choices, opponent_words, seated, spec_with
from fogbound.web.table.panel import BeliefRow, PositionSoFar, figure, panel, position_so_far
from fogbound.web.table.store import KeptGame, TableStore
from fogbound.web.table.view import seat_view

router = APIRouter(prefix="/table")
NO_START = "The rules of this game failed at its very "
PREPARING = "preparing"  # of a game whose policies are not there yet
MOST_OF_TABLE, MOST_OF_SEAT = 24, 6  # streams at once
EVERY, HEARTBEAT, LONGEST = 0.2, 15.0, 600.0  # seconds


@router.get("/new")
def show_new_game(request: Request, site: Here, game: str = "po-nim") -> Response:
    """The form that begins a game."""
    made = site.game(game)
    return render_page(
        request,
        "table_new.html",
        spec=game,
        title=game if game in site.settings.own else made.title,
        rules=api.rules(made),
        players=made.players,
        fields=[] if game in site.settings.own else fields(game),
        opponents=opponent_choices(made.players),
        apart=APART,
    )


@router.post("/new")
async def begin_game(request: Request, site: Here) -> Response:
    """Begin a game, and go to one's seat; to the links of the other players first, where they are people."""
    async with request.form() as form:
        given = {key: value for key, value in form.items() if isinstance(value, str)}
        against = [str(text) for text in form.getlist("against")]
    kept, player = await run_in_threadpool(_begin, site, given, against)
    return see_other(kept.welcome(player))


def _begin(site: Site, given: dict[str, str], against: list[str]) -> tuple[KeptGame, int]:
    spec = given.get("game", "").strip()
    if spec not in site.settings.own:
        spec = spec_with(spec, given)
    game = site.game(spec)
    player = api.player_index(given.get("seat") or 0, game)
    others = [i for i in range(len(game.players)) if i != player]
    named = seated(given, against, others)
    return site.table.new(spec, [named.get(i, PERSON) for i in range(len(game.players))], player), player


@router.get("/{link}/links")
def show_links(request: Request, site: Here, link: str) -> Response:
    """The links of the other people at a table, for the one who began the game, once."""
    kept, player = site.table.find(link)
    found = kept.show_links(player)
    if not found:
        return see_other(kept.link(player))
    here = str(request.base_url).rstrip("/")
    named = {kept.game.players[i]: here + address for i, address in found.items()}
    return render_page(request, "table_links.html", **_frame(site, kept, player), links=named)


@router.get("/{link}")
async def show_seat(request: Request, site: Here, link: str, step: int | None = None) -> Response:
    """The game from a seat: as it stands, or as it was after a step. Who is first to look sees it begin, at a beat."""
    kept, player, answer = await run_in_threadpool(_looked, request, site, link, step)
    if answer is None:
        await kept.shown()
        answer = await run_in_threadpool(_page, request, site, kept, player, step)
    return answer


def _looked(request: Request, site: Site, link: str, step: int | None) -> tuple[KeptGame, int, Response | None]:
    """The page of a seat; none where the game has begun just now, and is shown at a beat."""
    kept, player = site.table.find(link)
    if kept.sitting is None and _begins(kept):
        return kept, player, None
    return kept, player, _page(request, site, kept, player, step)


def _begins(kept: KeptGame) -> bool:
    """Whether a game that nobody had looked at has begun; what stands against that is told by the page."""
    try:
        return kept.ready() is not None
    except Refusal:
        return False


@router.post("/{link}/move")
async def make_move(request: Request, site: Here, link: str) -> Response:
    """A person's move; of one that comes too late, the position as it is."""
    async with request.form() as form:
        step, place = (_number(form.get(key)) for key in ("step", "place"))
    kept, player, late = await run_in_threadpool(_moved, request, site, link, step, place)
    if late is not None:
        return late
    await kept.shown()
    return see_other(kept.link(player))


def _moved(request: Request, site: Site, link: str, step: int, place: int) -> tuple[KeptGame, int, Response | None]:
    kept, player = site.table.find(link)
    try:
        kept.choose(player, step, place)
    except Refusal as refusal:
        if refusal.status != 409:
            raise
        return kept, player, _page(request, site, kept, player, None, 409, str(refusal))
    return kept, player, None


@router.post("/{link}/fog")
async def lift_fog(request: Request, site: Here, link: str) -> Response:
    """Lift the fog, which marks the game as assisted, or let it come down again."""
    kept, player = await run_in_threadpool(site.table.find, link)
    async with request.form() as form:
        lift = form.get("lift") == "1"
    await run_in_threadpool(kept.lift, player, lift)
    return see_other(kept.link(player))


@router.post("/{link}/end")
def end_game(site: Here, link: str) -> Response:
    """Leave the game, which then is over for everybody."""
    kept, player = site.table.find(link)
    kept.end()
    return see_other(kept.link(player))


@router.get("/{link}/live")
async def follow_seat(site: Here, link: str, moment: str = "") -> Response:
    """Tells a page when there is something new to see from its seat."""
    kept, player = await run_in_threadpool(site.table.find, link)
    return _stream(site.table, kept, player, moment)


@router.post("/{link}/again")
def play_again(site: Here, link: str) -> Response:
    """The same game once more, with another deal."""
    kept, player = site.table.find(link)
    asked = kept.asked
    texts = [asked.against.get(i, PERSON) for i in range(len(kept.game.players))]
    return see_other(site.table.new(asked.game, texts, player).welcome(player))


@router.post("/{link}/from")
async def go_on_from(request: Request, site: Here, link: str) -> Response:
    """A new game from a position of one that is over."""
    async with request.form() as form:
        step = _number(form.get("step"))
    kept, player = await run_in_threadpool(site.table.find, link)
    made = await run_in_threadpool(site.table.branch, kept, step, player)
    return see_other(made.welcome(player))


@router.get("/{link}/log")
def take_log(site: Here, link: str) -> Response:
    """The game that is over as a log, which `fogbound infer` reads."""
    kept, _ = site.table.find(link)
    sitting = kept.ready()
    if sitting is None or not kept.over:
        raise Refusal(404, "A log tells everything, so there is one only when the game is over.")
    record = sitting.record()
    header = json_line({"fogbound": KIND, "schema": SCHEMA, "game": str(kept.game)})
    text = header + record_line(record.histories, record.returns)
    name = f"{one_line(kept.game.name or 'game', 40)}-{kept.id[:8]}.jsonl".replace("/", "-").replace('"', "")
    return attachment(name.encode("ascii", "replace").decode(), text, "application/jsonl")


def _page(
    request: Request,
    site: Site,
    kept: KeptGame,
    player: int,
    step: int | None,
    status: int = 200,
    alert: str = "",
) -> Response:
    """The page of a seat, whatever the game has come to."""
    try:
        sitting = kept.ready()
    except Refusal as refusal:
        return render_page(request, "table_failed.html", refusal.status, why=str(refusal), kept=kept, screen="/table")
    if sitting is not None and sitting.broken and not sitting.steps:  # nobody has seen anything
        return render_page(request, "table_failed.html", 400, why=NO_START, kept=kept, screen="/table")
    shown = _frame(site, kept, player) | {"alert": alert}
    if sitting is None:
        return render_page(request, "table_waiting.html", status, **shown, moment=moment(PREPARING, False))
    if kept.over and (step is None or step >= 0):
        return render_page(request, "table_over.html", status, **(shown | _truth(site, kept, player, step)))
    return render_page(request, "table_seat.html", status, **(shown | _seen(site, kept, player, step)))


def _frame(site: Site, kept: KeptGame, player: int) -> dict[str, Any]:
    """What all pages of a seat have: of links, its own alone."""
    game = kept.game
    others = {game.players[i]: opponent_words(text) for i, text in sorted(kept.asked.against.items())}
    people = {game.players[i]: "a person" for i in sorted(kept.asked.seats) if i != player}
    return {
        "link": kept.link(player),
        "spec": kept.asked.game,
        "title": site.title(kept.asked.game),
        "me": game.players[player],
        "alone": len(game.players) == 1,
        "against": others | people,
        "rules": kept.rules,
        "assisted": player in kept.assisted,
        "lifted": player in kept.lifted,
    }


def _seen(site: Site, kept: KeptGame, player: int, step: int | None) -> dict[str, Any]:
    """What a seat sees now, or saw after a step: from what it was told, and from nothing else."""
    sitting = kept.sitting
    assert sitting is not None
    standing = seat_standing(kept, player)
    person, thinking = sitting.people[player], kept.thinking
    held = kept.held[player] if thinking else None
    current = person.seat if held is None else held.seat
    now = len(current.steps) - 1
    past = step is not None and 0 <= step < now
    seat = current.until(step) if past and step is not None else current
    asked = not past and not thinking and sitting.asked(player)
    actions = person.actions if asked else ()
    inferred, why, so_far, pending = None, "", None, False
    if asked and player in kept.lifted:
        inferred, why = _inferred(site, kept, player, seat.history, actions)
        so_far, pending = _so_far(site, kept, player, seat.history, inferred)
    if past and step is not None:
        then = current.history[step + 1][0] is not None
    else:
        then = bool(person.actions) if held is None else held.asked
    return {
        "view": seat_view(seat, then, actions, site.table.pictures, inferred),
        "asked": asked,
        "past": past,
        "now": now,
        "chosen": not past and not thinking and bool(person.actions) and not asked,
        "thinking": thinking,
        "broken": "" if thinking else sitting.broken,
        "panel": None if inferred is None else panel(kept.game, player, inferred),
        "position": so_far,
        "pending": pending,
        "why": why,
        "figure": figure,
        "moment": moment(standing, pending or (asked and player in kept.lifted and inferred is None and not why)),
    }


def _inferred(site: Site, kept: KeptGame, player: int, history: Any, actions: Any) -> tuple[Any, str]:
    """What follows from a history, or why there is nothing to show."""
    seat = (kept.id, player)
    try:
        return site.table.insights.inferred(seat, kept.game, player, kept.others(player), tuple(history), actions), ""
    except FogboundError as error:
        return None, one_line(str(error), 300)


def _so_far(
    site: Site, kept: KeptGame, player: int, history: Any, inferred: Inferred | None
) -> tuple[PositionSoFar | None, bool]:
    """The position at each own move up to now, and whether it is being worked out; nothing where it cannot be."""
    if inferred is None or not inferred.worths or not any(action is not None for action, _ in history[1:]):
        return None, False
    seat = (kept.id, player)
    try:
        found = site.table.insights.reviewed(seat, kept.game, player, kept.others(player), tuple(history))
    except FogboundError:  # a search gives figures for now and none for then
        return None, False
    return (None, True) if found is None else (position_so_far(found.moves, inferred.worths), False)


def _truth(site: Site, kept: KeptGame, player: int, step: int | None) -> dict[str, Any]:
    """Everything, now that the game is over."""
    sitting, reviewed, why, standing = kept.sitting, None, "", seat_standing(kept, player)
    assert sitting is not None
    assert sitting.result is not None
    history = tuple(sitting.people[player].seat.history)
    try:
        reviewed = site.table.insights.reviewed((kept.id, player), kept.game, player, kept.others(player), history)
    except FogboundError as error:
        why = one_line(str(error), 300)
    level, level_why = None, ""
    if len(kept.game.players) == 2:
        try:
            level = site.table.insights.levelled((kept.id, player), kept.game, player, sitting.record())
        except FogboundError as error:
            level_why = one_line(str(error), 300)
    at = min(max(step or 0, 0), sitting.count)
    two = len(kept.game.players) == 2
    waiting = (reviewed is None and not why) or (two and level is None and not level_why)
    return {
        "heading_text": replay.outcome_heading(sitting, player),
        "frames": replay.frames(sitting, player, None if reviewed is None else reviewed.moves, site.table.pictures, at),
        "at": None if step is None else at,
        "tally": None if reviewed is None else replay.tally(reviewed.moves),
        "assumption": "" if reviewed is None else reviewed.assumption,
        "why": why,
        "level": level,
        "levels": [] if level is None else _by_class(level),
        "level_why": level_why,
        "two": two,
        "returns": dict(zip(kept.game.players, sitting.result.returns)),
        "ended": sitting.result.ended,
        "waiting": waiting,
        "moment": moment(standing, waiting),
    }


def _by_class(level: LevelPosterior) -> list[BeliefRow]:
    """Levels that play alike, the likeliest first."""
    shares, classes = level.by_class.tolist(), level.types.classes
    return [BeliefRow(describe_levels(classes[k]), shares[k]) for k in level.ranking]


def _number(text: Any) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", str(text)):
        raise Refusal(422, "A move is the number of a step and the place of an action.")
    return int(str(text))


def seat_standing(kept: KeptGame, player: int) -> str:
    """What a seat can know of how far a game is: steps, its turn, whether somebody thinks."""
    sitting = kept.sitting
    if sitting is None:
        return PREPARING if not all(future.done() for future in kept.policies.values()) else "prepared"
    if kept.thinking:
        return f"{kept.held[player].told}-thinking"
    told = len(sitting.people[player].seat.steps)
    return "-".join(str(int(part)) for part in (told, sitting.asked(player), sitting.over, bool(sitting.broken)))


def moment(standing: str, waiting: bool) -> str:
    """Where a page stands, and whether something is being worked out for it.

    A page takes its standing before it is drawn and says itself what it waits for, so that nothing that comes meanwhile
    is missed.
    """
    return f"{standing}-{waiting:d}"


def _now(store: TableStore, kept: KeptGame, player: int) -> str:
    return moment(seat_standing(kept, player), store.insights.waiting((kept.id, player)))


def _stream(store: TableStore, kept: KeptGame, player: int, before: str) -> StreamingResponse:
    """Ends with one event, as soon as there is anything else to see than at the moment `before`.

    Without one it ends after a while, or when newer pages of the seat wait: a browser that still shows the page asks
    again by itself.
    """
    shares = {"seat": ((kept.id, player), MOST_OF_SEAT), "table": (kept.id, MOST_OF_TABLE)}
    store.streams.require_room(**shares)

    async def events() -> AsyncIterator[str]:
        with store.streams.follow(**shares) as own:
            passed = quiet = 0.0
            while _now(store, kept, player) == before and passed < LONGEST and not own.ended:
                await asyncio.sleep(EVERY)
                passed, quiet = passed + EVERY, quiet + EVERY
                if quiet >= HEARTBEAT:
                    quiet = 0.0
                    yield STILL_HERE
            if not own.ended:
                yield event_text("over", "look again")

    return event_stream(events())
