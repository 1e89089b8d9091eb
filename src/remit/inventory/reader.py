"""Reads an inventory: YAML beside the code, one file per slice, the only source of an operation's kind.

Parameters are not part of it: types define them. Mistakes are reported with file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from msgspec import Struct
from pydantic import BaseModel, JsonValue, ValidationError

from remit.core.checks import as_path, check_instances
from remit.errors import ContractError
from remit.inventory.document import Inventory, Vocabulary
from remit.inventory.governance import BUSINESS_RULES, BusinessRules, PolicyModel, PolicyTable
from remit.inventory.schema import (
    ExposureSpec,
    FieldReference,
    InventorySpec,
    MethodEntry,
    MethodSpec,
    MethodToolSpec,
    ToolEntry,
    ToolSpec,
    build_entry_facts,
    collect_field_references,
)
from remit.schemas.finding import Finding, InventoryError, display_path
from remit.schemas.jsontext import compact_json
from remit.schemas.mistakes import explain_mistake
from remit.schemas.suggestions import suggest
from remit.schemas.yaml_lines import KeyPath as At
from remit.schemas.yaml_lines import YamlDocument, read_text, read_yaml

N = TypeVar("N", bound=InventorySpec)
DeclaredPolicies = dict[str, dict[str, JsonValue]]

_TOP_LEVEL_KEYS: Final = ("domain", "subdomain", "methods", "tools")
_QUOTED: Final = re.compile(r"'([^']*)'")
_REMOVED_KEYS: Final = {"entities": "remove it, and declare them on the models of the result: @entity(…)"}
_INHERITED_KEYS: Final = ("classification", "effect", "risk", "egress", "trusted", "models", "parameters")


def read_inventory(folder: Path, policy_table: PolicyTable, vocabulary: Vocabulary) -> Inventory:
    """Read the files ``*.yaml`` of a folder. A slice elsewhere in the folder is rejected, not ignored.

    Raises:
        InventoryError: has all findings.
    """
    folder = as_path("read_inventory: folder", folder)
    check_instances("read_inventory", policy_table=(policy_table, PolicyTable), vocabulary=(vocabulary, Vocabulary))
    reader = _InventoryReader(policy_table, vocabulary)
    files = sorted(folder.glob("*.yaml"))
    if not files:
        where = f"{display_path(folder)}:1"
        raise InventoryError(
            [Finding(code="empty", where=where, what="no inventory found: no file matches *.yaml", fix="create one")]
        )
    reader.findings += _find_unread_files(folder)
    for file in files:
        reader.read_file(file)
    reader.resolve_references()
    if reader.findings:
        raise InventoryError(reader.findings)
    return Inventory(
        folder=folder,
        policy_table=policy_table,
        vocabulary=vocabulary,
        methods=reader.methods,
        tools=reader.tools,
    )


def _allowed_keys(model: type[BaseModel], loc: At, extra_keys: Iterable[str]) -> list[str]:
    """The keys allowed where an unknown key was found."""
    field_type = model.model_fields[str(loc[0])].annotation if len(loc) > 1 else None
    if isinstance(field_type, type) and issubclass(field_type, BaseModel):
        return list(field_type.model_fields)
    return [*model.model_fields, *extra_keys]


def _find_unread_files(folder: Path) -> Iterator[Finding]:
    """Findings for files that look like slices but are not read."""
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".yml" or (file.suffix == ".yaml" and file.parent != folder):
            mend = f"move it to {display_path(folder / file.stem)}.yaml, or remove it"
            yield Finding(code="not-read", where=f"{display_path(file)}:1", what="this file is not read", fix=mend)


class _PendingTool(Struct, frozen=True):
    """A tool whose method may not have been read yet."""

    document: YamlDocument
    key_path: At
    method_key: str
    spec: ToolSpec
    declared: DeclaredPolicies
    field_references: tuple[FieldReference, ...] = ()


class _InventoryReader:
    """Reads the files and collects findings."""

    def __init__(self, policy_table: PolicyTable, vocabulary: Vocabulary) -> None:
        self.findings: list[Finding] = []
        self.methods: dict[str, MethodEntry] = {}
        self.tools: dict[str, ToolEntry] = {}
        self._policy_table = policy_table
        self._vocabulary = vocabulary
        self._declared_by_method: dict[str, DeclaredPolicies] = {}
        self._pending_tools: list[_PendingTool] = []
        self._replacement_references: list[tuple[YamlDocument, At, str]] = []
        self._first_locations: dict[str, str] = {}

    def read_file(self, file: Path) -> None:
        """Read one file."""
        try:
            document = read_yaml(read_text(file), display_path(file))
        except InventoryError as error:
            self.findings += error.findings
            return
        self.findings += document.findings
        value = document.value
        if not value and not document.findings:
            self._report("empty", document, (), "the file says nothing", "start it with `domain: …`, or remove it")
            return
        for key in [each for each in value if each not in _TOP_LEVEL_KEYS]:
            self._report("unknown-key", document, (key,), f"no such key: {key!r}", suggest(key, _TOP_LEVEL_KEYS))
        if not self._check_domain(document):
            return
        for name, entry in self._iter_entries(document, ("methods",)):
            self._read_method(document, ("methods", name), entry)
        for name, entry in self._iter_entries(document, ("tools",)):
            self._read_tool(document, ("tools", name), entry, None)

    def resolve_references(self) -> None:
        """Add the tools of methods, and check replacements, once all files are read."""
        for each in self._pending_tools:
            method = self.methods.get(each.method_key)
            if method is None:
                if each.method_key not in self._declared_by_method:  # otherwise its own error is reported
                    mend = suggest(each.method_key, self.methods, "name one as domain.subdomain.name")
                    path, what = (*each.key_path, "method"), f"there is no method {each.method_key!r}"
                    self._report("unknown-method", each.document, path, what, mend)
                continue
            policies = self._build_policies(
                each.document, each.key_path, each.declared, self._declared_by_method[each.method_key]
            )
            entry = ToolEntry(
                name=str(each.key_path[-1]),
                domain=method.domain,
                subdomain=method.subdomain,
                method=method.key,
                spec=each.spec,
                policies=policies,
                location=each.document.locate(each.key_path),
                field_references=each.field_references,
            )
            self._add_tool(each.document, each.key_path, entry)
        known = {*self._declared_by_method, *self.tools, *(str(each.key_path[-1]) for each in self._pending_tools)}
        for document, key_path, name in self._replacement_references:
            if name not in known:
                mend = suggest(name, known, "name a method as domain.subdomain.name, or a tool")
                self._report("unknown-method", document, key_path, f"there is no method or tool {name!r}", mend)

    def _check_domain(self, document: YamlDocument) -> bool:
        missing = [key for key in ("domain", "subdomain") if document.value.get(key) is None]
        for key in missing:
            self._report("missing-key", document, (key,), f"{key} is missing", "declare it at the top of the file")
        if missing:
            return False
        domain, subdomain = str(document.value["domain"]), str(document.value["subdomain"])
        if domain not in self._vocabulary.domains:
            mend = suggest(domain, self._vocabulary.domains)
            self._report("unknown-domain", document, ("domain",), f"no domain {domain!r}", mend)
            return False
        if subdomain not in self._vocabulary.domains[domain]:
            what = f"no subdomain {subdomain!r} of {domain}"
            self._report(
                "unknown-domain", document, ("subdomain",), what, suggest(subdomain, self._vocabulary.domains[domain])
            )
            return False
        return True

    def _iter_entries(self, document: YamlDocument, key_path: At) -> Iterable[tuple[str, dict[str, Any]]]:
        """The entries below a key, each a mapping."""
        value: Any = document.value
        for key in key_path:
            value = value.get(key)
            value = {} if value is None else value
        if not isinstance(value, dict):
            self._report(
                "value", document, key_path, f"{key_path[-1]} is not a mapping", "write names with entries below them"
            )
            return
        for name, entry in cast("dict[str, Any]", value).items():
            if isinstance(entry, dict) or entry is None:
                yield name, dict(cast("dict[str, Any]", entry or {}))
            else:
                self._report(
                    "value",
                    document,
                    (*key_path, name),
                    f"{name} is not a mapping",
                    "write keys with values below them",
                )

    def _read_method(self, document: YamlDocument, key_path: At, raw: dict[str, Any]) -> None:
        key = f"{document.value['domain']}.{document.value['subdomain']}.{key_path[-1]}"
        for name, entry in self._iter_entries(document, (*key_path, "tools")):
            self._read_tool(document, (*key_path, "tools", name), entry, key)
        has_tools = raw.pop("tools", None) is not None
        self._reject_inherited_keys(document, key_path, raw, ("parameters",))
        names = collect_field_references(document, key_path, self._policy_table, raw)
        declared = self._extract_policies(document, key_path, raw)
        policies = self._build_policies(document, key_path, declared, {})
        spec = self._parse_spec(document, key_path, MethodSpec, raw)
        self._declared_by_method[key] = declared
        if spec is not None and self._claim_name(document, key_path, f"method {key}"):
            entry = MethodEntry(
                key=key,
                domain=document.value["domain"],
                subdomain=document.value["subdomain"],
                spec=spec,
                policies=policies,
                location=document.locate(key_path),
                field_references=names,
            )
            self.methods[key] = entry
            self._check_facts(document, key_path, entry, spec)
            exposed = ToolSpec.model_validate(spec.model_dump(include={*ExposureSpec.model_fields}, exclude_unset=True))
            if not has_tools and not spec.without_tool:
                self._pending_tools.append(_PendingTool(document, key_path, key, exposed, {}))
                return
            for name in sorted(exposed.model_fields_set):
                what = f"the method {key_path[-1]!r} has {name}, but no tool of its own name"
                self._report("value", document, (*key_path, name), what, "write it below `tools`, for each tool")

    def _read_tool(self, document: YamlDocument, key_path: At, raw: dict[str, Any], method_key: str | None) -> None:
        self._reject_inherited_keys(document, key_path, raw, _INHERITED_KEYS)
        names = collect_field_references(document, key_path, self._policy_table, raw)
        declared = self._extract_policies(document, key_path, raw)
        spec = self._parse_spec(document, key_path, MethodToolSpec if method_key is None else ToolSpec, raw)
        if spec is not None:
            resolved_key = spec.method if isinstance(spec, MethodToolSpec) else method_key or ""
            self._pending_tools.append(_PendingTool(document, key_path, resolved_key, spec, declared, names))

    def _reject_inherited_keys(
        self, document: YamlDocument, key_path: At, raw: dict[str, Any], inherited: Iterable[str]
    ) -> None:
        """Reject keys that a tool inherits from its method or function."""
        for key in [key for key in inherited if key in raw]:
            mend = "remove it: it is inherited; narrow it with `fix` and `hide`"
            if key == "parameters":
                mend = "remove them: the types in the code define them; narrow them with `fix` and `hide`"
            what = f"the {str(key_path[-2]).removesuffix('s')} {key_path[-1]!r} repeats {key}"
            self._report("repeated", document, (*key_path, key), what, mend)
            del raw[key]

    def _extract_policies(self, document: YamlDocument, key_path: At, raw: dict[str, Any]) -> DeclaredPolicies:
        """Remove the policy sections from an entry and fill in their templates."""
        declared: DeclaredPolicies = {}
        for name, section in self._policy_table.sections.items():
            if name not in raw:
                continue
            raw_section = raw.pop(name)
            raw_section = {"template": raw_section} if isinstance(raw_section, str) else raw_section
            if not isinstance(raw_section, dict):
                self._report(
                    "value",
                    document,
                    (*key_path, name),
                    f"{name} is not a mapping",
                    "write fields, or the name of a template",
                )
                continue
            fields = dict(cast("dict[str, JsonValue]", raw_section))
            template = fields.pop("template", None)
            if template is not None and (not isinstance(template, str) or template not in section.templates):
                path, what = (*key_path, name, "template"), f"no template {template!r:.100} of {name}"
                self._report("unknown-template", document, path, what, suggest(str(template), section.templates))
                continue
            declared[name] = {**(section.templates[str(template)] if template is not None else {}), **fields}
        return declared

    def _build_policies(
        self, document: YamlDocument, key_path: At, declared: DeclaredPolicies, inherited: DeclaredPolicies
    ) -> dict[str, PolicyModel]:
        """The policies of an entry, including those of its method."""
        found: dict[str, PolicyModel] = {}
        for name, section in self._policy_table.sections.items():
            own, above = declared.get(name, {}), inherited.get(name, {})
            for field in own.keys() & above.keys():
                what = f"{name}.{field} is already declared by the method"
                self._report(
                    "repeated", document, (*key_path, name, field), what, "remove it here, or declare it for each tool"
                )
            if name in declared or name in inherited or name == BUSINESS_RULES:
                try:
                    found[name] = section.parse({**above, **own})
                except ValidationError as error:
                    if name in declared:
                        self._report_validation_error(document, (*key_path, name), error, section.model)
        rules, own = found.get(BUSINESS_RULES), declared.get(BUSINESS_RULES, {})
        if isinstance(rules, BusinessRules) and "required_permissions" in own:
            self._check_permissions(document, (*key_path, BUSINESS_RULES, "required_permissions"), rules)
        if isinstance(rules, BusinessRules) and "replacement_method" in own and rules.replacement_method:
            self._replacement_references.append(
                (document, (*key_path, BUSINESS_RULES, "replacement_method"), rules.replacement_method)
            )
        return found

    def _check_permissions(self, document: YamlDocument, key_path: At, rules: BusinessRules) -> None:
        for index, permission in enumerate(rules.required_permissions):
            if permission not in self._vocabulary.permissions:
                mend = suggest(permission, self._vocabulary.permissions, "grant it to a role, or correct the name")
                what = f"no role grants the permission {permission!r}"
                self._report("unknown-permission", document, (*key_path, index), what, mend)

    def _parse_spec(self, document: YamlDocument, key_path: At, spec_type: type[N], raw: dict[str, Any]) -> N | None:
        try:
            return spec_type.model_validate_json(compact_json(raw), strict=True)
        except ValidationError as error:
            self._report_validation_error(document, key_path, error, spec_type, self._policy_table.sections)
            return None

    def _check_facts(self, document: YamlDocument, key_path: At, entry: MethodEntry | ToolEntry, spec: Any) -> None:
        rules = entry.policies.get(BUSINESS_RULES)
        has_refused_parts = any(path[: len(key_path)] == key_path for path in document.rejected_paths)
        if isinstance(rules, BusinessRules) and not has_refused_parts:
            try:
                build_entry_facts(entry, spec, rules)
            except ContractError as error:
                self._report("value", document, key_path, error.message, "correct it")

    def _report_validation_error(
        self,
        document: YamlDocument,
        key_path: At,
        error: ValidationError,
        model: type[BaseModel],
        extra_keys: Iterable[str] = (),
    ) -> None:
        """Report each mistake once, without its consequences (an invalid parent, a key missing due to a typo)."""
        details = error.errors(include_url=False)
        mistyped: set[At] = set()
        for detail in sorted(details, key=lambda each: each["type"] != "extra_forbidden"):
            loc = detail["loc"]
            path = (*key_path, *loc)
            name = ".".join(str(part) for part in path[1:])
            if detail["type"] == "extra_forbidden":
                mend = _REMOVED_KEYS.get(str(loc[-1])) or suggest(str(loc[-1]), _allowed_keys(model, loc, extra_keys))
                mistyped.add((*loc[:-1], mend.removeprefix("did you mean ").removesuffix("?")))
                self._report("unknown-key", document, path, f"{name}: no such key, or no layer enforces it", mend)
            elif detail["type"] == "missing" and loc not in mistyped:
                self._report("missing-key", document, path, f"{name} is missing", "add it")
            elif detail["type"] != "missing" and not any(each["loc"][:-1][: len(loc)] == loc for each in details):
                words = _QUOTED.findall(str(detail.get("ctx", {}).get("expected", "")))
                mend = suggest(str(detail["input"]), words, "correct it")
                self._report("value", document, path, f"{name}: {explain_mistake(detail['msg'])}", mend)

    def _add_tool(self, document: YamlDocument, key_path: At, entry: ToolEntry) -> None:
        if self._claim_name(document, key_path, f"tool {entry.name}"):
            self.tools[entry.name] = entry

    def _claim_name(self, document: YamlDocument, key_path: At, name: str) -> bool:
        """Claim a name; False if it was already read."""
        first = self._first_locations.setdefault(name, document.locate(key_path))
        if first != document.locate(key_path):
            self._report(
                "duplicate-name", document, key_path, f"the {name} is at {first} already", "rename or remove one"
            )
            return False
        return True

    def _report(self, code: str, document: YamlDocument, key_path: At, what: str, fix: str) -> None:
        if not document.is_rejected(key_path):
            self.findings.append(Finding(code=code, where=document.locate(key_path), what=what, fix=fix))
