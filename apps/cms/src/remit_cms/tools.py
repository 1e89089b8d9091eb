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
Operation: TypeAlias = Callable[..., Awaitable[Any]]

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
    operation = _made(opening.open_page, "cms_openPage", ("page", "open", "render"), Effect.IDEMPOTENT, "cms:read")
    return (operation,)


def _read(operation: Operation, name: str, *tags: str) -> AnyTool:
    """It changes nothing."""
    return _made(operation, name, tags, Effect.PURE, "cms:read")


def _write(operation: Operation, name: str, *tags: str) -> AnyTool:
    """It adds something, and what is there stays as it is."""
    return _made(operation, name, tags, Effect.KEYED, "cms:write")


def _change(operation: Operation, name: str, *tags: str) -> AnyTool:
    """It changes something that is there."""
    return _made(operation, name, tags, Effect.KEYED, "cms:write", risk=Risk.MODERATE)


def _delete(operation: Operation, name: str, *tags: str) -> AnyTool:
    """It destroys something, and only when called with ``confirmed``."""
    return _made(operation, name, tags, Effect.KEYED, "cms:delete", risk=Risk.HIGH, confirm="confirmed")


def _made(
    operation: Operation,
    name: str,
    tags: tuple[str, ...],
    effect: Effect,
    permission: str,
    *,
    risk: Risk = Risk.SAFE,
    confirm: str | None = None,
) -> AnyTool:
    """The tool with its facts, and the layers that these call for."""
    made = tool(
        operation,
        name=name,
        effect=effect,
        risk=risk,
        permissions={permission},
        timeout=_TIMEOUT,
        tags=tags,
        confirm=confirm,
    )
    return recommended(made)
