"""Google's own descriptions of its APIs, as they ship with the official client: routes, parameters and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class _Described(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


class Annotations(_Described):
    """For which methods a property is required."""

    required: list[str] = Field(default_factory=list[str])


class Schema(_Described):
    """The shape of a value, or of a parameter."""

    ref: str | None = Field(default=None, alias="$ref")
    type: str | None = None
    format: str | None = None
    enum: list[str] | None = None
    items: Schema | None = None
    properties: dict[str, Schema] = Field(default_factory=dict[str, "Schema"])
    additional_properties: Schema | None = None
    annotations: Annotations = Annotations()
    location: str = ""
    required: bool = False
    repeated: bool = False
    default: str | None = None
    minimum: int | None = None
    maximum: int | None = None


class Reference(_Described):
    """The name of a schema."""

    ref: str = Field(alias="$ref")


class Protocol(_Described):
    """Where content is uploaded to."""

    path: str


class MediaUpload(_Described):
    """How content is uploaded."""

    protocols: dict[str, Protocol]


class Method(_Described):
    """One method of an API."""

    id: str
    path: str
    http_method: str
    parameters: dict[str, Schema] = Field(default_factory=dict[str, Schema])
    request: Reference | None = None
    response: Reference | None = None
    media_upload: MediaUpload | None = None
    supports_media_download: bool = False


class Resource(_Described):
    """Methods that belong together."""

    methods: dict[str, Method] = Field(default_factory=dict[str, Method])
    resources: dict[str, Resource] = Field(default_factory=dict[str, "Resource"])


class Document(Resource):
    """The description of one API."""

    name: str
    service_path: str
    root_url: str
    parameters: dict[str, Schema]
    schemas: dict[str, Schema]


class Route:
    """Where a method is reached. ``literal`` counts the characters of its path that are not parameters."""

    def __init__(self, document: Document, method: Method, path: str, *, uploads: bool) -> None:
        self.document = document
        self.method = method
        self.uploads = uploads
        self.literal = len(re.sub(r"\{[^}]*\}", "", path))
        template = re.sub(r"\\\{\\?\+?(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))
        self._pattern = re.compile(f"/{template.lstrip('/')}")

    def match(self, http_method: str, path: str) -> dict[str, str] | None:
        """The parameters in a path that is this route's."""
        found = self._pattern.fullmatch(path) if http_method == self.method.http_method else None
        return None if found is None else found.groupdict()


def text_of(name: str, version: str) -> str:
    """The document as it ships."""
    documents = files("googleapiclient") / "discovery_cache" / "documents"
    return (documents / f"{name}.{version}.json").read_text(encoding="utf-8")


@cache
def routes() -> tuple[Route, ...]:
    """Every route of the three APIs, the most specific first."""
    found = [
        route
        for name, version in (("gmail", "v1"), ("drive", "v3"), ("sheets", "v4"))
        for route in _routes(Document.model_validate_json(text_of(name, version)))
    ]
    return tuple(sorted(found, key=lambda route: -route.literal))


def _routes(document: Document) -> Iterator[Route]:
    waiting: list[Resource] = [document]
    while waiting:
        resource = waiting.pop()
        waiting += resource.resources.values()
        for method in resource.methods.values():
            yield Route(document, method, document.service_path + method.path, uploads=False)
            if method.media_upload is not None:
                yield Route(document, method, method.media_upload.protocols["simple"].path, uploads=True)


Json = dict[str, Any]
