"""Chat messages, as a model sees them: requests, completions and the messages of a conversation."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.chat.chat import AssistantMessage as AssistantMessage
    from remit.chat.chat import ChatMessage as ChatMessage
    from remit.chat.chat import ChatRequest as ChatRequest
    from remit.chat.chat import Completion as Completion
    from remit.chat.chat import FunctionCall as FunctionCall
    from remit.chat.chat import History as History
    from remit.chat.chat import ImagePart as ImagePart
    from remit.chat.chat import ImageUrl as ImageUrl
    from remit.chat.chat import SystemMessage as SystemMessage
    from remit.chat.chat import TextPart as TextPart
    from remit.chat.chat import ToolCall as ToolCall
    from remit.chat.chat import ToolCallRequest as ToolCallRequest
    from remit.chat.chat import ToolDefinitions as ToolDefinitions
    from remit.chat.chat import ToolMessage as ToolMessage
    from remit.chat.chat import UserMessage as UserMessage
    from remit.chat.chat import completion_from_message as completion_from_message
    from remit.chat.chat import decode_message as decode_message
    from remit.chat.chat import encode_message as encode_message
    from remit.chat.chat import message_text as message_text
else:
    __getattr__ = lazy_exports(__name__)
