"""A browser whose requests are counted: all of them go to a proxy, which knows one document and no other server."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

_SITE: Final = "site.test"
_ADDRESS: Final = f"http://{_SITE}/"
RUN: Final = "document.documentElement.dataset.ran=1"
"""What a text does if it runs: a mark in the document, which a browser shows."""
_RAN: Final = 'data-ran="1"'

_OWN_HOSTS: Final = frozenset({"update.googleapis.com", "clients2.google.com", "accounts.google.com"})
"""The servers that Chromium asks for itself whatever it shows: updates, the time, an account."""

_OPTIONS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--disable-features=HttpsUpgrades,OptimizationHints,MediaRouter,Translate,NetworkTimeServiceQuerying",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--timeout=10000",
    "--dump-dom",
)
"""Requests of this machine go to the proxy as well; no name is resolved, should one pass it by."""

_CONTROL: Final = (
    "http://elsewhere.test/a",
    "https://elsewhere.test/a",
    "http://192.0.2.1/a",
    "http://127.0.0.1:8099/a",
)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a document did in a browser: whether anything ran, and the servers that it asked.

    ``elsewhere`` are the requests of servers other than its own, ``own`` counts those of its own.
    """

    ran: bool
    elsewhere: tuple[str, ...]
    own: int


@dataclass(slots=True)
class _Proxy:
    """Answers the one address with a document, everything else with 404, and notes all requests."""

    document: bytes = b""
    requests: list[str] = field(default_factory=list[str])

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """The class that answers one connection."""
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                proxy.requests.append(self.path)
                body = proxy.document if self.path == _ADDRESS else b""
                self.send_response(200 if body else 404)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                with suppress(ConnectionError):  # the browser has gone on to the next page
                    self.wfile.write(body)

            do_GET = do_HEAD = do_POST = do_PUT = do_OPTIONS = do_CONNECT = answer  # noqa: N815 - names of the class

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - name of the class
                del format, args

        return Handler


@dataclass(frozen=True, slots=True)
class Browser:
    """Chromium, whose requests all go to a proxy of this process."""

    path: str
    folder: Path
    port: int
    proxy: _Proxy

    def show(self, document: str) -> Shown:
        """Show a document, and wait until all of it is loaded."""
        self.proxy.document, self.proxy.requests = document.encode(), []
        proxy, profile = f"--proxy-server=http://127.0.0.1:{self.port}", f"--user-data-dir={self.folder / 'profile'}"
        command = [self.path, *_OPTIONS, proxy, profile, _ADDRESS]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if "</html>" not in done.stdout:
            raise RuntimeError(f"the browser showed nothing: {done.stderr[-500:]}")
        hosts = [_host_of(each) for each in self.proxy.requests]
        if _SITE not in hosts:
            raise RuntimeError("the browser did not ask the proxy for the document, so its requests are not counted")
        return Shown(
            ran=_RAN in done.stdout.partition("<head")[0],
            elsewhere=tuple(each for each in hosts if each != _SITE and each not in _OWN_HOSTS),
            own=hosts.count(_SITE) - 1,
        )


@contextmanager
def open_browser(path: str, folder: Path) -> Generator[Browser]:
    """A browser that was seen to run a script, and whose requests of names and addresses were counted.

    Raises:
        RuntimeError: it runs nothing, or a request of it was not counted, so it would notice no fault either; or it
            asks for something whatever it shows.
    """
    proxy = _Proxy()
    server = ThreadingHTTPServer(("127.0.0.1", 0), proxy.handler())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        browser = Browser(path, folder, server.server_address[1], proxy)
        images = "".join(f'<img src="{each}">' for each in _CONTROL)
        seen = browser.show(f"<html><head></head><body>{images}<script>{RUN}</script></body></html>")
        if not seen.ran or {*seen.elsewhere} != {_host_of(each) for each in _CONTROL}:
            raise RuntimeError(f"the browser would not notice a fault: {seen}")
        if (plain := browser.show("<html><head></head><body>Bread</body></html>")).elsewhere or plain.ran:
            raise RuntimeError(f"the browser finds faults in a plain document: {plain}")
        yield browser
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _host_of(target: str) -> str:
    """The host in the target of a request to a proxy, ``http://host/path`` or ``host:443``."""
    return urlsplit(target if "://" in target else f"//{target}").hostname or target
