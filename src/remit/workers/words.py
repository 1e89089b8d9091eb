"""The words that worker files are made of, and how to write each; so nobody is told a regular expression."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Final

from pydantic import Field
from pydantic_core import ErrorDetails

from remit.contracts.contract import NAME

_NAME: Final = f"^{NAME.pattern}$"
_REFERENCE: Final = r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$"
_PERMISSION: Final = r"^[a-z][a-z0-9_-]*(:[a-z][a-z0-9_-]*)*:([a-z][a-z0-9_-]*|\*)$"
_SUFFIX: Final = r"^\.[a-z0-9]{1,16}$"
_MODEL: Final = r"^([a-z][a-z0-9-]*:.+)?$"
_FILLED: Final = r"\S"

Name = Annotated[str, Field(pattern=_NAME)]
Reference = Annotated[str, Field(pattern=_REFERENCE)]
Permission = Annotated[str, Field(pattern=_PERMISSION)]
Suffix = Annotated[str, Field(pattern=_SUFFIX)]
Filled = Annotated[str, Field(pattern=_FILLED)]
ModelName = Annotated[str, Field(pattern=_MODEL)]

AS_REFERENCE: Final = "name a pydantic model as package.module:Model"
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    _NAME: ("is no tool name", "write 1 to 64 letters, digits, '_' or '-', like send_mail"),
    _REFERENCE: ("names no model", AS_REFERENCE),
    _PERMISSION: ("is no permission", "write area:action, like mail:read, or mail:* for all of an area"),
    _SUFFIX: ("is no end of a file's name", "write a dot and small letters or digits, like .pdf"),
    _FILLED: ("says nothing", "say what the worker is to do"),
    _MODEL: ("names no model", "write provider:name, like openai:gpt-4"),
}
_MENDS: Final[Mapping[str, str]] = {
    "tuple_type": "write a list, like [one, two]",
    "string_type": "write a text",
    "int_type": "write a whole number",
    "float_type": "write a number",
    "bool_type": "write true or false",
    "model_type": "write keys with their values below",
}
_OF_PROGRAMS: Final[Mapping[str, str]] = {
    "tuple_type": "give a tuple, like ('one', 'two')",
    "frozen_set_type": "give a frozenset, like frozenset({'mail:read'})",
    "is_instance_of": "give one",
    "is_subclass_of": "give a pydantic model",
    "dict_type": "give a dictionary",
    "string_type": "give a text",
    "int_type": "give a whole number",
}
_EMPTY: Final = frozenset({"string_too_short", "too_short"})


def told(detail: ErrorDetails, *, of_program: bool = False) -> tuple[str, str]:
    """What is wrong with a value, and how to mend it; in a file, or where a program said it."""
    name = ".".join(str(part) for part in detail["loc"])
    context = detail.get("ctx", {})
    if detail["type"] == "string_pattern_mismatch" and context.get("pattern") in _WORDS:
        what, mend = _WORDS[context["pattern"]]
        return f"{name}: {detail['input']!r} {what}", mend
    if detail["type"] in _EMPTY:
        return f"{name}: it is empty", "say at least one thing"
    mends = _MENDS | _OF_PROGRAMS if of_program else _MENDS
    return f"{name}: {detail['msg']}", mends.get(detail["type"], "correct it")


def innermost(errors: Collection[ErrorDetails]) -> list[ErrorDetails]:
    """The errors without those about a whole, of which a part is wrong anyway."""
    inside = {each["loc"][:length] for each in errors for length in range(len(each["loc"]))}
    return [each for each in errors if each["loc"] not in inside]
