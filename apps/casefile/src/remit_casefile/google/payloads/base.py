"""Base models: snake_case for callers; replies also parse Google's camelCase."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AliasChoices, AliasGenerator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


def _field_or_camel(name: str) -> AliasChoices:
    """The field's own name, or Google's spelling."""
    return AliasChoices(name, to_camel(name))


class Payload(BaseModel):
    """The payload of an operation."""

    model_config = ConfigDict(frozen=True)


class GoogleModel(BaseModel):
    """The result of an operation. Other fields of Google's response are dropped."""

    model_config = ConfigDict(frozen=True, alias_generator=AliasGenerator(validation_alias=_field_or_camel))


PAGE_TOKEN: Final = "next_page_token of the page before"  # noqa: S105 - a description

GoogleId = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_-]+$")]
"""An id as Google gives them."""

PageToken = Annotated[str, Field(min_length=1, max_length=4096)]
"""Where a list goes on."""
