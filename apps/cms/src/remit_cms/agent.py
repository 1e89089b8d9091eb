"""The editor: the agent that maintains a site."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from remit import Agent, Principal
from remit.agent import Compaction, RunInfo, RunInstructions, ToolSearch, WorkingMemory
from remit.artifacts import PromptWithFiles
from remit.tools import Callee
from remit_cms.plain_words import phrases_for

_PROMPT: Final = Path(__file__).parent / "prompts" / "editor.md"

_SUBJECTS: Final = frozenset(
    {"page", "section", "publishing", "change_set", "settings", "navigation", "redirect", "collection"}
    | {"type", "language", "post", "image"}
)
"""The subjects whose operations the editor has."""

_OTHERS: Final = frozenset(
    {"cms_schedulePage", "cms_expirePage", "cms_scheduleChangeSet", "cms_listScheduledActions"}
    | {"cms_cancelScheduledAction", "cms_createPreviewLink", "web_quickSearch", "web_fetchContent", "web_deepResearch"}
    | {"http_get", "http_post", "publisher", "researcher"}
)
"""What it has besides. It posts only to hosts that the site allows, after approval, and has nothing for files."""

ALWAYS: Final = (
    "cms_getPages",
    "cms_getPage",
    "cms_createPage",
    "cms_updatePage",
    "cms_deletePage",
    "cms_findResource",
    "cms_searchPages",
    "cms_getSectionContent",
    "cms_listSectionTemplates",
    "cms_addSectionToPage",
    "cms_updateSectionContent",
    "cms_deletePageSection",
    "cms_publishPage",
    "cms_publishChangeSet",
)
"""The tools that its model is shown without a search: those of every day."""

SCHEDULED: Final = frozenset({"cms_runScheduledAction", "cms_deliverWebhook"})
"""The tools whose calls other tools schedule. A scheduled call has the scope of the agent that scheduled it."""


_RIGHTS: Final = {
    "cms:write": "change anything",
    "cms:publish": "publish, hide or schedule anything",
    "cms:delete": "delete anything",
    "web:read": "search the web",
}
"""What needs which permission, in the words of `describe_missing_rights`."""


def describe_missing_rights(principal: Principal) -> str:
    """Tell the editor what the person of a run may not do; empty if the person may do everything."""
    missing = [words for permission, words in _RIGHTS.items() if not principal.may(permission)]
    if not missing:
        return ""
    return (
        f"On this site the person may not {', and not '.join(missing)}. "
        "If asked for that, call no tool and change nothing in its place. Say: I cannot do that, you have no right to."
    )


def with_missing_rights(find: Callable[[RunInfo], Awaitable[str]]) -> RunInstructions:
    """Run instructions that say what the person may not do, and then what ``find`` returns."""

    async def instruct(info: RunInfo) -> str:
        return "\n\n".join(filter(None, (describe_missing_rights(info.principal), await find(info))))

    return instruct


def is_for_editor(callee: Callee[..., Any]) -> bool:
    """Whether the editor has a tool or worker of the CMS."""
    place = callee.facts.classification
    return callee.name in _OTHERS or (place is not None and place.subdomain in _SUBJECTS)


def editor(
    tools: Iterable[Callee[..., Any]],
    *,
    compaction: Compaction | None = None,
    run_instructions: RunInstructions = "",
    scheduled: Iterable[str] = (),
    type_names: Callable[[RunInfo], Awaitable[Mapping[str, Sequence[str]]]] | None = None,
) -> Agent:
    """The editor agent, with the instructions in ``prompts/editor.md``. It remembers the objects of a conversation.

    Args:
        tools: what it may call. Of many tools its model sees `ALWAYS`, and those that it has searched for.
        compaction: how long conversations are shortened.
        run_instructions: what it is told besides, such as the site's own instructions.
        scheduled: the tools whose calls its own tools schedule. Its model has none of them.
        type_names: finds what a site calls its own types, by the tools that work on them.
    """
    tools = list(tools)
    names = {each.name for each in tools}
    return Agent(
        "editor",
        instructions=_PROMPT.read_text(encoding="utf-8").strip(),
        tools=tools,
        run_instructions=run_instructions,
        description="Edits and publishes a website.",
        input=PromptWithFiles,
        compaction=Compaction() if compaction is None else compaction,
        memory=WorkingMemory(),
        tool_scope=frozenset(scheduled) or "listed",
        tool_search=ToolSearch(
            always=[name for name in ALWAYS if name in names],
            ahead=3,
            ahead_for=("local:*", "llama.cpp:*", "recorded:*", "scripted:*"),  # recordings are of local models
            phrases=phrases_for(sorted(names)),
            names=type_names,
        ),
    )
