"""Entities: the objects that a result describes, as declared by its model."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from typing import Any, Final, TypeVar, cast, get_args, get_type_hints, is_typeddict

from pydantic import BaseModel

from remit.call.callee import check_callee
from remit.call.contract import Contract
from remit.core.call_checks import check_arguments
from remit.core.checks import check_instance, check_name, check_text
from remit.errors import ContractError
from remit.record.items import ToolOutput, output_content
from remit.schemas.values import iter_values, walk
from remit.shown import show_value

M = TypeVar("M", bound=BaseModel)

_DECLARATION: Final = "__remit_entity__"


@check_arguments()
@dataclass(frozen=True, slots=True)
class Entity:
    """An object that a result describes: its kind, its id within the kind, its name for people, and its address."""

    kind: str
    id: str
    name: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class _Declaration:
    kind: str
    id: str
    name: str
    link: str

    def read(self, value: BaseModel) -> Entity | None:
        """Read the entity that ``value`` describes; None without an id."""
        identity, name, link = (getattr(value, field) if field else None for field in (self.id, self.name, self.link))
        if identity is None or identity == "":
            return None
        return Entity(self.kind, str(identity), str(name or identity), str(link or ""))


def entity(kind: str, *, id: str = "id", name: str = "name", link: str = "") -> Callable[[type[M]], type[M]]:  # noqa: A002
    """Declare that each value of a pydantic model describes an entity. Subclasses of the model inherit this.

    Args:
        kind: the kind of object, such as ``page``.
        id: the field with its id. A value without one describes no entity.
        name: the field with its name.
        link: the field with the address at which a person can see the object; empty for none.

    Raises:
        ContractError: the class is not a pydantic model, or has no field of that name.
    """
    check_name("entity: kind", kind, ContractError)
    named = {"id": id, "name": name, "link": link}
    for argument, field in named.items():
        check_text(f"entity: {argument}", field, ContractError)

    def declare(model: Any) -> Any:
        if not isinstance(model, type) or not issubclass(model, BaseModel):
            raise ContractError(
                f"@entity({kind!r}) is on {show_value(cast('object', model))}; put it on a pydantic model"
            )
        for argument, field in named.items():
            if field not in model.model_fields and (field or argument != "link"):
                raise ContractError(
                    f"@entity({kind!r}): {model.__name__} has no field {field!r}; name the field that has its "
                    f"{argument}: {argument}=…, one of {', '.join(model.model_fields)}"
                )
        setattr(model, _DECLARATION, _Declaration(kind, id, name, link))
        return model

    return declare


def entities_of(result: object, callee: Contract | None = None, /) -> tuple[Entity, ...]:
    """List the entities that a result describes, each once, in their order in the result.

    Pass a result as returned by a call. From a journal, pass the terminal record of a call (`ToolOutput`) or its
    content as text, together with the callee. A record without a result of the callee, such as that of an error, has no
    entities.

    Raises:
        ContractError: a record is given without its callee.
    """
    if isinstance(result, ToolOutput) or callee is not None:
        result = _load_result(result, callee)
    found: dict[tuple[str, str], Entity] = {}
    for value in iter_values(result):
        declared = _declaration_of(type(value))
        described = declared and declared.read(cast("BaseModel", value))
        if described:
            found.setdefault((described.kind, described.id), described)
    return tuple(found.values())


def entity_kinds(kind: object) -> tuple[str, ...]:
    """The kinds of entities that results of a type may describe, sorted."""
    return tuple(sorted({declared.kind for each in walk(kind, _parts_of_type) if (declared := _declaration_of(each))}))


def _declaration_of(kind: object) -> _Declaration | None:
    return cast("_Declaration | None", getattr(kind, _DECLARATION, None)) if isinstance(kind, type) else None


def _load_result(record: object, callee: Contract | None) -> object:
    """Load the result in a record; None if there is none."""
    if callee is None:
        raise ContractError("entities_of: a record needs its callee: entities_of(record, tool)")
    check_callee("entities_of: callee", callee)
    check_instance("entities_of: record", record, (ToolOutput, str), "give a ToolOutput, or the content as text")
    if isinstance(record, ToolOutput):
        if record.outcome != "ok":
            return None
        record = output_content(record)
    with suppress(ValueError):
        return callee.schema_out.load(cast("str", record))
    with suppress(ValueError, KeyError, TypeError):  # next to a notice for the model
        return callee.schema_out.load(json.dumps(json.loads(cast("str", record))["result"]))
    return None


def _parts_of_type(kind: Any) -> list[object]:
    """The types that a type consists of."""
    parts: list[object] = [*get_args(kind)]
    if _is_class(kind) and issubclass(kind, BaseModel):
        parts += [field.annotation for field in kind.model_fields.values()]
    elif _is_class(kind) and (is_dataclass(kind) or is_typeddict(kind)):
        parts += get_type_hints(kind).values()
    elif hasattr(kind, "__value__"):  # an alias: type X = …
        parts.append(kind.__value__)
    return parts


def _is_class(kind: object) -> bool:
    return isinstance(kind, type)
