"""The types of fields in worker files, and messages that explain their syntax without regular expressions."""

from __future__ import annotations

import abc
from collections.abc import Collection, Mapping
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import ErrorDetails

from remit.agent.attachments import FILE_SUFFIX_PATTERN
from remit.chat.wire import NAME_PATTERN
from remit.models.resolve import NAME_HINT
from remit.schemas.mistakes import explain_mistake

_TOOL_NAME_PATTERN: Final = f"^{NAME_PATTERN.pattern}$"
_CLASS_REFERENCE_PATTERN: Final = r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$"
_TOOL_ENTRY_PATTERN: Final = f"{_TOOL_NAME_PATTERN}|{_CLASS_REFERENCE_PATTERN}"
_PERMISSION_PATTERN: Final = r"^[a-z][a-z0-9_-]*(:[a-z][a-z0-9_-]*)*:([a-z][a-z0-9_-]*|\*)$"
_MODEL_NAME_PATTERN: Final = r"^((gateway/)?[a-z][a-z0-9-]*:.+)?$"
_NON_EMPTY_PATTERN: Final = r"\S"

ToolName = Annotated[str, Field(pattern=_TOOL_NAME_PATTERN)]
ToolEntry = Annotated[str, Field(pattern=_TOOL_ENTRY_PATTERN)]
ClassReference = Annotated[str, Field(pattern=_CLASS_REFERENCE_PATTERN)]
Permission = Annotated[str, Field(pattern=_PERMISSION_PATTERN)]
NonEmptyText = Annotated[str, Field(pattern=_NON_EMPTY_PATTERN)]
ModelName = Annotated[str, Field(pattern=_MODEL_NAME_PATTERN)]


class FrontMatterPart(BaseModel):
    """A section of the front matter. Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False)


class FrontMatterSection(FrontMatterPart, abc.ABC):
    """The form in a file of a setting whose value is an object of another type."""

    @abc.abstractmethod
    def to_value(self) -> object:
        """Convert to the value of the setting."""


TOOL_REFERENCE_HINT: Final = "name a tool as package.module:tool, or by its canonical name"
CLASS_REFERENCE_HINT: Final = "name a pydantic model as package.module:Model"
_PATTERN_MESSAGES: Final[Mapping[str, tuple[str, str]]] = {
    _TOOL_NAME_PATTERN: ("is not a valid tool name", "write 1 to 64 letters, digits, '_' or '-', like send_mail"),
    _TOOL_ENTRY_PATTERN: (
        "is not a valid tool name",
        "write 1 to 64 letters, digits, '_' or '-', like send_mail, or package.module:tool",
    ),
    _CLASS_REFERENCE_PATTERN: ("is not a class reference", CLASS_REFERENCE_HINT),
    _PERMISSION_PATTERN: ("is not a permission", "write area:action, like mail:read, or mail:* for all of an area"),
    FILE_SUFFIX_PATTERN: ("is not a file suffix", "write a dot and lowercase letters or digits, like .pdf"),
    _NON_EMPTY_PATTERN: ("is blank", "say what the worker does"),
    _MODEL_NAME_PATTERN: ("is not a model name", NAME_HINT),
}
_FILE_FIXES: Final[Mapping[str, str]] = {
    "tuple_type": "write a list, like [one, two]",
    "list_type": "write a list, like [one, two]",
    "string_type": "write text",
    "int_type": "write a whole number",
    "float_type": "write a number",
    "bool_type": "write true or false",
    "model_type": "write keys with their values below",
}
_CODE_FIXES: Final[Mapping[str, str]] = {"is_instance_of": "give one", "string_type": "give text"}
_EMPTY_ERROR_TYPES: Final = frozenset({"string_too_short", "too_short"})


def describe_error(detail: ErrorDetails, *, in_code: bool = False) -> tuple[str, str]:
    """Describe an invalid value and its fix, in the terms of a worker file or, with ``in_code``, of Python."""
    name = ".".join(str(part) for part in detail["loc"])
    context = detail.get("ctx", {})
    if detail["type"] == "string_pattern_mismatch" and context.get("pattern") in _PATTERN_MESSAGES:
        what, mend = _PATTERN_MESSAGES[context["pattern"]]
        return f"{name}: {detail['input']!r} {what}", mend
    if detail["type"] in _EMPTY_ERROR_TYPES:
        return f"{name} is empty", "give at least one value"
    mends = _FILE_FIXES | _CODE_FIXES if in_code else _FILE_FIXES
    return f"{name}: {explain_mistake(detail['msg'])}", mends.get(detail["type"], "correct it")


def select_innermost(errors: Collection[ErrorDetails]) -> list[ErrorDetails]:
    """Drop the errors of a value if one of its parts has an error of its own."""
    inside = {each["loc"][:length] for each in errors for length in range(len(each["loc"]))}
    return [each for each in errors if each["loc"] not in inside]
