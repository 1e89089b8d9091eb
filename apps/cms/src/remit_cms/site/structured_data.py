"""What a page tells search engines in the words of schema.org: about the site, a post, and the way to a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.rendering.documents import PageDocument, SiteLink, Surroundings


def describe_page(document: PageDocument, around: Surroundings, picture: str) -> Content:
    """The data of a page.

    Args:
        document: the page.
        around: its surroundings, which know its address.
        picture: the address of its first picture; empty without one.
    """
    return {"@context": "https://schema.org", "@graph": [*_describe(document, around, picture)]}


def _describe(document: PageDocument, around: Surroundings, picture: str) -> Iterator[Content]:
    site: Content = {
        "@type": "WebSite",
        "name": document.site,
        "url": f"{around.origin}{around.home}",
        "inLanguage": document.locale,
    }
    yield {**site, "description": document.tagline} if document.tagline else site
    if document.date is not None and document.sections[0][0] == "posts":
        yield _describe_post(document, around, picture)
    if document.is_entry and (event := _describe_event(document, around, picture)):
        yield event
    if around.trail:
        yield {"@type": "BreadcrumbList", "itemListElement": [*_describe_trail(around)]}


def _describe_post(document: PageDocument, around: Surroundings, picture: str) -> Content:
    author = document.sections[0][2].get("author")
    post: Content = {
        "@type": "BlogPosting",
        "headline": document.title,
        "url": around.address,
        "mainEntityOfPage": around.address,
        "inLanguage": document.text_locale,
        "datePublished": document.date["iso"] if document.date else None,
        "description": document.meta_description,
        "image": f"{around.origin}{picture}" if picture else None,
        "author": {"@type": "Person", "name": author} if author else None,
        "publisher": {"@type": "Organization", "name": document.site, "url": f"{around.origin}{around.home}"},
    }
    return {name: value for name, value in post.items() if value is not None}


_PLACES: Final = ("place", "location", "venue", "where", "ort")


def _describe_event(document: PageDocument, around: Surroundings, picture: str) -> Content | None:
    """An entry that has a date by which its list is sorted, and a place, as an event."""
    _, structure, content = document.sections[0]
    date = content.get(structure.sorted_by)
    place = next((content.get(slot.key) for slot in structure.slots if structure.shown_key(slot.key) in _PLACES), None)
    if not isinstance(date, dict) or not isinstance(place, str):
        return None
    event: Content = {
        "@type": "Event",
        "name": document.title,
        "url": around.address,
        "startDate": date["iso"],
        "location": {"@type": "Place", "name": place},
        "description": document.meta_description,
        "image": f"{around.origin}{picture}" if picture else None,
        "inLanguage": document.text_locale,
    }
    return {name: value for name, value in event.items() if value is not None}


def _describe_trail(around: Surroundings) -> Iterator[JsonValue]:
    for position, link in enumerate(around.trail, start=1):
        yield {"@type": "ListItem", "position": position, "name": link.label, "item": _whole(around, link)}


def _whole(around: Surroundings, link: SiteLink) -> str:
    return f"{around.origin}{link.href}" if link.href.startswith("/") else link.href
