"""The tools: each operation under its canonical name, with the facts that govern it.

The operations themselves know nothing of any of this. A model reads the operation's docstring and its payload model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from remit import Effect, Risk, Tool, recommended, tool
from remit_cms.pages.pages import Pages
from remit_cms.pages.search import Search
from remit_cms.rendering.opening import Opening
from remit_cms.sections.sections import Sections

AnyTool: TypeAlias = Tool[..., Any]

_TIMEOUT: Final = 30.0


def page_tools(pages: Pages, search: Search) -> tuple[AnyTool, ...]:
    """The eight tools for pages."""
    return (
        _read(pages.get_pages, "cms_getPages", "page", "list"),
        _read(pages.get_page, "cms_getPage", "page", "read"),
        _write(pages.create_page, "cms_createPage", "page", "create", "content"),
        _write(pages.create_page_with_content, "cms_createPageWithContent", "page", "section", "create", "content"),
        _change(pages.update_page, "cms_updatePage", "page", "update"),
        _delete(pages.delete_page, "cms_deletePage", "page", "delete", "destructive"),
        _read(search.find_resource, "cms_findResource", "page", "search", "fuzzy"),
        _read(search.search_pages, "cms_searchPages", "page", "search", "text"),
    )


def section_tools(sections: Sections) -> tuple[AnyTool, ...]:
    """The seven tools for sections."""
    return (
        _read(sections.get_page_sections, "cms_getPageSections", "section", "list"),
        _read(sections.get_section_content, "cms_getSectionContent", "section", "read", "content"),
        _read(sections.get_section_fields, "cms_getSectionFields", "section", "template", "read"),
        _read(sections.list_section_templates, "cms_listSectionTemplates", "section", "template", "list"),
        _write(sections.add_section_to_page, "cms_addSectionToPage", "section", "page", "create", "content"),
        _change(sections.update_section_content, "cms_updateSectionContent", "section", "update", "content"),
        _delete(sections.delete_page_section, "cms_deletePageSection", "section", "delete", "destructive"),
    )


def person_tools(opening: Opening) -> tuple[AnyTool, ...]:
    """What a person calls and the editor does not: it would cost each of its requests the words to describe it."""
    made = tool(
        opening.open_page,
        name="cms_openPage",
        effect=Effect.IDEMPOTENT,
        permissions={"cms:read"},
        timeout=_TIMEOUT,
        tags=("page", "open", "render"),
    )
    return (recommended(made),)


def _read(operation: Callable[..., Awaitable[Any]], name: str, *tags: str) -> AnyTool:
    """It changes nothing."""
    made = tool(operation, name=name, effect=Effect.PURE, permissions={"cms:read"}, timeout=_TIMEOUT, tags=tags)
    return recommended(made)


def _write(operation: Callable[..., Awaitable[Any]], name: str, *tags: str) -> AnyTool:
    """It adds something, and what is there stays as it is."""
    made = tool(operation, name=name, effect=Effect.KEYED, permissions={"cms:write"}, timeout=_TIMEOUT, tags=tags)
    return recommended(made)


def _change(operation: Callable[..., Awaitable[Any]], name: str, *tags: str) -> AnyTool:
    """It changes something that is there."""
    made = tool(
        operation,
        name=name,
        effect=Effect.KEYED,
        risk=Risk.MODERATE,
        permissions={"cms:write"},
        timeout=_TIMEOUT,
        tags=tags,
    )
    return recommended(made)


def _delete(operation: Callable[..., Awaitable[Any]], name: str, *tags: str) -> AnyTool:
    """It destroys something, and only when called with ``confirmed``."""
    made = tool(
        operation,
        name=name,
        effect=Effect.KEYED,
        risk=Risk.HIGH,
        permissions={"cms:delete"},
        timeout=_TIMEOUT,
        tags=tags,
        confirm="confirmed",
    )
    return recommended(made)
