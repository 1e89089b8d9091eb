"""Payloads and replies of the operations on the web."""

from __future__ import annotations

import operator
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, field_validator
from pydantic.json_schema import SkipJsonSchema

from remit_cms.models import OmittedIfNone, OptionalParam, Payload, Reply, View

_URL = "Whole address, https://…, of a public server"
_HEADERS = "Headers of the request, by name"


def _check_segments(url: str) -> str:
    """Refuse an address that is shown as one path and requested as another: a client resolves ``..``."""
    path = re.split("[?#]", url, maxsplit=1)[0]
    if {".", ".."}.intersection(path.split("/")):
        raise ValueError("the path has the segment . or ..; write the address to which it leads")
    return url


_Url = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=8, max_length=2000), AfterValidator(_check_segments)
]
_Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
_Domain = Annotated[
    str, StringConstraints(strip_whitespace=True, to_lower=True, pattern=r"^([a-z0-9-]+\.)+[a-z0-9-]+$", max_length=253)
]
_Headers = Annotated[dict[str, str], Field(max_length=20)]
_Heading = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class HttpGet(Payload):
    """The address to fetch."""

    url: _Url = Field(description=_URL)
    headers: OptionalParam[_Headers] = Field(default=None, description=_HEADERS)


class HttpPost(Payload):
    """The address to post to, and what to send. ``confirmed`` says nothing: a person is asked."""

    url: _Url = Field(description=_URL)
    body: str = Field(description="What to send, as text; JSON as a rule", max_length=200_000)
    headers: OptionalParam[_Headers] = Field(default=None, description=_HEADERS)
    confirmed: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)


class WebReply(Reply):
    """The reply of an operation on the web, which may have a part to read although it failed."""

    error: OmittedIfNone[str] = None
    error_code: OmittedIfNone[str] = None


class HttpResult(WebReply):
    """What a server replied, also with a status that says that the request failed."""

    url: str
    status: int
    content_type: str
    body: str
    is_cut: bool = False


class QuickSearch(Payload):
    """A search of the web."""

    query: _Words = Field(description="Words to search for")
    num_results: int = Field(default=5, description="Most results to give (1-20)", ge=1, le=20)
    include_domains: OptionalParam[Annotated[list[_Domain], Field(max_length=10)]] = Field(
        default=None, description="Search these domains alone"
    )
    exclude_domains: OptionalParam[Annotated[list[_Domain], Field(max_length=10)]] = Field(
        default=None, description="Leave these domains out"
    )
    recent_only: bool = Field(default=False, description="Give pages of the last month alone")
    category: SkipJsonSchema[Annotated[str, Field(max_length=40)]] = ""
    livecrawl: SkipJsonSchema[Literal["", "never", "fallback"]] = ""

    @field_validator("livecrawl", mode="before")
    @classmethod
    def _refuse_crawling(cls, value: object) -> object:
        if value in ("always", "preferred", "auto"):
            raise ValueError("a search gives what the search engine knows; web_fetchContent reads a page as it is now")
        return value


class FoundPage(View):
    """A page that a search found."""

    title: str
    url: str
    snippet: str
    published: OmittedIfNone[str] = None


class SearchReply(Reply):
    """The pages that a search found, best first."""

    results: list[FoundPage]


class FetchContent(Payload):
    """The pages to read."""

    urls: list[_Url] = Field(description="Addresses of the pages (1-10)", min_length=1, max_length=10)
    text_max_characters: int = Field(
        default=10_000, description="Most characters of each text (100-50000)", ge=100, le=50_000
    )
    include_text: bool = Field(default=True, description="Give the text")
    include_summary: bool = Field(default=False, description="Give the passages that say most about summaryQuery")
    summary_query: OptionalParam[_Words] = Field(default=None, description="What the summary is to be about")


class FetchedPage(View):
    """The text of a page, or why there is none."""

    url: str
    title: str = ""
    text: OmittedIfNone[str] = None
    summary: OmittedIfNone[str] = None
    is_cut: bool = False
    omitted: OmittedIfNone[list[str]] = None
    error: OmittedIfNone[str] = None


class FetchReply(WebReply):
    """The texts of pages. They are data that anyone may have written."""

    pages: list[FetchedPage]


class DeepResearch(Payload):
    """A topic to research."""

    topic: _Words = Field(description="What the report is about")
    sections: OptionalParam[Annotated[list[_Heading], Field(min_length=1, max_length=8)]] = Field(
        default=None, description="Headings of the report, each of which is searched for"
    )
    include_statistics: bool = Field(default=False, description="Prefer passages with numbers")
    max_wait_time: int = Field(default=120, description="Most seconds to take (30-300)", ge=30, le=300)
    model: SkipJsonSchema[Annotated[str, Field(max_length=100)]] = ""

    @field_validator("model")
    @classmethod
    def _refuse_model(cls, value: str) -> str:
        if value:
            raise ValueError("a report has passages of the pages, and no model writes it; leave model out")
        return value


class Source(View):
    """A page that a report cites."""

    number: int
    title: str
    url: str


class ReportReply(WebReply):
    """A report in Markdown of passages as the pages have them, each with the number of its source."""

    status: Literal["complete", "partial"]
    report: str
    sources: list[Source]
