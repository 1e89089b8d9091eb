"""Serves the web console: the files that its build makes, and one page for all of its addresses."""

from __future__ import annotations

import re
import shlex
import sys
from html import escape
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from remit.errors import SetupError
from remit.server.pages.plain import link, paragraph, plain_page
from remit.server.pages.style import ICON
from remit.server.security_headers import content_policy, nonce_of

PACKAGED: Final = Path(__file__).parent / "static"
"""The console of a wheel."""

ADDRESSES: Final = ("chat", "inbox", "runs", "compare", "tools", "policy", "objects", "settings", "more")
"""The first parts of the console's addresses. Others are not found, rather than shown an empty console."""

_BASE: Final = re.compile(r'<base href="[^"]*"\s*/?>')
_FOREVER: Final = "public, max-age=31536000, immutable"
_RELOAD_SECONDS: Final = "3"
_SCRIPT: Final = Path(__file__).parents[3] / "scripts" / "build_console.py"
"""What builds the console, if this package is that of a checkout."""


def console_routes(folder: Path | None = None) -> list[BaseRoute]:
    """The routes of the console in a folder, by default that of the package. They come after all others.

    A folder that is not there yet is being built: a page says so until it is, or that its build failed, and where the
    log is. Without any console a page says that.
    """
    if folder is None:
        if not _is_built(PACKAGED):
            return [Route("/", _say_there_is_none), Route("/favicon.ico", _icon_of_pages)]
        folder = PACKAGED
    page = _Page(folder)
    return [
        Route("/favicon.ico", _icon_of_pages),
        Mount("/assets", app=_Assets(directory=folder / "assets", check_dir=False)),
        Route("/icon.svg", page.icon),
        Route("/", page.show),
        *(Route(f"/{first}", page.show) for first in ADDRESSES),
        *(Route(f"/{first}/{{rest:path}}", page.show) for first in ADDRESSES),
    ]


def check_console(folder: Path | None) -> str:
    """Describe the console in a folder, or in the package.

    A folder without a page is accepted only if ``scripts/build_console.py`` builds it, or has failed to: it is not
    there, and beside it is its log.

    Raises:
        SetupError: the folder has no console.
    """
    if folder is None:
        return "the console of the package" if _is_built(PACKAGED) else f"no console is built; {_remedy()}"
    if _is_built(folder):
        return f"the console in {folder}"
    if folder.exists() or not _log_of(folder).is_file():
        raise SetupError(f"--console: {folder} has no index.html, so it does not contain the console; {_remedy()}")
    return f"the console in {folder}, which is being built; a page says so until it is there"


def _remedy() -> str:
    """The line that builds the console and serves it."""
    if not _SCRIPT.is_file():
        return "give --console FOLDER"
    return f'to build it, add --console "$({shlex.join([sys.executable, str(_SCRIPT)])})"'


def _is_built(folder: Path) -> bool:
    return (folder / "index.html").is_file()


def _is_being_built(folder: Path) -> bool:
    """Whether a build is at work in its own folder beside the one that it makes."""
    return any(folder.parent.glob(f".making-{folder.name}-*"))


def _log_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.log")


class _Assets(StaticFiles):
    """Files whose names change with their content; none until they are built."""

    async def check_config(self) -> None:
        """Accept that the folder is not there yet."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The response with a file."""
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = _FOREVER
        return response


class _Page:
    """The page of the console."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._text = ""

    async def show(self, request: Request) -> Response:
        """The page with the address under which it is served, or one that says that it is being built."""
        index = self._folder / "index.html"
        if not self._text:
            is_being_built = _is_being_built(self._folder)  # first, because the build ends after its page is there
            if not index.is_file():
                return _say_it_is_built(request) if is_being_built else self._say_it_failed(request)
            self._text = index.read_text(encoding="utf-8")
        root = escape(f"{request.scope.get('root_path', '')}/")
        policy = content_policy(nonce_of(request)).replace("base-uri 'none'", "base-uri 'self'")
        headers = {"content-security-policy": policy, "cache-control": "no-store"}
        return HTMLResponse(_BASE.sub(f'<base href="{root}">', self._text, count=1), headers=headers)

    def _say_it_failed(self, request: Request) -> Response:
        text = f"The console could not be built; {_log_of(self._folder)} says why. Start the server again to try again."
        body = paragraph(text, "wrong") + link(request, "/account", "Your account")
        return plain_page(request, "There is no console", body)

    async def icon(self, _request: Request) -> Response:
        """The icon of the page."""
        path = self._folder / "icon.svg"
        return FileResponse(path) if path.is_file() else Response(status_code=404)


async def _icon_of_pages(_request: Request) -> Response:
    """The icon that browsers ask for beside pages that name none."""
    return Response(ICON, media_type="image/svg+xml", headers={"cache-control": "public, max-age=86400"})


async def _say_there_is_none(request: Request) -> Response:
    body = paragraph("The server works, and answers programs. It has no console for people, because none is built.")
    body += paragraph("The server said when it started how to build one.")
    body += link(request, "/account", "Your account")
    return plain_page(request, "There is no console", body)


def _say_it_is_built(request: Request) -> Response:
    body = '<div class="busy" role="progressbar" aria-label="The console is being built"></div>'
    body += paragraph("This page opens it as soon as it is there, usually within two minutes. You need to do nothing.")
    body += paragraph("Questions can be answered meanwhile, at the address in their mail.", "soft")
    response = plain_page(request, "The console is being built", body)
    response.headers["refresh"] = _RELOAD_SECONDS
    return response
