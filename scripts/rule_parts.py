"""The generated tables of policy files: their keys, and the names in expressions."""

import json
from collections.abc import Callable, Iterator
from typing import Final, cast, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from agent_parts import markdown_table
from remit.rules.expression import VARIABLES
from remit.rules.parts import EarlierPart, FilePart, Part


def policy_file() -> str:
    """The keys of a policy file, those of a part below its own."""
    return markdown_table(("key", "default", "meaning"), _rows(FilePart, ""))


def policy_names() -> str:
    """The names that an expression knows."""
    return markdown_table(("name", "meaning"), ((f"`{name}`", meaning) for name, meaning in VARIABLES.items()))


def _rows(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, str, str]]:
    for name, field in model.model_fields.items():
        key = f"{prefix}{field.alias or name}"
        inner = _part_of(field.annotation)
        yield f"`{key}`", _default(field, inner), (field.description or _summary(inner) or "").replace("|", "\\|")
        if inner is not None and inner is not EarlierPart:
            yield from _rows(inner, f"{key}.")
        elif inner is not None and name == "after":
            yield (
                f"`{key}.tools`",
                "",
                "One name, or several. A name alone stands for this mapping; also in `not_after`.",
            )
            yield f"`{key}.per`", '`"run"`', "Whose calls are read; also in `not_after`."
            yield f"`{key}.within`", "", "Seconds; earlier calls do not count; also in `not_after`."


def _default(field: FieldInfo, inner: type[BaseModel] | None) -> str:
    value: object = field.default
    if field.is_required():
        return "required"
    return (
        f"`{json.dumps(value)}`" if inner is None and value is not None and isinstance(value, (str, int, float)) else ""
    )


def _part_of(annotation: object) -> type[BaseModel] | None:
    """The part that a field holds: itself, in a list, or as the value of a mapping."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return annotation
    return next((found for each in get_args(annotation) if (found := _part_of(each))), None)


def _summary(model: type[BaseModel] | None) -> str:
    return "" if model is None else cast("str", model.__doc__).partition("\n")[0]


RULE_PARTS: Final[dict[str, Callable[[], str]]] = {"policy-file": policy_file, "policy-names": policy_names}
