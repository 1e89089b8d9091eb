"""The texts that the site says itself: robots.txt, the sitemap, and those of previews and of missing pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from xml.sax.saxutils import escape, quoteattr
from zoneinfo import ZoneInfo

from remit_cms.rendering.dates import format_day
from remit_cms.site.lookup import Edition, ShownPage
from remit_cms.site.words import text_in
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import SectionSnapshot, Snapshot

_MAX_HIDDEN: Final = 5


def preview_notice(locale: str, zone: ZoneInfo, edition: Edition, until: int) -> str:
    """What the bar of a preview says: when its link ends, from when on visitors see it, and what it changes besides.

    ``until`` is in seconds since the epoch.
    """
    end = _format_time(datetime.fromtimestamp(until, zone), locale)
    if edition.is_live:
        return text_in(locale, "live").format(end=end)
    if edition.at is None:
        notice = text_in(locale, "preview").format(end=end)
    else:
        notice = text_in(locale, "later").format(end=end, at=_format_time(edition.at.astimezone(zone), locale))
    kinds = [text_in(locale, kind) for kind in edition.changed]
    hidden = [f"“{title}”" for title in edition.hidden.values()][:_MAX_HIDDEN]
    rest = f" (+{len(edition.hidden) - _MAX_HIDDEN})" if len(edition.hidden) > _MAX_HIDDEN else ""
    changed = text_in(locale, "changed").format(titles=_join(locale, kinds)) if kinds else ""
    gone = text_in(locale, "gone").format(titles=f"{_join(locale, hidden)}{rest}") if hidden else ""
    return " ".join(filter(None, (notice, changed, gone)))


def _format_time(time: datetime, locale: str) -> str:
    return f"{format_day(time.date(), locale)}, {time:%H:%M %Z}"


def _join(locale: str, texts: Sequence[str]) -> str:
    """A list in words: one, two and three."""
    *first, last = texts
    return f" {text_in(locale, 'and')} ".join(filter(None, (", ".join(first), last)))


def empty_snapshot(locale: str, home: str) -> Snapshot:
    """The page that stands in for one that there is not, with a link to the home page."""
    text = f"{text_in(locale, 'nothing')}\n\n[{text_in(locale, 'home')}]({home})"
    section = SectionSnapshot(id="missing", definition="text", sort_order=0, contents={locale: {"content": text}})
    return Snapshot(id="", locale=locale, slug="", title=text_in(locale, "missing"), indexing=False, sections=[section])


def robots_text(url: str) -> str:
    """What robots may read."""
    return f"User-agent: *\nDisallow: /preview/\nSitemap: {url}/sitemap.xml\n"


def sitemap_text(url: str, scope: Scope, edition: Edition, pages: Sequence[tuple[ShownPage, str]]) -> str:
    """The pages that search engines may list, each in the languages in which it is written."""
    entries: list[str] = []
    for page, day in pages:
        if not page.snapshot.indexing:
            continue
        hrefs = {
            code: f"{url}{edition.address(page.page, code, path).href(scope.default_locale)}"
            for code, path in page.addresses.items()
            if code in page.snapshot.languages
        }
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang={quoteattr(code)} href={quoteattr(href)}/>'
            for code, href in hrefs.items()
        )
        entries += [f"<url><loc>{escape(href)}</loc><lastmod>{day}</lastmod>{links}</url>" for href in hrefs.values()]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:xhtml="http://www.w3.org/1999/xhtml">\n' + "\n".join(entries) + "\n</urlset>\n"
    )
