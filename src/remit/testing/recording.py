"""Records a real model once, so that tests can play its answers back without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from remit.agent.media import reads_of
from remit.agent.model import Model
from remit.chat.chat import ChatRequest, Completion
from remit.core.call_checks import check_arguments
from remit.errors import SetupError


def record_script(model: Model, path: Path) -> RecordingModel:
    """Wrap ``model`` and record its answers in the file ``path``, which `Scripted.load` plays back.

    The file is written after each answer and includes token counts. It holds one conversation of one agent in plain
    text.
    """
    return RecordingModel(model, path)


@check_arguments()
class RecordingModel:
    """The model that `record_script` returns."""

    def __init__(self, model: Model, path: Path) -> None:
        self._model = model
        self._path = path
        self._lines: list[dict[str, Any]] = []
        self._histories: list[tuple[str, ...]] = []

    @property
    def reads_images(self) -> bool:
        """Whether the wrapped model is not known to refuse images."""
        return reads_of(self._model).images

    @property
    def reads_pdfs(self) -> bool:
        """Whether the wrapped model is sent PDFs."""
        return reads_of(self._model).pdfs

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Ask the model and record its answer.

        Raises:
            SetupError: the request does not continue the recorded conversation.
        """
        history = tuple(request.history)
        number = sum('"role":"assistant"' in text[:40] for text in history)
        self._check_conversation(number, history)
        completion = await self._model(request)
        self._lines[number:] = [_line_of(completion)]
        self._histories[number:] = [history]
        text = json.dumps({"script": self._lines}, ensure_ascii=False, indent=2)
        self._path.write_text(text + "\n", encoding="utf-8")
        return completion

    def _check_conversation(self, number: int, history: tuple[str, ...]) -> None:
        """Refuse a request that neither continues the conversation nor repeats its last request."""
        before = self._histories[number - 1] if 0 < number <= len(self._histories) else ()
        again = number == len(self._histories) - 1 and history == self._histories[number]
        if not again and (number != len(self._histories) or history[: len(before)] != before):
            raise SetupError(f"{self._path} holds one conversation; record the next one to another file")


def _line_of(completion: Completion) -> dict[str, Any]:
    message = cast("dict[str, Any]", json.loads(completion.message))
    usage = {"prompt_tokens": completion.prompt_tokens, "completion_tokens": completion.completion_tokens}
    return {**message, "finish_reason": completion.finish_reason, "usage": usage}
