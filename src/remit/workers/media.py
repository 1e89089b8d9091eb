"""Images and PDFs among the artifacts of a request of PydanticAI; see `remit.agent.media`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import Model

from remit.agent.media import Shown, describe_tool_media, read_media
from remit.models.model_origin import reads_of


async def add_media(messages: Sequence[ModelMessage], model: Model) -> list[ModelMessage]:
    """The messages with the images and PDFs that they name, if ``model`` reads them.

    Those of an input are in its part. Those of tools follow the parts of the replies, as a part of their own: inside
    of a reply, PydanticAI would write its text anew for models whose replies hold text only.

    Raises:
        BrokenJournalError: the stored content of a file was changed or removed.
    """
    naming = [part for each in messages if isinstance(each, ModelRequest) for part in each.parts]
    naming = [part for part in naming if isinstance(part, (UserPromptPart, ToolReturnPart))]
    found = await read_media([_text_of(each) for each in naming], reads_of(model))
    shown = {id(part): each for part, each in zip(naming, found, strict=True) if each.media or each.note}
    if not shown:
        return list(messages)
    return [
        replace(each, parts=_add_to_parts(each.parts, shown)) if isinstance(each, ModelRequest) else each
        for each in messages
    ]


def _add_to_parts(parts: Sequence[ModelRequestPart], shown: dict[int, Shown]) -> list[ModelRequestPart]:
    added: list[ModelRequestPart] = []
    of_tools: list[UserContent] = []
    for part in parts:
        found = shown.get(id(part), Shown())
        media = [BinaryContent(each.content, media_type=each.media_type) for each in found.media]
        if isinstance(part, ToolReturnPart):
            of_tools += [describe_tool_media(part.tool_call_id, found), *media] if id(part) in shown else []
            added.append(part)
            continue
        if of_tools:
            added.append(UserPromptPart(of_tools))
            of_tools = []
        if isinstance(part, UserPromptPart) and id(part) in shown:
            part = replace(part, content=_add_to_content(part, found.note, media))  # noqa: PLW2901 - the same part
        added.append(part)
    return [*added, UserPromptPart(of_tools)] if of_tools else added


def _add_to_content(prompt: UserPromptPart, note: str, media: Sequence[BinaryContent]) -> str | list[UserContent]:
    if not media and isinstance(prompt.content, str):
        return f"{prompt.content}\n{note}"
    return [*_contents_of(prompt), *([note] if note else []), *media]


def _contents_of(prompt: UserPromptPart) -> list[UserContent]:
    return [prompt.content] if isinstance(prompt.content, str) else [*prompt.content]


def _text_of(part: UserPromptPart | ToolReturnPart) -> str:
    if isinstance(part, ToolReturnPart):
        return part.model_response_str()
    return "\n".join(each for each in _contents_of(part) if isinstance(each, str))
