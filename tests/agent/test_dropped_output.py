"""The line for a dropped output says what can be done about it, and what it named."""

from __future__ import annotations

from pydantic import BaseModel

from remit import Effect, tool
from remit.agent.dropped_output import describe_dropped_outputs
from remit.agent.media import find_references
from remit.artifacts import Artifact
from remit.chat.chat import encode_message
from remit.journal.codec import tool_message_text
from remit.record.artifact import digest_of
from remit.record.estimate import estimate_tokens
from remit.testing import calls
from remit.tools import entity

PHOTO = Artifact(digest=digest_of(b"x"), size=1, media_type="image/png", name="photo.png")


@entity("page", name="title")
class Page(BaseModel):
    """A page."""

    id: str
    title: str
    text: str = "x" * 200


class Pages(BaseModel):
    """Pages."""

    pages: list[Page]
    photo: Artifact = PHOTO


@tool(effect=Effect.PURE)
async def list_pages() -> Pages:
    """List the pages."""
    return Pages(pages=[])


def lines(content: str, name: str = "list_pages", reply_to: str = "call_0_list_pages") -> list[tuple[str, str]]:
    asked = encode_message({"role": "assistant", **calls((name, {}))})
    return list(describe_dropped_outputs([[asked, tool_message_text(reply_to, content)]], [list_pages]))


def listed(count: int) -> str:
    return Pages(pages=[Page(id=str(n), title=f"Page {n}") for n in range(count)]).model_dump_json()


def test_the_first_entities_of_a_result_are_named() -> None:
    [(call_id, line)] = lines(listed(5))
    assert call_id == "call_0_list_pages"
    assert "Call it again to read it." in line
    assert 'It described page 0 "Page 0", page 1 "Page 1", page 2 "Page 2" and 2 more.' in line


def test_artifacts_stay_readable_and_their_images_are_not_sent_again() -> None:
    [(_, line)] = lines(listed(3))
    assert f'"digest":"{PHOTO.digest}"' in line
    assert find_references(line) == []
    assert estimate_tokens([line], "") < 200


def test_short_outputs_and_lines_stay() -> None:
    assert lines('{"pages":[]}') == []
    [(_, line)] = lines(listed(9))
    assert lines(line + " " * 500) == []


def test_an_output_of_an_unknown_tool_is_described_without_advice_to_repeat_it() -> None:
    [(_, line)] = lines("x" * 500, name="gone", reply_to="call_0_gone")
    assert (
        line == "[The output of gone, 500 characters, was dropped to save space. The call was made; do not repeat it.]"
    )
    [(_, line)] = lines("x" * 500, name="gone", reply_to="elsewhere")
    assert line.startswith("[The output of a call, 500 characters")


def test_a_long_error_is_described_as_one() -> None:
    [(_, line)] = lines('{"success":false,"error":"' + "x" * 500 + '"}')
    assert line.endswith("The call had failed.]")
