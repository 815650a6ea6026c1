"""Who may ask, and what every answer says of itself: the one place through which all requests pass.

A page of another site can make a browser send requests to this machine. So the server answers to its own names only
(DNS rebinding), takes changes only from its own pages (Origin), and takes no body that is larger than it expects. Where
it listens to other machines, a visitor brings the token of the address that was printed, once; a cookie keeps it.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException

from fogbound.web.settings import Settings

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer a browser's own forms would send "Origin: null"
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
COOKIE = "fogbound"
MOST_BODY = 64 * 1024  # bytes of a form
MOST_FILE = 16 * 1024 * 1024  # bytes of a file that is opened
FILES = "/open"  # where files are taken
SAFE = {"GET", "HEAD"}


class Guard:
    """An application around another: refuses what it should not see, and puts the headers on every answer.

    Parameters
    ----------
    app
        What answers.
    settings
        Whom it answers to.
    """

    def __init__(self, app: App, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets here
            return
        given = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        cookie: list[bytes] = []

        async def answer(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                kept = [
                    (k, v) for k, v in message["headers"] if k.lower() not in dict(HEADERS) or k == b"cache-control"
                ]
                own = [(k, v) for k, v in HEADERS if k not in dict(kept)]
                message["headers"] = [*kept, *own, *((b"set-cookie", one) for one in cookie)]
            await send(message)

        status, why = self._fault(scope, given)
        if not why and self.settings.token:
            status, why, cookie = self._admitted(scope, given)
        if why:
            await _refuse(answer, status, why)
            return
        most = MOST_FILE if scope["path"].startswith(FILES) else MOST_BODY
        announced = given.get("content-length", "0")
        if not announced.isdecimal() or int(announced[:12]) > most:
            await _refuse(answer, 413, f"more than {most:,} bytes would be sent")
            return
        await self.app(scope, _limited(receive, most), answer)

    def _fault(self, scope: Scope, given: dict[str, str]) -> tuple[int, str]:
        """What is wrong with where a request comes from; empty where nothing is."""
        host = given.get("host", "")
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name not in self.settings.hosts:
            return 421, "this server answers to its own names only"
        if scope["method"] in SAFE:
            return 200, ""
        own = _origin(given.get("origin") or given.get("referer", "")) == (scope.get("scheme", "http"), host)
        if given.get("sec-fetch-site", "same-origin") != "same-origin" or not own:
            return 403, "only this server's own pages may change something here"
        kind = given.get("content-type", "").partition(";")[0]
        if kind not in ("", "application/x-www-form-urlencoded", "multipart/form-data"):
            return 415, "expected a form"
        return 200, ""

    def _admitted(self, scope: Scope, given: dict[str, str]) -> tuple[int, str, list[bytes]]:
        """Whether a visitor has the token: in the address at first, later in a cookie."""
        token = self.settings.token
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if hmac.compare_digest(asked.encode(), token.encode()):
            return 200, "", [f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/".encode()]
        cookies = dict(part.strip().partition("=")[::2] for part in given.get("cookie", "").split(";"))
        if hmac.compare_digest(cookies.get(COOKIE, "").encode(), token.encode()):
            return 200, "", []
        return 403, "open the address that fogbound serve printed: it holds a token", []


def _origin(text: str) -> tuple[str, str]:
    """Scheme and host of an address, which together are its origin; empty where it is none."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc


def _limited(receive: Receive, most: int) -> Receive:
    taken = 0

    async def limited() -> MutableMapping[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise HTTPException(413)  # the application answers it with its own page
        return message

    return limited


async def _refuse(send: Send, status: int, why: str) -> None:
    """A refusal that needs nothing of the application."""
    body = f"{why}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
