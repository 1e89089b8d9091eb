"""What a whole site brings with it, for the approver: more than its pages goes in force at once."""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue
from sqlalchemy import select

from remit.tools import Change, Preview
from remit_cms.models import pluralize
from remit_cms.publishing.changes import for_approvers, put_in_words
from remit_cms.singles.hosts import find_host
from remit_cms.singles.targets import linked_url
from remit_cms.sites.package import SitePackage, TemplatePart
from remit_cms.sites.writing import check_is_empty, check_languages, is_unused
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.documents import make_preview
from remit_cms.storage.home import HOME_PAGE
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.singles import SINGLES, SingleType
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind, SectionDefinition, Site
from remit_cms.templates.slots import Slot

_MAX_HOSTS: Final = 10
_LINKS: Final = (HOME_PAGE, "target")
"""What names a page by its id: the setting, and where an item of the navigation or a redirect leads."""


async def preview_package(scope: Scope, package: SitePackage, state: str) -> Preview:
    """A site to write: how much there is of it, and as changes all that goes in force beside its pages.

    Raises:
        ConflictError: the site that it is written into has something, or other languages.
    """
    await check_is_empty(scope)
    await check_languages(scope, package)
    live = sum(each.live is not None and each.draft.kind in (Kind.PAGE, Kind.ENTRY) for each in package.documents)
    into = f"the empty site {scope.target.site}/{scope.target.environment}"
    changes = (
        *await _compare_site(scope, package),
        *await _compare_templates(scope, package),
        *(change for single in SINGLES.values() for change in _compare_document(package, single)),
    )
    summary = f"{describe_package(package)} into {into}, where visitors see {live} of them at once"
    hosts = _list_redirected_hosts(package)
    if hosts:
        more = f" and {len(hosts) - _MAX_HOSTS} more servers" if len(hosts) > _MAX_HOSTS else ""
        summary += f". Redirects lead visitors to {', '.join(hosts[:_MAX_HOSTS])}{more}"
    return make_preview(summary, state, changes=changes)


def describe_package(package: SitePackage) -> str:
    """How much there is of a site, with its name."""
    entries = package.count(Kind.ENTRY)
    return (
        f"{pluralize(package.count(Kind.PAGE), 'page')}, {entries} {'entry' if entries == 1 else 'entries'} and "
        f"{pluralize(len(package.images), 'image')} of '{package.name}'"
    )


def _list_redirected_hosts(package: SitePackage) -> list[str]:
    """The other servers to which redirects lead visitors at once: the changes that are shown may not reach to them."""
    states = [part.live for part in package.documents if part.live is not None and part.live.kind == Kind.REDIRECTS]
    contents = (content for state in states for each in state.sections for content in each.contents.values())
    return sorted({find_host(url) or url for content in contents if (url := linked_url(content))})


async def _compare_site(scope: Scope, package: SitePackage) -> list[Change]:
    """Name and languages, which a site without any page takes over."""
    if not await is_unused(scope):
        return []
    site = await scope.session.get_one(Site, scope.target.site)
    languages = ", ".join(each.code for each in package.languages)
    changes = [
        Change("name of the site", site.name, package.name),
        Change("languages", ", ".join(scope.locales), languages),
    ]
    return [each for each in changes if each.before != each.after]


async def _compare_templates(scope: Scope, package: SitePackage) -> list[Change]:
    """The templates that are new, and those of the site that are replaced by others of the same key."""
    rows = await scope.session.scalars(select(SectionDefinition).where(scope.target.row_filter(SectionDefinition)))
    existing = {
        row.key: TemplatePart(
            kind=Kind(row.kind),
            key=row.key,
            name=row.name,
            description=row.description,
            structure=parse_structure(row),
        )
        for row in rows
    }
    return [
        Change(f"template {each.key}", "" if former is None else _describe_template(former), _describe_template(each))
        for each in package.templates
        for former in [existing.get(each.key)]
        if former != each
    ]


def _describe_template(template: TemplatePart) -> str:
    rows = "; ".join(", ".join(map(_describe_slot, row.slots)) for row in template.structure.rows)
    return f"{template.name}, for documents of the kind {template.kind}. {template.description} Fields: {rows}"


def _describe_slot(slot: Slot) -> str:
    required = ["required"] if slot.required else []
    parts = [slot.key, slot.type.value, *required, *slot.options, *map(_describe_slot, slot.fields)]
    return f"{slot.label} ({', '.join(parts)})"


def _compare_document(package: SitePackage, single: SingleType) -> tuple[Change, ...]:
    """What visitors and editors get of a document of which a site has one, if it is live."""
    structures = {each.key: each.structure for each in package.templates}
    addresses = {part.draft.id: f"/{(part.live or part.draft).slug}" for part in package.documents}
    states = [part.live for part in package.documents if part.live is not None and part.live.kind == single.kind]
    return tuple(
        change
        for differences in [compare_snapshots(None, _name_pages(state, addresses), structures) for state in states]
        for change in put_in_words(for_approvers(differences, f"{single.title}: "), {})
    )


def _name_pages(state: Snapshot, addresses: dict[str, str]) -> Snapshot:
    """A state in which pages are named by their addresses, since the ids of another site are not known here."""

    def rename(key: str, value: JsonValue) -> JsonValue:
        if key not in _LINKS or not isinstance(value, dict):
            return value
        return next((addresses[str(name)] for name in value.values() if str(name) in addresses), value)

    return state.with_contents(lambda _, content: {key: rename(key, value) for key, value in content.items()})
