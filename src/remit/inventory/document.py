"""The inventory: YAML beside the code, one file a slice, which alone says what kind of thing an operation is.

Parameters are no part of it: types say those. What is wrong in it is found when it is read, with file and line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel, JsonValue, ValidationError

from remit.core.frozen import frozen
from remit.errors import ContractError, SetupError
from remit.inventory.governance import BUSINESS, BusinessRules, Policies, Table
from remit.inventory.schema import (
    MethodEntry,
    MethodPart,
    Named,
    Narrowed,
    OfFunction,
    OfMethod,
    Part,
    ToolEntry,
    facts_said,
    names_said,
)
from remit.schemas.finding import Finding, InventoryError, shown
from remit.schemas.garbage import gc_paused
from remit.schemas.jsontext import compact
from remit.schemas.suggestions import near
from remit.schemas.yaml_lines import Document, read_yaml, text_of
from remit.schemas.yaml_lines import Path as At

N = TypeVar("N", bound=Part)
Declared = dict[str, dict[str, JsonValue]]

_TOP: Final = ("domain", "subdomain", "methods", "tools")
_QUOTED: Final = re.compile(r"'([^']*)'")
_INHERITED: Final = ("classification", "effect", "risk", "egress", "trusted", "entities", "models", "parameters")


@frozen
class Vocabulary:
    """The words of an application: subdomains by domain, and the permissions that one of its roles grants."""

    domains: Mapping[str, Collection[str]]
    permissions: Collection[str]


@frozen
class Inventory:
    """What was read: methods by their key ``domain.subdomain.name``, tools by name."""

    folder: Path
    table: Table
    methods: Mapping[str, MethodEntry]
    tools: Mapping[str, ToolEntry]

    def slice(self, domain: str, subdomain: str) -> Inventory:
        """What it says of one subdomain.

        Raises:
            SetupError: it says nothing of that one.
        """
        at = (domain, subdomain)
        slices = {(each.domain, each.subdomain) for each in (*self.methods.values(), *self.tools.values())}
        if at not in slices:
            there = ", ".join(".".join(each) for each in sorted(slices)) or "none"
            raise SetupError(f"{shown(self.folder)} has no slice {domain}.{subdomain}; there are: {there}")
        methods = {key: each for key, each in self.methods.items() if (each.domain, each.subdomain) == at}
        tools = {name: each for name, each in self.tools.items() if (each.domain, each.subdomain) == at}
        return Inventory(folder=self.folder, table=self.table, methods=methods, tools=tools)


@gc_paused()
def read_inventory(folder: Path, table: Table, words: Vocabulary) -> Inventory:
    """Read the files ``*.yaml`` of a folder. A slice that stands elsewhere in it is refused, not left out.

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
    reader.findings += _elsewhere(folder)
    for file in files:
        reader.read(file)
    reader.finish()
    if reader.findings:
        raise InventoryError(reader.findings)
    return Inventory(folder=folder, table=table, methods=reader.methods, tools=reader.tools)


def _keys(model: type[BaseModel], loc: At, more: Iterable[str]) -> list[str]:
    """The keys that there are where one stands that is none."""
    inside = model.model_fields[str(loc[0])].annotation if len(loc) > 1 else None
    if isinstance(inside, type) and issubclass(inside, BaseModel):
        return list(inside.model_fields)
    return [*model.model_fields, *more]


def _inside(part: At, whole: At) -> bool:
    """Whether one stands within the other."""
    return len(part) > len(whole) and part[: len(whole)] == whole


def _elsewhere(folder: Path) -> Iterator[Finding]:
    """Files that somebody may take for slices, and nobody reads."""
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".yml" or (file.suffix == ".yaml" and file.parent != folder):
            mend = f"move it to {shown(folder / file.stem)}.yaml, or remove it"
            yield Finding(code="not-read", where=f"{shown(file)}:1", what="nobody reads this file", mend=mend)


