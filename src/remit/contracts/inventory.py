"""The inventory: YAML beside the code, one file a slice, which alone says what kind of thing an operation is.

Parameters are no part of it: types say those. What is wrong in it is found when it is read, with file and line.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pydantic import JsonValue, ValidationError

from remit.contracts.entries import (
    MethodEntry,
    MethodPart,
    Narrowed,
    OfFunction,
    OfMethod,
    Part,
    ToolEntry,
    facts_said,
)
from remit.contracts.finding import Finding, InventoryError, shown
from remit.contracts.governance import BUSINESS, BusinessRules, Policies, Table
from remit.contracts.jsontext import compact
from remit.contracts.positions import Document, read_yaml
from remit.contracts.positions import Path as At
from remit.errors import ContractError

N = TypeVar("N", bound=Part)
Declared = dict[str, dict[str, JsonValue]]

_TOP: Final = ("domain", "subdomain", "methods", "tools")
_INHERITED: Final = ("classification", "effect", "risk", "egress", "trusted", "entities", "models", "parameters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of an application: subdomains by domain, and the permissions that one of its roles grants."""

    domains: Mapping[str, Collection[str]]
    permissions: Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What was read: methods by their key ``domain.subdomain.name``, tools by name."""

    folder: Path
    table: Table
    methods: Mapping[str, MethodEntry]
    tools: Mapping[str, ToolEntry]

    def slice(self, domain: str, subdomain: str) -> Inventory:
        """What it says of one subdomain."""
        at = (domain, subdomain)
        methods = {key: each for key, each in self.methods.items() if (each.domain, each.subdomain) == at}
        tools = {name: each for name, each in self.tools.items() if (each.domain, each.subdomain) == at}
        return Inventory(folder=self.folder, table=self.table, methods=methods, tools=tools)


def read_inventory(folder: Path, table: Table, words: Vocabulary) -> Inventory:
    """Read the files ``*.yaml`` of a folder.

    Raises:
        InventoryError: with everything that is wrong in them.
    """
    reader = _Reader(table, words)
    files = sorted(folder.glob("*.yaml"))
    if not files:
        where = f"{shown(folder)}:1"
        raise InventoryError(
            [Finding(code="empty", where=where, what="no inventory: no file *.yaml", mend="write one")]
        )
    for file in files:
        reader.read(file)
    reader.finish()
    if reader.findings:
        raise InventoryError(reader.findings)
    return Inventory(folder=folder, table=table, methods=reader.methods, tools=reader.tools)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A tool of a method that is perhaps not read yet."""

    document: Document
    at: At
    method: str
    part: Narrowed
    declared: Declared


