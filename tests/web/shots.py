"""Pictures of every screen, at both widths, light and dark: `make shots` writes them into build/shots.

To be looked at by people, after each change of a screen. A server is started in a process of its own, with a few
answers in FOGBOUND_HOME, or in a temporary folder.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fogbound as fb
from tests.web.processes import started

CHROMIUM = "/usr/bin/chromium"
WIDTHS = {"phone": (390, 844), "desk": (1280, 800)}
SOLVED = {  # the answers that are looked at
    "poker": ("card-poker(ranks=8)", "sequence-lp", {}),
    "tiger": ("tiger", "sarsop", {"gap": 1e-2}),
    "nim": ("po-nim(n=3)", "level-k(levels=2)", {"player": 1}),
    "rps": ("rock-paper-scissors(biased=true)", "matrix-lp", {}),
}
PAGES = {
    "games": "/",
    "game-po-nim": "/games/po-nim",
    "game-card-poker": "/games/card-poker",
    "explore": "/explore",
    "strategy": "/explore/poker/strategy?set=1",
    "controller": "/explore/nim/controller?node=1",
    "controller-tiger": "/explore/tiger/controller?node=1&path=0",
    "tree": "/explore/poker/tree?node=2",
    "beliefs": "/explore/tiger/beliefs",
    "matrix": "/explore/rps/matrix",
    "bounds": "/explore/tiger/bounds",
    "reproduce": "/reproduce",
    "reproduce-003": "/reproduce/003",
    "solve": "/solve?game=po-nim",
    "table-new": "/table/new?game=king-up",
    "open": "/open",
    "arena": "/arena",
    "nothing": "/nowhere",
}


LONG = 120_000  # milliseconds: on a busy machine opponents take a while


def play(page: Any, base: str, game: str, moves: int, lift: bool) -> None:
    """A game from the first seat against level 2: so many moves, with the fog lifted at last or not."""
    page.goto(f"{base}/games/{game}")
    page.select_option("#play select[name=against]", "level-k(level=2)")
    page.click("#play button.main")
    for _ in range(moves):
        page.wait_for_selector("button.move, .film", timeout=LONG)
        if page.locator("button.move").count():
            page.locator("button.move").first.click()
            page.wait_for_timeout(700)  # a page may follow a stream, and is never idle then
    page.wait_for_selector("button.move, .film", timeout=LONG)
    if lift and page.locator("#lift").count():
        page.click("#lift")
        page.wait_for_selector("#lift[aria-checked=true]", timeout=LONG)
        page.wait_for_function("() => !document.body.innerText.includes('Working it out')", timeout=LONG)
        page.wait_for_timeout(700)  # a page may follow a stream, and is never idle then


def solve(page: Any, base: str) -> None:
    """A run that is over."""
    page.goto(f"{base}/solve?game=leduc&solver=cfr-plus")
    page.fill("input[name=gap]", "0")
    page.fill("input[name=seconds]", "12")
    page.click("button.main:has-text('Solve')")
    page.wait_for_selector("text=What you have", timeout=LONG)


def tournament(page: Any, base: str) -> None:
    """A tournament as it fills in."""
    page.goto(f"{base}/arena?game=card-poker")
    for k, name in enumerate(["uniform", "sequence-lp", "is-mcts(simulations=50)"]):
        page.locator("input[name=entrant]").nth(k).fill(name)
    page.fill("input[name=deals]", "400")
    page.click("button.main")
    page.wait_for_selector("#standings .dots", timeout=LONG)


SCENES: dict[str, Callable[[Any, str], None]] = {  # what takes more than an address
    "table": lambda page, base: play(page, base, "po-nim", 1, lift=False),
    "table-fog": lambda page, base: play(page, base, "po-nim?n=5", 2, lift=True),
    "table-poker": lambda page, base: play(page, base, "card-poker", 0, lift=True),
    "table-over": lambda page, base: play(page, base, "card-poker", 4, lift=False),
    "run": solve,
    "tournament": tournament,
}


def solve_into(folder: Path) -> None:
    """A few answers, as runs leave them."""
    for name, (game, solver, limits) in SOLVED.items():
        place = folder / "runs" / name
        place.mkdir(parents=True, exist_ok=True)
        if not (place / "solution.npz").exists():
            fb.solve(game, solver, **limits).save(place / "solution.npz")


def main(words: list[str]) -> int:
    from playwright.sync_api import sync_playwright

    target = Path(words[0]) if words else Path("build/shots")
    wanted = words[1:] or [*PAGES, *SCENES]
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.environ.get("FOGBOUND_HOME", f"{temporary}/home")
        solve_into(Path(folder))
        server, address = started(Path(folder))
        with server:
            try:
                with sync_playwright() as playwright:
                    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                    for scheme in ("light", "dark"):
                        for size, (width, height) in WIDTHS.items():
                            context = browser.new_context(
                                viewport={"width": width, "height": height},
                                color_scheme=scheme,  # type: ignore[arg-type]
                            )
                            page = context.new_page()
                            for name in wanted:
                                if name in SCENES:
                                    SCENES[name](page, address)
                                else:
                                    page.goto(address + PAGES[name], timeout=LONG)
                                page.screenshot(path=target / f"{name}-{size}-{scheme}.png", full_page=True)
                            context.close()
                    browser.close()
            finally:
                server.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
