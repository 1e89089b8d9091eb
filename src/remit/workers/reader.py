"""Reads `.worker` files: resolves and checks their contents and reports every error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct, field
from pydantic import BaseModel, ValidationError

from remit.agent.attachments import (
    ATTACHMENTS_FIELD,
    PromptWithAttachments,
    takes_attachments,
)
from remit.agent.prompt import Prompt
from remit.call.callee import Callee, check_callees
from remit.call.schema import Input, Output
from remit.call.typed_schema import contracts_are_checked
from remit.chat.wire import NAME_PATTERN
from remit.core.checks import as_path
from remit.errors import ContractError, SetupError
from remit.lazy_exports import import_attribute
from remit.schemas.finding import Finding, display_path
from remit.schemas.jsontext import compact_json
from remit.schemas.suggestions import suggest
from remit.schemas.yaml_lines import KeyPath as At
from remit.schemas.yaml_lines import YamlDocument
from remit.workers.definition import WorkerDefinition, parameter_names
from remit.workers.field_types import CLASS_REFERENCE_HINT, TOOL_REFERENCE_HINT, describe_error, select_innermost
from remit.workers.front_matter import FileForms, FrontMatter, section_of
from remit.workers.includes import read_includes
from remit.workers.prompt import Template
from remit.workers.run_template import RunTemplate
from remit.workers.source import WorkerFileError, WorkerSource, read_source

WORKER_SUFFIX: Final = ".worker"
_NAME_LISTS: Final = ("tools", "workers", "delegates", "handoffs", "builtin_tools")


class WorkerNames(Struct, frozen=True, kw_only=True):
    """The names in a file, as far as it can be read. An empty name replaces an invalid one."""

    name: str
    document: YamlDocument
    tools: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()
    delegates: tuple[str, ...] = ()
    handoffs: tuple[str, ...] = ()
    provider_tool_names: tuple[str, ...] = ()

    def locate(self, *path: str | int) -> str:
        """The place of a part, as ``file:line``."""
        return self.document.locate(path)


class ReadResult(Struct, frozen=True):
    """The result of reading a file: its names, its errors, and the worker if there are no errors."""

    worker: WorkerDefinition | None
    names: WorkerNames
    findings: tuple[Finding, ...] = ()


def read_worker(path: Path) -> WorkerDefinition:
    """Read the worker that a file defines.

    Raises:
        WorkerFileError: the file has errors; the exception lists all of them.
    """
    result = inspect_file(as_path("read_worker: path", path))
    if result.worker is None:
        raise WorkerFileError(result.findings)
    return result.worker


def inspect_file(path: Path) -> ReadResult:
    """Read a file as far as possible, and collect its errors."""
    try:
        source = read_source(path)
    except WorkerFileError as error:
        return ReadResult(
            None, WorkerNames(name=path.stem, document=YamlDocument(display_path(path), {}, {})), error.findings
        )
    return _WorkerFileReader(source, path).read()


def read_workers(folder: Path) -> tuple[WorkerDefinition, ...]:
    """Read the files ``*.worker`` in a folder, sorted by name.

    Raises:
        WorkerFileError: the folder has no worker files, or some have errors; the exception lists all of them.
    """
    workers, findings = read_valid_workers(list_worker_files(as_path("a folder of workers", folder)))
    if findings:
        raise WorkerFileError(findings)
    return workers


def list_worker_files(folder: Path) -> list[Path]:
    """The paths of the worker files in a folder, sorted.

    Raises:
        WorkerFileError: it is not a folder, or has no worker files.
    """
    found = sorted(folder.glob(f"*{WORKER_SUFFIX}"))
    if not found:
        what, fix = f"no worker found: no file matches *{WORKER_SUFFIX}", "create one there with: remit worker new NAME"
        if not folder.is_dir():
            what = "it is a file, and not a folder" if folder.exists() else "there is no such folder"
            fix = "give the folder of the files" if folder.exists() else "correct the path"
        raise WorkerFileError([Finding(code="empty", where=display_path(folder), what=what, fix=fix)])
    return found


def read_valid_workers(paths: Iterable[Path]) -> tuple[tuple[WorkerDefinition, ...], list[Finding]]:
    """Read files. Returns the workers of valid files, and the errors of the others."""
    results = [inspect_file(path) for path in paths]
    workers = tuple(each.worker for each in results if each.worker is not None)
    return workers, [finding for each in results for finding in each.findings]


class _WorkerFileReader(Struct):
    """Reads one file and collects its errors."""

    source: WorkerSource
    path: Path
    findings: list[Finding] = field(default_factory=list[Finding])

    def read(self) -> ReadResult:
        """Read the file. The result has a worker only if there are no errors."""
        document = self.source.document
        self.findings += document.findings
        self._check_prompt_text()
        front = self._parse_front_matter()
        name = self._resolve_name(front)
        default = PromptWithAttachments if document.value.get(ATTACHMENTS_FIELD) is not None else Prompt
        input_model = self._import_model("input", front.input) if document.value.get("input") is not None else default
        output_type = self._import_model("output", front.output) if document.value.get("output") is not None else str
        self._check_combinations(front)
        includes = self._check_prompt(input_model)
        names = self._collect_names(name)
        imported = self._import_tools(front.tools)
        if input_model is None or output_type is None or self.findings:
            return ReadResult(None, names, tuple(sorted(self.findings, key=_position_key)))
        return ReadResult(self._build_definition(front, name, input_model, output_type, includes, imported), names)

    def _check_prompt_text(self) -> None:
        """Report a missing prompt, or the line of a character that databases cannot store."""
        file, line, prompt = self.source.document.file, self.source.line, self.source.prompt
        if not prompt:
            where, mend = f"{file}:{line}", "write below the front matter what the worker does"
            self.findings.append(Finding(code="no-prompt", where=where, what="there is no prompt", fix=mend))
        elif "\0" in prompt:
            where = f"{file}:{line + prompt[: prompt.index(chr(0))].count(chr(10))}"
            what = "U+0000 in the prompt, which no database holds"
            self.findings.append(Finding(code="value", where=where, what=what, fix="leave it out"))

    def _parse_front_matter(self) -> FileForms:
        """Parse the front matter. Invalid keys are reported and left out."""
        value = self.source.document.value
        try:
            return FrontMatter.model_validate_json(compact_json(value), strict=True)
        except ValidationError as error:
            self._add_validation_findings(error)
            invalid_keys = {each["loc"][0] for each in error.errors()}
        valid = {key: each for key, each in value.items() if key not in invalid_keys}
        return FrontMatter.model_validate_json(compact_json(valid), strict=True)

    def _resolve_name(self, front: FileForms) -> str:
        is_given = self.source.document.value.get("name") is not None
        name = front.name or ("" if is_given else self.path.stem)
        if not is_given and not NAME_PATTERN.fullmatch(name):
            what = f"the file's name {name!r} is not a valid tool name: 1 to 64 letters, digits, '_' or '-'"
            self._add_finding("value", ("name",), what, "give a `name`, or rename the file")
        return name

    def _collect_names(self, name: str) -> WorkerNames:
        tools, workers, delegates, handoffs, builtin = (tuple(self._select_names(key)) for key in _NAME_LISTS)
        return WorkerNames(
            name=name,
            document=self.source.document,
            tools=tools,
            workers=workers,
            delegates=delegates,
            handoffs=handoffs,
            provider_tool_names=builtin,
        )

    def _select_names(self, key: str) -> Iterator[str]:
        """The names in a list; an invalid one becomes empty, so that the others keep their index."""
        found: object = self.source.document.value.get(key)
        for each in cast("list[object]", found) if isinstance(found, list) else ():
            each = cast("dict[str, object]", each).get("name") if isinstance(each, dict) else each  # noqa: PLW2901
            yield each if isinstance(each, str) and NAME_PATTERN.fullmatch(each) else ""

    def _check_combinations(self, front: FileForms) -> None:
        """Check for keys that exclude each other and for duplicate names."""
        if front.model and front.compatible_models:
            what = "both `model` and `compatible_models` are given"
            self._add_finding("value", ("compatible_models",), what, "keep one of the two")
        for key in _NAME_LISTS:
            names = list(self._select_names(key))
            for index, name in enumerate(names):
                if name and name in names[:index]:
                    self._add_finding("duplicate", (key, index), f"{key} names {name!r} twice", "remove one")

    def _import_model(self, key: str, reference: str | None) -> type[BaseModel] | None:
        """Import the pydantic model at ``package.module:Model``; None if it cannot be an input or output."""
        if reference is None:
            return None
        try:
            found = import_attribute(reference)
        except Exception as error:  # noqa: BLE001 - a module may raise anything when it is imported
            what = f"{key}: {reference} cannot be imported: {type(error).__name__}: {error}"
            self._add_finding("reference", (key,), what, CLASS_REFERENCE_HINT)
            return None
        if not isinstance(found, type) or not issubclass(found, BaseModel):
            self._add_finding("reference", (key,), f"{key}: {reference} is not a pydantic model", CLASS_REFERENCE_HINT)
            return None
        try:
            (Input if key == "input" else Output)(found)
        except ContractError as error:
            self._add_finding("reference", (key,), f"{key}: {error.message}", "correct the model")
            return None
        return found

    def _import_tools(self, entries: Sequence[str]) -> dict[str, Callee[..., Any]]:
        """Import the tools that the file lists as ``package.module:tool``. Returns them by that reference."""
        imported: dict[str, Callee[..., Any]] = {}
        for index, reference in enumerate(entries):
            if ":" not in reference:
                continue
            try:
                (imported[reference],) = check_callees(f"tools: {reference}", [import_attribute(reference)])
            except SetupError as error:
                self._add_finding("reference", ("tools", index), error.message, TOOL_REFERENCE_HINT)
            except Exception as error:  # noqa: BLE001 - a module may raise anything when it is imported
                what = f"tools: {reference} cannot be imported: {type(error).__name__}: {error}"
                self._add_finding("reference", ("tools", index), what, TOOL_REFERENCE_HINT)
        return imported

    def _check_prompt(self, input_model: type[BaseModel] | None) -> dict[str, str]:
        """Check the prompt and its includes unless it has been checked. Returns the included texts."""
        document, line = self.source.document, self.source.line
        includes, findings = read_includes(self.source.prompt, line=line, file=self.path)
        self.findings += findings
        if input_model is not None:
            self._check_attachments(input_model)
        template = Template(self.source.prompt, file=document.file, line=line, includes=includes)
        known = None if input_model is None else parameter_names(input_model)
        if contracts_are_checked() and not includes:
            return includes
        reported_positions = {(each.code, each.where) for each in findings}
        self.findings += [each for each in template.check(known) if (each.code, each.where) not in reported_positions]
        of_run = document.value.get("run_instructions")
        if isinstance(of_run, str):
            line = document.text_lines.get(("run_instructions",), 1)
            self.findings += RunTemplate(of_run, file=document.file, line=line).check()
        return includes

    def _check_attachments(self, input_model: type[BaseModel]) -> None:
        """Check that the input has a field for attachments if, and only if, the worker accepts them."""
        declared = self.source.document.value.get(ATTACHMENTS_FIELD) is not None
        if takes_attachments(input_model) != declared:
            what = (
                f"{input_model.__name__} has {'no field' if declared else 'the field'} "
                f"`{ATTACHMENTS_FIELD}: tuple[Attachment, ...]`"
            )
            mend = "add it to the input" if declared else f"add `{ATTACHMENTS_FIELD}` with the accepted files"
            self._add_finding("value", (ATTACHMENTS_FIELD,) if declared else ("input",), what, mend)

    def _build_definition(
        self,
        front: FileForms,
        name: str,
        input_model: type[BaseModel],
        output_type: type[BaseModel | str],
        includes: dict[str, str],
        imported: Mapping[str, Callee[..., Any]],
    ) -> WorkerDefinition:
        own: dict[str, Any] = {
            "name": name,
            "prompt": self.source.prompt,
            "includes": includes,
            "input": input_model,
            "output": output_type,
            "tools": tuple(each if ":" not in each else imported[each].name for each in front.tools),
            "tool_objects": {tool.name: tool for tool in imported.values()},
            "delegates": front.delegates if "delegates" in self.source.document.value else None,
            "builtin_tools": tuple(each.as_listed() for each in front.builtin_tools),
            "document": self.source.document,
        }
        return WorkerDefinition(**front.to_settings() | own)

    def _add_validation_findings(self, error: ValidationError) -> None:
        document = self.source.document
        reported_positions = {each.where for each in document.findings if each.code in {"alias", "tag"}}
        for detail in select_innermost(error.errors(include_url=False)):
            path = detail["loc"]
            name = ".".join(str(part) for part in path)
            if document.locate(path) in reported_positions:
                continue
            if detail["type"] == "extra_forbidden":
                self._add_finding("unknown-key", path, f"{name}: no such key", _suggest_key(path))
            elif detail["type"] == "missing":
                self._add_finding("missing-key", path, f"{name} is missing", "add it")
            else:
                self._add_finding("value", path, *describe_error(detail))

    def _add_finding(self, code: str, path: At, what: str, fix: str) -> None:
        where = self.source.document.locate(path)
        self.findings.append(Finding(code=code, where=where, what=what, fix=fix))


def _position_key(finding: Finding) -> tuple[str, int]:
    """Sort by file and line."""
    file, _, line = finding.where.rpartition(":")
    return file, int(line)


def _suggest_key(path: At) -> str:
    """Suggest a fix for an unknown key."""
    if path == ("prompt",):
        return "write it below the second ---"
    if path == ("facts", "entities"):
        return "remove it, and declare them on the model of the output: @entity(…)"
    section: type[BaseModel] = FrontMatter
    for part in path[:-1]:
        if isinstance(part, str):
            section = section_of(section.model_fields[part].annotation) or section
    return suggest(str(path[-1]), section.model_fields)