class _Reader:
    """Reads file after file, and keeps what it finds wrong."""

    def __init__(self, table: Table, words: Vocabulary) -> None:
        self.findings: list[Finding] = []
        self.methods: dict[str, MethodEntry] = {}
        self.tools: dict[str, ToolEntry] = {}
        self._table = table
        self._words = words
        self._declared: dict[str, Declared] = {}
        self._waiting: list[_Waiting] = []
        self._taken: dict[str, str] = {}

    def read(self, file: Path) -> None:
        """Read one file."""
        try:
            document = read_yaml(file.read_text(encoding="utf-8"), shown(file))
        except InventoryError as error:
            self.findings += error.findings
            return
        self.findings += document.findings
        value = document.value
        for key in value.keys() - set(_TOP):
            self._say("unknown-key", document, (key,), f"no such key: {key!r}", f"there are: {', '.join(_TOP)}")
        if not self._knows(document):
            return
        for name, entry in self._entries(document, ("methods",)):
            self._method(document, ("methods", name), entry)
        for name, entry in self._entries(document, ("tools",)):
            self._tool(document, ("tools", name), entry)

    def finish(self) -> None:
        """Take up the tools of methods, now that all methods are read."""
        for each in self._waiting:
            method = self.methods.get(each.method)
            if method is None and each.method in self._declared:
                continue  # what is wrong with it is said already
            if method is None:
                near = difflib.get_close_matches(each.method, self.methods, n=1)
                mend = f"did you mean {near[0]}?" if near else "name one as domain.subdomain.name"
                at = (*each.at, "method")
                self._say("unknown-method", each.document, at, f"there is no method {each.method!r}", mend)
                continue
            policies = self._policies(each.document, each.at, each.declared, self._declared[each.method])
            entry = ToolEntry(
                name=str(each.at[-1]),
                domain=method.domain,
                subdomain=method.subdomain,
                method=method.key,
                part=each.part,
                policies=policies,
                where=each.document.where(each.at),
            )
            self._enter(each.document, each.at, entry)

    def _knows(self, document: Document) -> bool:
        domain, subdomain = str(document.value.get("domain")), str(document.value.get("subdomain"))
        if domain not in self._words.domains:
            there = ", ".join(sorted(self._words.domains))
            self._say("unknown-domain", document, ("domain",), f"no domain {domain!r}", f"there are: {there}")
            return False
        if subdomain not in self._words.domains[domain]:
            there = ", ".join(sorted(self._words.domains[domain]))
            what = f"no subdomain {subdomain!r} of {domain}"
            self._say("unknown-domain", document, ("subdomain",), what, f"there are: {there}")
            return False
        return True

    def _entries(self, document: Document, at: At) -> Iterable[tuple[str, dict[str, Any]]]:
        """The entries below a key, each a mapping."""
        value: Any = document.value
        for key in at:
            value = value.get(key) or {}
        if not isinstance(value, dict):
            self._say("value", document, at, f"{at[-1]} is no mapping", "give names with their entries below")
            return
        for name, entry in cast("dict[str, Any]", value).items():
            if isinstance(entry, dict) or entry is None:
                yield name, dict(cast("dict[str, Any]", entry or {}))
            else:
                self._say("value", document, (*at, name), f"{name} is no mapping", "give keys with their values below")

    def _method(self, document: Document, at: At, raw: dict[str, Any]) -> None:
        domain, subdomain = document.value["domain"], document.value["subdomain"]
        key = f"{domain}.{subdomain}.{at[-1]}"
        for name, entry in self._entries(document, (*at, "tools")):
            self._derived(document, (*at, "tools", name), entry, key)
        raw.pop("tools", None)
        declared = self._take(document, at, raw)
        policies = self._policies(document, at, declared, {})
        part = self._part(document, at, MethodPart, raw)
        self._declared[key] = declared
        if part is not None and self._free(document, at, f"method {key}"):
            where = document.where(at)
            entry = MethodEntry(key=key, domain=domain, subdomain=subdomain, part=part, policies=policies, where=where)
            self.methods[key] = entry
            self._check_facts(document, at, entry, part)

    def _tool(self, document: Document, at: At, raw: dict[str, Any]) -> None:
        if "function" not in raw:
            self._derived(document, at, raw, None)
            return
        self._repeats(document, at, raw, ("parameters",))
        policies = self._policies(document, at, self._take(document, at, raw), {})
        part = self._part(document, at, OfFunction, raw)
        if part is not None:
            entry = ToolEntry(
                name=str(at[-1]),
                domain=document.value["domain"],
                subdomain=document.value["subdomain"],
                method="",
                part=part,
                policies=policies,
                where=document.where(at),
            )
            self._enter(document, at, entry)
            self._check_facts(document, at, entry, part)

    def _derived(self, document: Document, at: At, raw: dict[str, Any], method: str | None) -> None:
        self._repeats(document, at, raw, _INHERITED)
        declared = self._take(document, at, raw)
        part = self._part(document, at, OfMethod if method is None else Narrowed, raw)
        if part is not None:
            named = part.method if isinstance(part, OfMethod) else method or ""
            self._waiting.append(_Waiting(document, at, named, part, declared))

    def _repeats(self, document: Document, at: At, raw: dict[str, Any], inherited: Iterable[str]) -> None:
        """Refuse what a tool has from its method or its function."""
        for key in [key for key in inherited if key in raw]:
            mend = "remove it: it is inherited, and narrowed by `fix` and `hide`"
            if key == "parameters":
                mend = "remove them: the types of the code say them; narrow them by `fix` and `hide`"
            self._say("repeated", document, (*at, key), f"the tool {at[-1]!r} repeats {key}", mend)
            del raw[key]

    def _take(self, document: Document, at: At, raw: dict[str, Any]) -> Declared:
        """Take the sections of policy out of an entry, their templates filled in."""
        declared: Declared = {}
        for name, section in self._table.sections.items():
            if name not in raw:
                continue
            said = raw.pop(name)
            said = {"template": said} if isinstance(said, str) else said
            if not isinstance(said, dict):
                self._say("value", document, (*at, name), f"{name} is no mapping", "give fields, or a template's name")
                continue
            fields = dict(cast("dict[str, JsonValue]", said))
            template = fields.pop("template", None)
            if template is not None and template not in section.templates:
                there = ", ".join(sorted(section.templates)) or "none"
                path = (*at, name, "template")
                self._say(
                    "unknown-template", document, path, f"no template {template!r} of {name}", f"there are: {there}"
                )
                continue
            declared[name] = {**(section.templates[str(template)] if template is not None else {}), **fields}
        return declared

    def _policies(self, document: Document, at: At, declared: Declared, inherited: Declared) -> dict[str, Policies]:
        """The policies of an entry, those of its method among them."""
        found: dict[str, Policies] = {}
        for name, section in self._table.sections.items():
            own, above = declared.get(name, {}), inherited.get(name, {})
            for field in own.keys() & above.keys():
                what = f"{name}.{field} is said by the method already"
                self._say("repeated", document, (*at, name, field), what, "remove it here, or say it for each tool")
            if name in declared or name in inherited or name == BUSINESS:
                try:
                    found[name] = section.read({**above, **own})
                except ValidationError as error:
                    if name in declared:
                        self._wrong(document, (*at, name), error, list(section.model.model_fields))
        rules = found.get(BUSINESS)
        if isinstance(rules, BusinessRules) and "required_permissions" in declared.get(BUSINESS, {}):
            self._permissions(document, (*at, BUSINESS, "required_permissions"), rules)
        return found

    def _permissions(self, document: Document, at: At, rules: BusinessRules) -> None:
        for index, permission in enumerate(rules.required_permissions):
            if permission not in self._words.permissions:
                near = difflib.get_close_matches(permission, list(self._words.permissions), n=1)
                mend = f"did you mean {near[0]}?" if near else "grant it to a role, or correct it"
                what = f"no role grants the permission {permission!r}"
                self._say("unknown-permission", document, (*at, index), what, mend)

    def _part(self, document: Document, at: At, kind: type[N], raw: dict[str, Any]) -> N | None:
        try:
            return kind.model_validate_json(compact(raw), strict=True)
        except ValidationError as error:
            self._wrong(document, at, error, [*kind.model_fields, *self._table.sections])
            return None

    def _check_facts(self, document: Document, at: At, entry: MethodEntry | ToolEntry, part: Any) -> None:
        rules = entry.policies.get(BUSINESS)
        if isinstance(rules, BusinessRules):
            try:
                facts_said(entry, part, rules)
            except ContractError as error:
                self._say("value", document, at, error.message, "correct it")

    def _wrong(self, document: Document, at: At, error: ValidationError, known: list[str]) -> None:
        for detail in error.errors(include_url=False, include_context=False):
            path = (*at, *detail["loc"])
            name = ".".join(str(part) for part in path[1:])
            if detail["type"] == "extra_forbidden":
                near = difflib.get_close_matches(str(path[-1]), known, n=1)
                mend = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known))}"
                self._say("unknown-key", document, path, f"{name}: no such key, and no layer enforces it", mend)
            elif detail["type"] == "missing":
                self._say("missing-key", document, path, f"{name} is missing", "say it")
            else:
                self._say("value", document, path, f"{name}: {detail['msg']}", "correct it")

    def _enter(self, document: Document, at: At, entry: ToolEntry) -> None:
        if self._free(document, at, f"tool {entry.name}"):
            self.tools[entry.name] = entry

    def _free(self, document: Document, at: At, name: str) -> bool:
        """Whether nothing of that name was read before."""
        first = self._taken.setdefault(name, document.where(at))
        if first != document.where(at):
            self._say("duplicate-name", document, at, f"the {name} is at {first} already", "rename or remove one")
            return False
        return True

    def _say(self, code: str, document: Document, at: At, what: str, mend: str) -> None:
        self.findings.append(Finding(code=code, where=document.where(at), what=what, mend=mend))
