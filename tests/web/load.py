"""Many people at once: `python -m tests.web.load` plays whole games against a server in a process of its own.

    python -m tests.web.load                       50 players who think about a second, a solve beside them
    python -m tests.web.load --games 10000         as many games as fast as they go, and what memory they take

Every player is a thread with a connection of its own: it makes a move, is sent to the page, and draws the next move.
Printed are the times of answers, what the server's own process took of the processor for a move, and how busy the
machine was: on one that is busy with other things, only the second figure says something of the server.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import fogbound as fb
from tests.web.tables import moves, step_of

GAME, SOLVER, SAVED = "card-poker(ranks=8)", "sequence-lp", "0" * 32
SOLVE = {"spec": "leduc", "solver": "cfr-plus", "gap": "", "seconds": "3600"}
TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass
class Counted:
    """What all players have seen, in seconds."""

    moved: list[float] = field(default_factory=list)
    looked: list[float] = field(default_factory=list)
    games: int = 0
    failed: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Player(threading.Thread):
    """Plays whole games, one after another, until it is told to stop."""

    def __init__(self, port: int, seed: int, think: float, counted: Counted, over: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.think, self.counted, self.over = port, think, counted, over
        self.rng = random.Random(seed)
        self.wire = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def run(self) -> None:
        self.over.wait(self.rng.random() * self.think)  # they do not all come at once
        while not self.over.is_set():
            try:
                self.play()
            except (OSError, http.client.HTTPException, AssertionError) as error:
                self.counted.failed.append(f"{type(error).__name__}: {error}"[:200])
                self.wire.close()

    def play(self) -> None:
        against = {"game": GAME, "against": f"run:{SAVED}", "seat": self.rng.choice("01")}
        _, link, _ = self.ask("POST", "/table/new", against)
        _, page, took = self.ask("GET", link)
        while not self.over.is_set():
            offered = moves(page)
            if not offered:
                assert "film" in page, page[:300]
                break
            self.over.wait(self.think * (0.5 + self.rng.random()))
            answer = {"step": step_of(page), "place": self.rng.choice(offered)}
            status, _, took = self.ask("POST", f"{link}/move", answer)
            assert status == 303, status
            _, page, looked = self.ask("GET", link)
            with self.counted.lock:
                self.counted.moved.append(took)
                self.counted.looked.append(looked)
        with self.counted.lock:
            self.counted.games += 1

    def ask(self, method: str, path: str, given: dict[str, object] | None = None) -> tuple[int, str, float]:
        """The status, the page or where one is sent, and how long that took."""
        body = None if given is None else urlencode(given)
        headers = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/x-www-form-urlencoded"}
        began = time.perf_counter()
        self.wire.request(method, path, body, headers if body else {})
        answer = self.wire.getresponse()
        text = answer.read().decode()
        took = time.perf_counter() - began
        assert answer.status < 400, f"{answer.status} {path}"
        return answer.status, answer.headers.get("location") or text, took


def processor(pid: int) -> float:
    """Seconds of the processor that a process has taken itself."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def stolen() -> tuple[int, int]:
    """Ticks that a host gave to others while this machine wanted them, and all ticks: of a machine of one's own, 0."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return ticks[7], sum(ticks)


def memory(pid: int) -> float:
    """Megabytes of a process that are in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def say(line: str) -> None:
    """A line on standard output, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def told(name: str, times: list[float]) -> str:
    """The middle, the 95th of a hundred and the longest, in milliseconds."""
    if len(times) < 2:
        return f"{name}: too few"
    middle, late = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    return f"{name}: p50 {1e3 * middle:.0f} ms, p95 {1e3 * late:.0f} ms, max {1e3 * max(times):.0f} ms"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (60)")
    parser.add_argument("--think", type=float, default=1.0, help="seconds that a player thinks about a move (1)")
    parser.add_argument("--games", type=int, default=0, help="play so many games without thinking, and tell the memory")
    parser.add_argument("--no-solve", action="store_true", help="without a solve beside them")
    args = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "runs" / SAVED
        saved.mkdir(parents=True)
        fb.solve(GAME, SOLVER).save(saved / "solution.npz")
        serve = [sys.executable, "-m", "fogbound", "serve", "--port", "0", "--folder", folder]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
            assert server.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)", server.stdout.readline())
            assert found
            threading.Thread(target=_heard, args=(server.stdout,), daemon=True).start()
            try:
                measure(args, server.pid, int(found[1]))
            finally:
                server.terminate()
    return 0


def _heard(lines: Iterable[str]) -> None:
    """Tell what the server says; one whom nobody hears waits, as soon as the pipe is full."""
    with suppress(ValueError):  # the pipe was closed at the end
        for line in lines:
            say(f"server: {line.rstrip()[:200]}")


def measure(args: argparse.Namespace, pid: int, port: int) -> None:
    counted, over = Counted(), threading.Event()
    think = 0.0 if args.games else args.think
    players = [Player(port, seed, think, counted, over) for seed in range(args.players)]
    if not args.no_solve and not args.games:
        players[0].ask("POST", "/solve/runs", SOLVE)
    players[0].play()  # what is loaded for the first game is not measured
    counted.moved.clear(), counted.looked.clear()
    counted.games, before, began, ticks = 0, processor(pid), time.perf_counter(), stolen()
    for player in players:
        player.start()
    shown = 0
    while counted.games < args.games if args.games else time.perf_counter() - began < args.seconds:
        time.sleep(0.2)
        if args.games and counted.games // 1000 > shown:
            shown = counted.games // 1000
            say(f"{counted.games:>7,} games  {memory(pid):7.1f} MB  load {os.getloadavg()[0]:.1f}")
        if len(counted.failed) > 100:
            break
    took, used = time.perf_counter() - began, processor(pid) - before
    load = os.getloadavg()[0]
    lost, of = (now - then for now, then in zip(stolen(), ticks))
    over.set()
    made = max(1, len(counted.moved))
    say(f"{args.players} players, {counted.games:,} games, {made:,} moves in {took:.0f} s, {made / took:.0f} a second")
    say(f"{told('moves', counted.moved)} (answered at a beat of 100 ms)")
    say(told("pages", counted.looked))
    say(
        f"server: {1e3 * used / made:.1f} ms of the processor a move with its page, {100 * used / took:.0f} % of a core"
    )
    busy = f"load {load:.1f} on {os.cpu_count()} cores, {100 * lost / max(1, of):.0f} % of them taken by the host"
    say(f"memory {memory(pid):.1f} MB, {busy}, {len(counted.failed)} failures")
    for why in sorted(set(counted.failed))[:5]:
        say(f"  {why}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
