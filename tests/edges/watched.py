"""Watches the windows of a browser: what a policy refused, what they asked of other hosts, what failed."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Request

from tests.edges.tally import add_violations

_LOCAL = frozenset({"about", "blob", "data"})


class Watch:
    """Takes down what the pages of a context do until `check`."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self._host = urlsplit(url).netloc
        self.requests = 0
        self.foreign: list[str] = []
        self.violations: list[str] = []
        self.errors: list[str] = []
        context.on("request", self._take_request)
        context.on("console", self._take_message)
        context.on("weberror", lambda error: self.errors.append(str(error.error)))

    def _take_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in _LOCAL:
            self.requests += 1
            if address.netloc != self._host:
                self.foreign.append(request.url)

    def _take_message(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            self.violations.append(message.text)

    def check(self) -> None:
        """Count what was seen, and fail if it was something."""
        add_violations(
            "console.foreign_requests", len(self.foreign), self.requests, "requests to another host than the server's"
        )
        add_violations(
            "console.csp_violations",
            len(self.violations),
            self.requests,
            "refusals by the policy of a page, by request",
        )
        assert (self.foreign, self.violations, self.errors) == ([], [], [])
