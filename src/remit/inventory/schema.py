"""The schema of an inventory entry, without its policy sections, which a `PolicyTable` defines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from remit.call.classification import Capability, Classification, Complexity, Deprecation, Maturity, Tier
from remit.call.facts import Effect, Facts, Risk, build_facts
from remit.call.sentences import Sentences, Undo, as_sentences
from remit.inventory.governance import BusinessRules, PolicyModel, PolicyTable
from remit.schemas.yaml_lines import KeyPath, YamlDocument


class InventorySpec(BaseModel):
    """Base class of the parts of an inventory; unknown keys are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class ClassificationSpec(InventorySpec):
    """The four closed axes. Domain and subdomain are at the top of the file."""

    capability: Capability
    complexity: Complexity = Complexity.ATOMIC
    maturity: Maturity = Maturity.STABLE
    integration_tier: Tier = Tier.INTERNAL


class OperationSpec(InventorySpec):
    """The kind of an operation."""

    classification: ClassificationSpec
    effect: Effect = Effect.UNSAFE
    risk: Risk = Risk.SAFE
    egress: bool = False
    trusted: bool = False


class ModelNamesSpec(InventorySpec):
    """The classes named by a method's signature, repeated only to be compared."""

    request: str = ""
    response: str = ""


class SentencesSpec(InventorySpec):
    """The forms of a sentence that do not follow from ``asked``; see `Sentences`."""

    asked: str
    running: str = ""
    done: str = ""
    refused: str = ""


class UndoSpec(InventorySpec):
    """The tool that undoes a call, and its arguments; see `Undo`."""

    tool: str
    arguments: dict[str, str | bool | int | float | None] = Field(
        default_factory=dict[str, "str | bool | int | float | None"]
    )


class ExposureSpec(InventorySpec):
    """How a model sees an operation, and what its calls say to people."""

    description: str = ""
    tags: tuple[str, ...] = ()
    confirm: str | None = None
    repeatable: bool = False
    says: str | SentencesSpec | None = None
    undo: UndoSpec | None = None

    def read_says(self) -> Sentences | None:
        """The sentences.

        Raises:
            ContractError: they are not well-formed.
        """
        return Sentences(**dict(self.says)) if isinstance(self.says, SentencesSpec) else as_sentences(self.says)

    def read_undo(self) -> Undo | None:
        """The undo.

        Raises:
            ContractError: it is not well-formed.
        """
        return None if self.undo is None else Undo(self.undo.tool, self.undo.arguments)


class ToolSpec(ExposureSpec):
    """A tool of a method: ``fix`` sets parameters, ``hide`` leaves them at their default."""

    fix: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    hide: tuple[str, ...] = ()


class MethodToolSpec(ToolSpec):
    """A tool that names its method, ``domain.subdomain.name``."""

    method: str


class MethodSpec(OperationSpec, ExposureSpec):
    """A method, and how a model sees it if its one tool has its name.

    ``implementation`` is ``Class.name`` or ``module.name`` if several classes or modules have a function of that name.
    """

    models: ModelNamesSpec = ModelNamesSpec.model_construct()
    implementation: str = ""
    without_tool: str = ""


class FieldReference(NamedTuple):
    """A field name that an entry itself, not a template, uses in its policy."""

    section: str
    field: str
    name: str
    location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodEntry:
    """A method of the inventory and its location."""

    key: str
    domain: str
    subdomain: str
    spec: MethodSpec
    policies: Mapping[str, PolicyModel]
    location: str
    field_references: tuple[FieldReference, ...] = ()

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.key.rpartition(".")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEntry:
    """A tool of the inventory and its location; ``method`` is the key of its method."""

    name: str
    domain: str
    subdomain: str
    method: str
    spec: ToolSpec
    policies: Mapping[str, PolicyModel]
    location: str
    field_references: tuple[FieldReference, ...] = ()


def collect_field_references(
    document: YamlDocument, key_path: KeyPath, policy_table: PolicyTable, raw: Mapping[str, Any]
) -> tuple[FieldReference, ...]:
    """The field names in an entry's policy, before templates are filled in."""
    return tuple(
        FieldReference(name, field, each, document.locate((*key_path, name, field, index)))
        for name, section in policy_table.sections.items()
        for field, enforcer in section.enforcers.items()
        if enforcer.lists_fields_of and isinstance(raw.get(name), dict) and isinstance(raw[name].get(field), list)
        for index, each in enumerate(raw[name][field])
        if isinstance(each, str)
    )


# Many entries are equal, and the facts of each are needed when it is read and when it is bound.
_build_facts = lru_cache(maxsize=1024)(build_facts)
_classify = lru_cache(maxsize=256)(Classification)


def build_entry_facts(
    entry: MethodEntry | ToolEntry, operation: OperationSpec, rules: BusinessRules, exposed: ExposureSpec | None = None
) -> Facts:
    """The facts that an inventory declares for an operation and for the tool that exposes it.

    Raises:
        ContractError: a value does not fit the facts.
    """
    axes = operation.classification
    rate = rules.rate_limit_per_minute
    deprecation = (rules.deprecated_since, rules.removal_version, rules.replacement_method)
    return _build_facts(
        effect=operation.effect,
        risk=operation.risk,
        permissions=rules.required_permissions,
        timeout=rules.timeout_seconds,
        rate=None if rate is None else (rate, 60.0),
        egress=operation.egress,
        trusted=operation.trusted,
        tags=exposed.tags if exposed else (),
        confirm=exposed.confirm if exposed else None,
        repeatable=exposed.repeatable if exposed else False,
        says=exposed.read_says() if exposed else None,
        undo=exposed.read_undo() if exposed else None,
        classification=_classify(
            domain=entry.domain,
            subdomain=entry.subdomain,
            capability=axes.capability,
            complexity=axes.complexity,
            maturity=axes.maturity,
            tier=axes.integration_tier,
        ),
        visibility=rules.visibility,
        deprecation=Deprecation(since=deprecation[0] or "0", removal=deprecation[1], replacement=deprecation[2])
        if any(deprecation)
        else None,
    )
