"""Finds the arguments that equal their defaults, so that a question can emphasize the others."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from remit.record.arguments import canonical_json


def names_at_default(model: type[BaseModel], canonical: str) -> tuple[str, ...]:
    """Names of the arguments in ``canonical`` that equal the defaults of ``model``, even if they were given."""
    values: dict[str, Any] = json.loads(canonical)
    found: list[str] = []
    for field_name, field in model.model_fields.items():
        name = field.serialization_alias or field_name
        if name not in values or field.is_required() or field.default_factory is not None:
            continue
        try:
            default = canonical_json(to_jsonable_python(field.default))
        except (PydanticSerializationError, ValueError):
            continue  # it is shown
        if canonical_json(values[name]) == default:
            found.append(name)
    return tuple(found)
