"""Payloads and replies of the operations on whole sites."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from remit.artifacts import Artifact
from remit.tools import entity
from remit_cms.models import Line, Payload, Reply, View, WriteReply
from remit_cms.sites.languages import Language

_RULE = "2 to 63 of a-z, 0-9 and '-'"
_Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{1,62}$")]
_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), Line]
_Environment = Annotated[_Key, Field(description=f"Key of an environment: {_RULE}")]
_Environments = Annotated[list[_Environment], Field(min_length=1, max_length=10)]
_Language = Annotated[Language, Field(description="Code of a language, with a region if it has one")]
_Languages = Annotated[list[_Language], Field(min_length=1, max_length=50)]


class AddSite(Payload):
    """A new site."""

    key: _Key = Field(description=f"Key of the site, as targets name it: {_RULE}")
    name: _Name = Field(description="Name of the site")
    languages: _Languages = Field(default=["en", "de"], description="Codes of its languages, the default first")
    environments: _Environments = Field(default=["main"], description="Its environments, the default first")

    @model_validator(mode="after")
    def _refuse_doubles(self) -> Self:
        for names in (self.languages, self.environments):
            if len({*names}) != len(names):
                raise ValueError(f"'{next(each for each in names if names.count(each) > 1)}' is there twice")
        return self


class ListSites(Payload):
    """No choice."""


class SeedSite(Payload):
    """No choice."""


class ExportContent(Payload):
    """No choice."""


class ImportContent(Payload):
    """The file to import."""

    file: Artifact = Field(description="A ZIP file that cms_exportContent wrote")


class PromoteChangeSet(Payload):
    """The change set to take over, and where it was published."""

    from_environment: _Key = Field(description="Key of the environment where it was published")
    change_set_id: str = Field(description="Id or name of the published change set", min_length=1, max_length=200)


class PromotionReply(WriteReply):
    """The change set that was made. ``pages`` are the ids of its documents."""

    change_set_id: str
    pages: list[str]


@entity("site", id="key", name="name")
class SiteView(View):
    """A site. Targets name it by its key, or one of its environments as key/environment."""

    key: str
    name: str
    languages: list[str]
    environments: list[str]
    pages: int


class SiteReply(Reply):
    """A site."""

    site: SiteView


class SitesReply(Reply):
    """The sites of a tenant, the first one without a target first."""

    sites: list[SiteView]
    total: int


class ContentReply(Reply):
    """How much was written."""

    target: str
    pages: int
    entries: int
    images: int


class ExportedContent(Reply):
    """The file of a site."""

    file: Artifact
    pages: int
    entries: int
    images: int
