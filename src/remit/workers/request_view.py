"""A request of PydanticAI as the layers around the model see it: a chat request, and a completion in reply.

What the layers leave unchanged reaches the model, and PydanticAI, as it was: thinking and its signatures, tools of the
provider, attachments. What they change is made of the chat messages that they wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import InstructionPart, ModelMessage, ModelResponse, SystemPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings as PydanticSettings
from pydantic_ai.tools import ToolDefinition

from remit.agent.media import reads_of
from remit.agent.model import ask_directly
from remit.contracts.chat import ChatRequest, Completion, History, decode_message, message_text
from remit.contracts.estimate import PDF
from remit.models.model_origin import drop_impossible_usage, mark_response
from remit.models.pydantic_ai import to_completion, to_tool_definitions
from remit.models.pydantic_settings import to_pydantic_settings, without_schema
from remit.models.pydantic_stream import ask_pydantic_model
from remit.workers.media import add_media
from remit.workers.port_adapter import ModelPortAdapter
from remit.workers.response_codec import RecordedRequest
from remit.workers.wire_messages import (
    accept_pdfs,
    change_units,
    completion_to_response,
    messages_to_wire,
    refuse_content,
    split_messages,
    to_system_message,
    tools_to_wire,
    unit_to_wire,
    with_schema,
)


class RequestView:
    """One request to ``model``. ``chat`` is what the layers see of it.

    Raises:
        InvalidArgumentsError: the model is one of Remit's port, and chat messages cannot hold the request.
    """

    def __init__(self, request: RecordedRequest, messages: Sequence[ModelMessage], model: Model) -> None:
        self._request = request
        self._messages = list(messages)
        self._model = model
        on_unsupported = _placeholder
        if isinstance(model, ModelPortAdapter):
            on_unsupported = accept_pdfs if reads_of(model.port).pdfs else refuse_content
        self._answers: list[tuple[Completion, ModelResponse]] = []
        self.chat = ChatRequest(
            agent_call_id=request.agent_call_id,
            turn=request.turn,
            ledger=request.ledger,
            history=History(messages_to_wire(messages, request.parameters, on_unsupported)),
            tools=tools_to_wire(request.parameters),
            settings=with_schema(request.chat_settings, request.parameters),
            used_call_ids=request.used_call_ids,
        )

    async def ask(self, chat: ChatRequest, /) -> Completion:
        """Ask the model, with the changes that the layers made to the request."""
        if isinstance(self._model, ModelPortAdapter):
            self._model.prepare_request(None, self._request.parameters)  # refuses tools of providers
            completion = await ask_directly(self._model.port, chat)
            response = completion_to_response(completion)
        else:
            parameters, messages = self._request.parameters, self._messages
            if chat.tools.digest != self.chat.tools.digest:
                parameters = _change_tools(parameters, chat)
            if chat.history.digest != self.chat.history.digest:
                messages, parameters = self._change_messages(parameters, list(chat.history))
            settings = await to_pydantic_settings(without_schema(chat.settings), self._model, self._base_settings(chat))
            messages = await add_media(messages, self._model)
            response = await ask_pydantic_model(self._model, messages, settings, parameters)
            response = mark_response(drop_impossible_usage(response), self._model)
            completion = to_completion(response)
        self._answers.append((completion, response))
        return completion

    def to_answer(self, completion: Completion, /) -> ModelResponse:
        """The response for the completion that left the layers: the model's own, if they left it unchanged."""
        made = completion_to_response(completion)
        for answer, response in self._answers:
            if (answer.message, answer.finish_reason) == (completion.message, completion.finish_reason):
                tokens = (answer.prompt_tokens, answer.completion_tokens)
                same = tokens == (completion.prompt_tokens, completion.completion_tokens)
                return response if same else replace(response, usage=made.usage)
        return made

    def to_completion(self, answer: ModelResponse, /) -> Completion:
        """The completion for a response."""
        return to_completion(answer)

    def _base_settings(self, chat: ChatRequest) -> PydanticSettings:
        """The settings of PydanticAI's model, without those that a layer unset."""
        base: dict[str, Any] = {**(self._request.base_settings or {})}
        unset = {name for name in ("temperature", "max_tokens") if name not in chat.settings.values}
        return PydanticSettings(**{name: value for name, value in base.items() if name not in unset})

    def _change_messages(
        self, parameters: ModelRequestParameters, texts: Sequence[str]
    ) -> tuple[list[ModelMessage], ModelRequestParameters]:
        """The messages of a changed history, and the parameters with its instructions."""
        parts = [part for part in split_messages(self._messages) if not isinstance(part, SystemPromptPart)]
        first = decode_message(texts[0])
        system = message_text(first) if first["role"] == "system" else ""
        texts = texts[len(to_system_message(system)) :]
        instructions = [InstructionPart(system)] if system else []
        known = [unit_to_wire(part, _placeholder) for part in parts]
        return change_units(parts, known, texts), replace(parameters, instruction_parts=instructions)


def _placeholder(kind: str) -> str:
    return "[binary]" if kind == PDF else f"[{kind}]"


def _change_tools(parameters: ModelRequestParameters, chat: ChatRequest) -> ModelRequestParameters:
    """The parameters with the tools of a chat request. Those for results stay what they are."""
    today = {each.name: each for each in to_tool_definitions(chat.tools)}

    def change(tools: Sequence[ToolDefinition]) -> list[ToolDefinition]:
        return [
            replace(
                each,
                description=today[each.name].description,
                parameters_json_schema=today[each.name].parameters_json_schema,
            )
            for each in tools
            if each.name in today
        ]

    known = {each.name for each in (*parameters.function_tools, *parameters.output_tools)}
    added = [each for name, each in today.items() if name not in known]
    return replace(
        parameters,
        function_tools=[*change(parameters.function_tools), *added],
        output_tools=change(parameters.output_tools),
    )
