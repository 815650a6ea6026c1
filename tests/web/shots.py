"""Pictures of every screen, at both widths, light and dark: `make shots` writes them into build/shots.

To be looked at by people, after each change of a screen. A server is started in a process of its own, with a few
answers in FOGBOUND_HOME, or in a temporary folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import fogbound as fb

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
    "arena": "/arena",
    "nothing": "/nowhere",
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
    wanted = words[1:] or list(PAGES)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.environ.get("FOGBOUND_HOME", temporary)
        solve_into(Path(folder))
        serve = [sys.executable, "-m", "fogbound", "serve", "--port", "0", "--folder", folder]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
            assert server.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
            assert found
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
                            page.goto(found[0] + PAGES[name])
                            page.screenshot(path=target / f"{name}-{size}-{scheme}.png", full_page=True)
                        context.close()
                browser.close()
            server.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
