"""Operations that request one address."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias
from urllib.parse import urlsplit

from remit import LeafContext
from remit.errors import DeniedError, ExternalError
from remit.http import GuardedHttp, HttpReply
from remit.tools import Preview
from remit_cms.web.payloads import HttpGet, HttpPost, HttpResult

FindHosts: TypeAlias = Callable[[LeafContext], Awaitable[tuple[str, frozenset[str]]]]

_MAX_SHOWN = 4000


class HttpRequests:
    """Requests addresses.

    Args:
        http: sends the requests.
        post_hosts: the hosts that the operator allows to post to, by site.
        find_hosts: returns the site of a call, and the hosts that its settings allow. If both allow some, a host must
            be in both.
    """

    def __init__(self, http: GuardedHttp, post_hosts: Mapping[str, frozenset[str]], find_hosts: FindHosts) -> None:
        self._http, self._post_hosts, self._find_hosts = http, post_hosts, find_hosts

    async def http_get(self, ctx: LeafContext, payload: HttpGet) -> HttpResult:
        """Fetch an address as it is, such as JSON. To read the text of a page, use web_fetchContent."""
        del ctx
        return _result(await self._http.get(payload.url, payload.headers))

    async def http_post(self, ctx: LeafContext, payload: HttpPost) -> HttpResult:
        """Post text to an address that the site allows. Not for publishing or changing pages of this site."""
        await self._check(ctx, payload)
        return _result(await self._http.post(payload.url, payload.body.encode(), _headers_of(payload)))

    async def preview_get(self, ctx: LeafContext, payload: HttpGet) -> Preview:
        """What is requested, for the person who is asked. An address that is refused ends the call before that."""
        del ctx
        address = self._http.check(payload.url, payload.headers)
        return Preview(f"GET {address}\nheaders: {_name_headers(payload.headers or {})}")

    async def preview_post(self, ctx: LeafContext, payload: HttpPost) -> Preview:
        """What is sent and where, for the person who is asked. A host that is not allowed ends the call before that."""
        await self._check(ctx, payload)
        headers = _headers_of(payload)
        address, size = self._http.check(payload.url, headers), f"{len(payload.body.encode()):,} bytes"
        body = payload.body if len(payload.body) <= _MAX_SHOWN else f"{payload.body[:_MAX_SHOWN]}… (cut)"
        return Preview(f"POST {address}\nheaders: {_name_headers(headers)}; {size}:\n{body}")

    async def _check(self, ctx: LeafContext, payload: HttpPost) -> None:
        self._http.check(payload.url)
        host = (urlsplit(payload.url).hostname or "").rstrip(".").lower()
        site, chosen = await self._find_hosts(ctx)
        cap = self._post_hosts.get(site, frozenset())
        allowed = chosen & cap if chosen and cap else chosen | cap
        if host not in allowed:
            listed = ", ".join(sorted(allowed)) or "none"
            raise DeniedError(
                f"this site does not allow posts to {host}; allowed: {listed}. A host is allowed by postHosts "
                "in the published settings of the site, and by the operator in REMIT_CMS_POST_HOSTS"
            )


def _headers_of(payload: HttpPost) -> dict[str, str]:
    given = payload.headers or {}
    has_type = any(name.lower() == "content-type" for name in given)
    return given if has_type else {"content-type": "application/json", **given}


def _name_headers(headers: Mapping[str, str]) -> str:
    return ", ".join(map(str.lower, headers)) or "none"


def _result(reply: HttpReply) -> HttpResult:
    kind = reply.media_type
    is_text = not kind or kind.startswith("text/") or kind.endswith(("json", "xml", "javascript", "urlencoded"))
    if not is_text:
        raise ExternalError(f"{reply.url} answered with {kind}, which is not text")
    failed = reply.status >= 400
    return HttpResult(
        success=not failed,
        error=f"{reply.url} answered with status {reply.status}" if failed else None,
        error_code=ExternalError.code if failed else None,
        message=f"{reply.url} answered with status {reply.status}" + (", cut at the limit" if reply.is_cut else ""),
        url=reply.url,
        status=reply.status,
        content_type=kind,
        body=reply.text,
        is_cut=reply.is_cut,
    )
