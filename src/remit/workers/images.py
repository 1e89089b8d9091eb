"""Images among the artifacts of a request of PydanticAI; see `remit.agent.images`."""

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

from remit.agent.images import Image, describe_tool_images, read_images
from remit.models.model_origin import reads_images


async def add_images(messages: Sequence[ModelMessage], model: Model) -> list[ModelMessage]:
    """The messages with the images that they name, if ``model`` is not known to read none.

    Those of an input are in its part. Those of tools follow the parts of the replies, as a part of their own: inside
    of a reply, PydanticAI would write its text anew for models whose replies hold text only.

    Raises:
        BrokenJournalError: the stored content of an image was changed or removed.
    """
    if not reads_images(model):
        return list(messages)
    naming = [part for each in messages if isinstance(each, ModelRequest) for part in each.parts]
    naming = [part for part in naming if isinstance(part, (UserPromptPart, ToolReturnPart))]
    found = await read_images([_text_of(each) for each in naming])
    if not any(found):
        return list(messages)
    images = {id(part): each for part, each in zip(naming, found, strict=True)}
    return [
        replace(each, parts=_add_to_parts(each.parts, images)) if isinstance(each, ModelRequest) else each
        for each in messages
    ]


def _add_to_parts(parts: Sequence[ModelRequestPart], images: dict[int, list[Image]]) -> list[ModelRequestPart]:
    added: list[ModelRequestPart] = []
    of_tools: list[UserContent] = []
    for part in parts:
        found = [BinaryContent(each.content, media_type=each.media_type) for each in images.get(id(part), ())]
        if isinstance(part, ToolReturnPart):
            of_tools += [describe_tool_images(part.tool_call_id), *found] if found else []
            added.append(part)
            continue
        if of_tools:
            added.append(UserPromptPart(of_tools))
            of_tools = []
        added.append(
            replace(part, content=[*_contents_of(part), *found]) if isinstance(part, UserPromptPart) and found else part
        )
    return [*added, UserPromptPart(of_tools)] if of_tools else added


def _contents_of(prompt: UserPromptPart) -> list[UserContent]:
    return [prompt.content] if isinstance(prompt.content, str) else [*prompt.content]


def _text_of(part: UserPromptPart | ToolReturnPart) -> str:
    if isinstance(part, ToolReturnPart):
        return part.model_response_str()
    return "\n".join(each for each in _contents_of(part) if isinstance(each, str))
