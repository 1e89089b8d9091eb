"""Settings: immutable pydantic models whose constructor explains a wrong value in one line."""

from __future__ import annotations

from functools import wraps
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from remit.errors import SetupError
from remit.schemas.mistakes import describe_mistake
from remit.schemas.suggestions import suggest

C = TypeVar("C", bound=type[BaseModel])


def with_setup_errors(kind: C) -> C:
    """Make the constructor of settings raise a `SetupError` instead of pydantic's error, which spans several lines."""
    initialize: Any = vars(BaseModel)["__init__"]

    @wraps(initialize)
    def init_or_explain(self: BaseModel, **fields: Any) -> None:
        try:
            initialize(self, **fields)
        except ValidationError as error:
            raise SetupError(f"{kind.__name__}: {explain_settings_error(kind, error)}") from error

    setattr(kind, "__init__", init_or_explain)  # noqa: B010 - pyright forbids to assign to a constructor
    return kind


def explain_settings_error(kind: type[BaseModel], error: ValidationError) -> str:
    """Explain wrong values and unknown names, with a suggestion for each unknown name."""
    known = kind.model_fields
    found: list[str] = []
    for each in error.errors(include_url=False):
        path = ".".join(map(str, each["loc"]))
        is_unknown = each["type"] == "extra_forbidden"
        what = f"there is no setting {path!r}; {suggest(path, known)}" if is_unknown else describe_mistake(each)
        found.append(what)
    return "; ".join(found)
