"""The tools: operations under their canonical names, governed by the inventory beside this file.

The operations know nothing of this. A model reads the operation's docstring and its payload model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias

from remit import Tool
from remit.inventory import Inventory, Operations, PolicyTable, Vocabulary, business_rules_section, read_inventory
from remit.tools import Preview
from remit_cms.pages.pages import Pages
from remit_cms.pages.search import Search
from remit_cms.rendering.opening import Opening
from remit_cms.sections.sections import Sections

AnyTool: TypeAlias = Tool[..., Any]
PreviewFunction: TypeAlias = Callable[..., Awaitable[Preview]]

DOMAIN: Final = "content"
VOCABULARY: Final = Vocabulary(
    domains={DOMAIN: {"page", "section", "rendering"}},
    permissions={"cms:read", "cms:write", "cms:delete"},
)


@cache
def load_inventory() -> Inventory:
    """Read the inventory of the CMS."""
    table = PolicyTable(business_rules_section(version=version("remit-cms")))
    return read_inventory(Path(__file__).parent / "inventory", table, VOCABULARY)


def page_operations(pages: Pages, search: Search) -> Operations:
    """Operations on pages."""
    operations = Operations(load_inventory().slice(DOMAIN, "page"), (pages, search))
    return _with_previews(operations, {"cms_deletePage": pages.preview_deletion})


def section_operations(sections: Sections) -> Operations:
    """Operations on sections."""
    operations = Operations(load_inventory().slice(DOMAIN, "section"), (sections,))
    return _with_previews(operations, {"cms_deletePageSection": sections.preview_deletion})


def rendering_operations(opening: Opening) -> Operations:
    """Operations for users, not for the editor, whose every request would pay for their description."""
    return Operations(load_inventory().slice(DOMAIN, "rendering"), (opening,))


def _with_previews(operations: Operations, previews: Mapping[str, PreviewFunction]) -> Operations:
    """The operations, with previews for the approver on the tools of ``previews``."""
    return operations.with_tools(lambda tool: tool.with_preview(previews[tool.name]) if tool.name in previews else tool)
