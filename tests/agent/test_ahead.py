"""What the words of a message find ahead: few tools, none of high risk unasked, none where one that is shown fits."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from remit.agent import ToolText, WordRanker
from remit.agent.ahead import choose_ahead, read_request

TOOLS = [
    ToolText(name="delete_page", phrases=("remove",), text="Delete a page of the site."),
    ToolText(name="rename_page", text="Give a page another title."),
    ToolText(name="add_menu_link", phrases=("navigation",), text="Add a link to the menu of the site."),
    ToolText(name="list_menu_links", text="List the links of the menu."),
    ToolText(name="delete_picture", phrases=("remove", "photo"), text="Delete a picture."),
    ToolText(name="translate_page", phrases=("German", "language"), text="Give a page a title in another language."),
    ToolText(name="send_mail", phrases=("newsletter",), text="Send a letter about what the report is about."),
]
ALWAYS = ("delete_page", "rename_page")
HIGH_RISK = ("delete_page", "delete_picture", "send_mail")
NAMED = {"create_entry": ["event"], "read_entry": ["event"]}
ENTRIES = [
    ToolText(name="create_entry", phrases=("new", "events", "events"), text="Create an entry."),
    ToolText(name="read_entry", phrases=("events", "events"), text="Read an entry."),
    ToolText(name="event_log", text="All that has happened on the site so far, in the order in which it happened."),
]


async def offered(message: str, limit: int = 3, tools: Sequence[ToolText] = TOOLS) -> list[str]:
    request = read_request(message, tools)
    ranked = [*await WordRanker()(request, tools)] if request else list[str]()
    return choose_ahead(
        ranked, request, tools, always=ALWAYS, high_risk=HIGH_RISK, named=NAMED, by_words=True, limit=limit
    )


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("Delete the page Menu.", []),
        ("Please remove the page.", []),
        ("Add a link to the menu", ["add_menu_link"]),
        ("Delete the page and add it to the menu", ["add_menu_link"]),
        ("Remove the photo.", ["delete_picture"]),
        ("The photo is too dark.", []),
        ("The newsletter is wrong.", []),
        ("Is it in German?", ["translate_page"]),
        ("Rename it: the menu has photos.", []),
        ('Write "add a menu link" on the page', []),
        ("It is called: Speisekarte. Please translate it.", ["translate_page"]),
        ("What is the report about?", []),
    ],
)
async def test_a_message_finds_what_it_asks_for_and_nothing_else(message: str, names: list[str]) -> None:
    assert await offered(message) == names


@pytest.mark.parametrize("answer", ["Yes.", "yes, go ahead", "OK, please!", "No, thanks", "Fine", "Now go ahead", ""])
async def test_an_answer_finds_nothing(answer: str) -> None:
    tools = [ToolText(name="confirm_order", phrases=("yes", "ok", "go ahead", "fine", "no"), text="Yes, go ahead.")]
    assert await offered(answer, tools=tools) == []


async def test_no_more_are_offered_than_the_limit() -> None:
    tools = [ToolText(name=f"get_{word}") for word in ("apples", "pears", "plums", "nuts")]
    assert len(await offered("Fetch apples, pears, plums and nuts", tools=tools)) == 3
    assert len(await offered("Fetch apples, pears, plums and nuts", limit=1, tools=tools)) == 1


def test_a_ranking_by_meaning_needs_no_common_word_and_obeys_the_other_rules() -> None:
    ranked = ["translate_page", "send_mail", "delete_page", "list_menu_links"]
    chosen = choose_ahead(
        ranked, "ins Deutsche", TOOLS, always=ALWAYS, high_risk=HIGH_RISK, named=NAMED, by_words=False, limit=3
    )
    assert chosen == ["translate_page", "list_menu_links"]


@pytest.mark.parametrize(
    ("message", "names"),
    [("A new event", ["create_entry"]), ("The event is on Friday", ["read_entry", "create_entry"])],
)
async def test_of_tools_that_a_name_alone_finds_none_fits_better(message: str, names: list[str]) -> None:
    assert await offered(message, tools=[*TOOLS, *ENTRIES]) == names


async def test_a_tool_is_not_offered_if_one_that_is_always_shown_shares_the_same_words() -> None:
    tools = [ToolText(name="rename_page", text="Give a page another title, which stands at the top of it.")]
    assert await offered("A word about the page", tools=[*tools, ToolText(name="page_link", text="A link.")]) == []