@frozen(kw_only=False)
class _Waiting:
    """A tool of a method that is perhaps not read yet."""

    document: Document
    at: At
    method: str
    part: Narrowed
    declared: Declared
    names: tuple[Named, ...]


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
        self._replacing: list[tuple[Document, At, str]] = []
        self._taken: dict[str, str] = {}

    def read(self, file: Path) -> None:
        """Read one file."""
        try:
            document = read_yaml(text_of(file), shown(file))
        except InventoryError as error:
            self.findings += error.findings
            return
        self.findings += document.findings
        value = document.value
        if not value and not document.findings:
            self._say("empty", document, (), "the file says nothing", "begin with `domain: …`, or remove it")
            return
        for key in value.keys() - set(_TOP):
            self._say("unknown-key", document, (key,), f"no such key: {key!r}", near(key, _TOP))
        if not self._knows(document):
            return
        for name, entry in self._entries(document, ("methods",)):
            self._method(document, ("methods", name), entry)
        for name, entry in self._entries(document, ("tools",)):
            self._tool(document, ("tools", name), entry)

    def finish(self) -> None:
        """Take up the tools of methods and what replaces others, now that all is read."""
        for each in self._waiting:
            method = self.methods.get(each.method)
            if method is None and each.method in self._declared:
                continue  # what is wrong with it is said already
            if method is None:
                mend = near(each.method, self.methods, "name one as domain.subdomain.name")
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
                names=each.names,
            )
            self._enter(each.document, each.at, entry)
        known = {*self._declared, *self.tools, *(str(each.at[-1]) for each in self._waiting)}
        for document, at, name in self._replacing:
            if name not in known:
                mend = near(name, known, "name a method as domain.subdomain.name, or a tool")
                self._say("unknown-method", document, at, f"there is no method or tool {name!r}", mend)

    def _knows(self, document: Document) -> bool:
        missing = [key for key in ("domain", "subdomain") if document.value.get(key) is None]
        for key in missing:
            self._say("missing-key", document, (key,), f"{key} is missing", "say it at the top of the file")
        if missing:
            return False
        domain, subdomain = str(document.value["domain"]), str(document.value["subdomain"])
        if domain not in self._words.domains:
            mend = near(domain, self._words.domains)
            self._say("unknown-domain", document, ("domain",), f"no domain {domain!r}", mend)
            return False
        if subdomain not in self._words.domains[domain]:
            what = f"no subdomain {subdomain!r} of {domain}"
            self._say("unknown-domain", document, ("subdomain",), what, near(subdomain, self._words.domains[domain]))
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
        self._repeats(document, at, raw, ("parameters",))
        names = names_said(document, at, self._table, raw)
        declared = self._take(document, at, raw)
        policies = self._policies(document, at, declared, {})
        part = self._part(document, at, MethodPart, raw)
        self._declared[key] = declared
        if part is not None and self._free(document, at, f"method {key}"):
            entry = MethodEntry(
                key=key,
                domain=domain,
                subdomain=subdomain,
                part=part,
                policies=policies,
                where=document.where(at),
                names=names,
            )
            self.methods[key] = entry
            self._check_facts(document, at, entry, part)

    def _tool(self, document: Document, at: At, raw: dict[str, Any]) -> None:
        if "function" not in raw:
            self._derived(document, at, raw, None)
            return
        self._repeats(document, at, raw, ("parameters",))
        names = names_said(document, at, self._table, raw)
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
                names=names,
            )
            self._enter(document, at, entry)
            self._check_facts(document, at, entry, part)

    def _derived(self, document: Document, at: At, raw: dict[str, Any], method: str | None) -> None:
        self._repeats(document, at, raw, _INHERITED)
        names = names_said(document, at, self._table, raw)
        declared = self._take(document, at, raw)
        part = self._part(document, at, OfMethod if method is None else Narrowed, raw)
        if part is not None:
            named = part.method if isinstance(part, OfMethod) else method or ""
            self._waiting.append(_Waiting(document, at, named, part, declared, names))

    def _repeats(self, document: Document, at: At, raw: dict[str, Any], inherited: Iterable[str]) -> None:
        """Refuse what a tool has from its method or its function."""
        for key in [key for key in inherited if key in raw]:
            mend = "remove it: it is inherited, and narrowed by `fix` and `hide`"
            if key == "parameters":
                mend = "remove them: the types of the code say them; narrow them by `fix` and `hide`"
            what = f"the {str(at[-2]).removesuffix('s')} {at[-1]!r} repeats {key}"
            self._say("repeated", document, (*at, key), what, mend)
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
                path, what = (*at, name, "template"), f"no template {template!r} of {name}"
                self._say("unknown-template", document, path, what, near(str(template), section.templates))
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
                        self._wrong(document, (*at, name), error, section.model)
        rules, own = found.get(BUSINESS), declared.get(BUSINESS, {})
        if isinstance(rules, BusinessRules) and "required_permissions" in own:
            self._permissions(document, (*at, BUSINESS, "required_permissions"), rules)
        if isinstance(rules, BusinessRules) and "replacement_method" in own and rules.replacement_method:
            self._replacing.append((document, (*at, BUSINESS, "replacement_method"), rules.replacement_method))
        return found

    def _permissions(self, document: Document, at: At, rules: BusinessRules) -> None:
        for index, permission in enumerate(rules.required_permissions):
            if permission not in self._words.permissions:
                mend = near(permission, self._words.permissions, "grant it to a role, or correct it")
                what = f"no role grants the permission {permission!r}"
                self._say("unknown-permission", document, (*at, index), what, mend)

    def _part(self, document: Document, at: At, kind: type[N], raw: dict[str, Any]) -> N | None:
        try:
            return kind.model_validate_json(compact(raw), strict=True)
        except ValidationError as error:
            self._wrong(document, at, error, kind, self._table.sections)
            return None

    def _check_facts(self, document: Document, at: At, entry: MethodEntry | ToolEntry, part: Any) -> None:
        rules = entry.policies.get(BUSINESS)
        mended_first = any(path[: len(at)] == at for path in document.refused)
        if isinstance(rules, BusinessRules) and not mended_first:
            try:
                facts_said(entry, part, rules)
            except ContractError as error:
                self._say("value", document, at, error.message, "correct it")

    def _wrong(
        self, document: Document, at: At, error: ValidationError, model: type[BaseModel], more: Iterable[str] = ()
    ) -> None:
        """Say each mistake once: not that a whole is wrong too, nor that a key which was mistyped is missing."""
        details = error.errors(include_url=False)
        mistyped: set[At] = set()
        for detail in sorted(details, key=lambda each: each["type"] != "extra_forbidden"):
            loc = detail["loc"]
            path = (*at, *loc)
            name = ".".join(str(part) for part in path[1:])
            if detail["type"] == "extra_forbidden":
                mend = near(str(loc[-1]), _keys(model, loc, more))
                mistyped.add((*loc[:-1], mend.removeprefix("did you mean ").removesuffix("?")))
                self._say("unknown-key", document, path, f"{name}: no such key, and no layer enforces it", mend)
            elif detail["type"] == "missing" and loc not in mistyped:
                self._say("missing-key", document, path, f"{name} is missing", "say it")
            elif detail["type"] != "missing" and not any(_inside(each["loc"], loc) for each in details):
                words = _QUOTED.findall(str(detail.get("ctx", {}).get("expected", "")))
                mend = near(str(detail["input"]), words, "correct it")
                self._say("value", document, path, f"{name}: {detail['msg']}", mend)

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
        if not document.said(at):
            self.findings.append(Finding(code=code, where=document.where(at), what=what, mend=mend))
