"""Images among the artifacts of a request of PydanticAI; see `remit.agent.images`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import BinaryContent, ModelMessage, ModelRequest, UserContent, UserPromptPart
from pydantic_ai.models import Model

from remit.agent.images import read_images
from remit.models.model_origin import reads_images


async def add_images(messages: Sequence[ModelMessage], model: Model) -> list[ModelMessage]:
    """The messages with the images that they name, if ``model`` is not known to read none.

    Raises:
        BrokenJournalError: the stored content of an image was changed or removed.
    """
    if not reads_images(model):
        return list(messages)
    prompts = [part for each in messages if isinstance(each, ModelRequest) for part in each.parts]
    prompts = [part for part in prompts if isinstance(part, UserPromptPart)]
    found = await read_images([_text_of(each) for each in prompts])
    if not any(found):
        return list(messages)
    changed = {
        id(prompt): replace(
            prompt,
            content=[
                *_contents_of(prompt),
                *(BinaryContent(image.content, media_type=image.media_type) for image in images),
            ],
        )
        for prompt, images in zip(prompts, found, strict=True)
        if images
    }
    return [
        replace(each, parts=[changed.get(id(part), part) for part in each.parts])
        if isinstance(each, ModelRequest)
        else each
        for each in messages
    ]


def _contents_of(prompt: UserPromptPart) -> list[UserContent]:
    return [prompt.content] if isinstance(prompt.content, str) else [*prompt.content]


def _text_of(prompt: UserPromptPart) -> str:
    return "\n".join(each for each in _contents_of(prompt) if isinstance(each, str))
