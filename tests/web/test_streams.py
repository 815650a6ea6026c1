"""Open streams and files that were sent: one visitor's share, and what becomes of the oldest."""

from __future__ import annotations

import asyncio
import os

import pytest

from fogbound.web import shelf
from fogbound.web.refusal import Refusal
from fogbound.web.shelf import Upload, trim
from fogbound.web.streams import EventStreams
from fogbound.web.table import routes as live
from fogbound.web.table.store import MOST_STREAMS
from tests.web.loops import run_apart
from tests.web.tables import move, serving, sit

MODEL = """discount: 0.9
values: reward
states: 2
actions: 1
observations: 1
T: * uniform
O: * uniform
R: * : * : * : * {reward}
"""


@pytest.fixture
def client(tmp_path):
    with serving(tmp_path) as client:
        yield client


def seat_of(client, link):
    return client.table.find(link.removeprefix("/table/"))


async def _opened(streams):
    """As many streams as are asked for, each up to its first wait."""
    tasks = [asyncio.ensure_future(anext(stream.body_iterator, None)) for stream in streams]
    await asyncio.sleep(0)
    return tasks


def test_the_streams_of_one_seat_take_nothing_from_other_tables(client):
    """200 streams of one seat: a few are left, the newest, and every other table is answered."""
    store = client.table
    crowd, quiet = sit(client, "po-nim"), sit(client, "po-nim")
    for link in (crowd, quiet):
        client.get(link)

    async def crowded():
        kept, player = seat_of(client, crowd)
        moment = live._now(store, kept, player)
        waiting = []
        for _ in range(2 * MOST_STREAMS):
            waiting += await _opened([live._stream(store, kept, player, moment)])
        assert len(store.streams) == live.MOST_OF_SEAT
        kept, player = seat_of(client, quiet)
        waiting += await _opened([live._stream(store, kept, player, live._now(store, kept, player))])
        assert len(store.streams) == live.MOST_OF_SEAT + 1
        await asyncio.sleep(3 * live.EVERY)
        ended = [task.done() for task in waiting]
        assert ended == [True] * (2 * MOST_STREAMS - live.MOST_OF_SEAT) + [False] * (live.MOST_OF_SEAT + 1)
        assert {task.result() for task in waiting if task.done()} == {None}  # no event: nothing new is to be seen
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    run_apart(crowded())
    assert len(store.streams) == 0


def test_the_oldest_stream_of_an_owner_ends_first():
    streams = EventStreams(10)
    one, two, three = (streams.follow(seat=(("t", k % 2), 2), table=("t", 3)) for k in (0, 1, 0))
    with one as first, two as second, three as third:
        with streams.follow(seat=(("t", 1), 2), table=("t", 3)) as fourth:  # the table has its three
            assert (first.ended, second.ended, third.ended, fourth.ended) == (True, False, False, False)
            assert len(streams) == 3
        assert len(streams) == 2
    assert len(streams) == 0


def test_a_full_server_still_serves_one_who_gives_a_stream_up():
    streams = EventStreams(2)
    with streams.follow(seat=("a", 1)), streams.follow(seat=("b", 1)):
        streams.require_room(seat=("a", 1))
        with pytest.raises(Refusal, match="2 pages"):
            streams.require_room(seat=("c", 1))


@pytest.mark.parametrize("kind", ["seat", "job", "run"])
def test_every_kind_of_stream_has_a_share_for_each_owner(kind):
    from fogbound.web.processes import job_routes as of_jobs
    from fogbound.web.solve import routes as of_runs

    share, most = {
        "seat": (live.MOST_OF_SEAT, MOST_STREAMS),
        "job": (of_jobs.MOST_OF_JOB, of_jobs.MOST),
        "run": (of_runs.MOST_OF_RUN, of_runs.MOST),
    }[kind]
    assert 4 * share <= most


def test_beliefs_after_the_end_assist_nobody(client):
    link = sit(client, "tiger")
    move(client, link, 0)
    client.post(f"{link}/end")
    client.post(f"{link}/fog", data={"lift": "1"})
    kept, player = seat_of(client, link)
    assert player not in kept.assisted
    assert "assisted" not in kept.journal.path.read_text()
    assert "assisted game" not in client.get(link).text


def _send(client, name, reward):
    answer = client.post("/open", files={"file": (name, MODEL.format(reward=reward).encode())})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


@pytest.mark.slow
def test_files_that_were_sent_have_a_quota(client, monkeypatch):
    import fogbound as fb

    assert shelf.RULE in client.get("/open").text
    site = client.app.app.state.site
    monkeypatch.setattr("fogbound.web.opening.routes.trim", lambda kept: trim(kept, most_files=3))
    sent = [_send(client, f"m{k}.pomdp", k) for k in range(3)]
    for age, where in enumerate(sent):  # as if each had been sent a minute after the one before
        path = site.shelf._read(where.rpartition("/")[2]).path
        os.utime(path, (1e9 + 60 * age,) * 2)
    client.get(sent[0])  # used again: the second is now the oldest
    fb.solve("king-ace", "sequence-lp").save(site.settings.folder / "s.npz")
    data = (site.settings.folder / "s.npz").read_bytes()
    run = client.post("/open", files={"file": ("s.npz", data)}).headers["location"]
    assert [client.get(where).status_code for where in (*sent, run)] == [200, 404, 200, 200]
    assert client.post("/open", files={"file": ("x.pomdp", b"no model")}).status_code == 400
    assert [client.get(where).status_code for where in (*sent, run)] == [200, 404, 200, 200]
    assert len([*site.shelf.uploads(), *site.runs.uploads()]) == 3


def test_the_oldest_go_until_the_rest_is_small_enough():
    gone = []
    files = [Upload(when, size, lambda when=when: gone.append(when)) for when, size in ((2, 5), (1, 20), (3, 6))]
    trim(files, most_files=9, most_bytes=11)
    assert gone == [1]
    trim(files, most_files=9, most_bytes=5)
    assert gone == [1, 1, 2, 3]
