"""Reads `.worker` files: what each says, resolved and checked, with everything that is wrong in it."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Final, cast

from pydantic import BaseModel, ValidationError

from remit.agent.agent import Prompt
from remit.contracts.contract import NAME
from remit.contracts.schema import Input, Output
from remit.core.frozen import frozen
from remit.errors import ContractError
from remit.schemas.finding import Finding, shown
from remit.schemas.jsontext import compact
from remit.schemas.suggestions import near
from remit.schemas.yaml_lines import Document
from remit.schemas.yaml_lines import Path as At
from remit.workers.attachments import FIELD, AttachmentPolicy, PromptWithAttachments
from remit.workers.definition import WorkerDefinition, WorkerLimits, parameters, takes_attachments
from remit.workers.front import FrontMatter, GovernedBy
from remit.workers.includes import read_includes
from remit.workers.prompt import Template
from remit.workers.source import Source, WorkerFileError, read_source
from remit.workers.words import AS_REFERENCE, innermost, told

SUFFIX: Final = ".worker"
_PARTS: Final[Mapping[At, type[BaseModel]]] = {
    (): FrontMatter,
    ("attachments",): AttachmentPolicy,
    ("limits",): WorkerLimits,
    ("facts",): GovernedBy,
}
_LISTS: Final = ("tools", "workers", "delegates", "builtin_tools")


@frozen
class Names:
    """The names that a file says, as far as it can be read, each at its place; empty where no name stands."""

    name: str
    document: Document
    tools: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()
    delegates: tuple[str, ...] = ()
    builtin_tools: tuple[str, ...] = ()

    def where(self, *path: str | int) -> str:
        """Where a part is written, as ``file:line``."""
        return self.document.where(path)


@frozen(kw_only=False)
class Read:
    """What was read of a file: the worker, if nothing is wrong in it; its names all the same; what is wrong."""

    worker: WorkerDefinition | None
    names: Names
    findings: tuple[Finding, ...] = ()


def read_worker(path: Path) -> WorkerDefinition:
    """The worker that a file says.

    Raises:
        WorkerFileError: with everything that is wrong in it.
    """
    read = look_at(path)
    if read.worker is None:
        raise WorkerFileError(read.findings)
    return read.worker


def look_at(path: Path) -> Read:
    """What can be read of a file, and everything that is wrong in it."""
    try:
        source = read_source(path)
    except WorkerFileError as error:
        return Read(None, Names(name=path.stem, document=Document(shown(path), {}, {})), error.findings)
    return _Reader(source, path).read()


def read_workers(folder: Path) -> tuple[WorkerDefinition, ...]:
    """The workers of the files ``*.worker`` in a folder, sorted by their files.

    Raises:
        WorkerFileError: with everything that is wrong in them, or there is none.
    """
    read, findings = read_all(files_of(folder))
    if findings:
        raise WorkerFileError(findings)
    return read


def files_of(folder: Path) -> list[Path]:
    """The worker files of a folder, sorted.

    Raises:
        WorkerFileError: there is none.
    """
    found = sorted(folder.glob(f"*{SUFFIX}"))
    if not found:
        where = f"{shown(folder)}:1"
        raise WorkerFileError(
            [Finding(code="empty", where=where, what=f"no worker: no file *{SUFFIX}", mend="write one")]
        )
    return found


def read_all(paths: Iterable[Path]) -> tuple[tuple[WorkerDefinition, ...], list[Finding]]:
    """The workers of those files that can be read, and what is wrong in the others."""
    looked = [look_at(path) for path in paths]
    read = tuple(each.worker for each in looked if each.worker is not None)
    return read, [finding for each in looked for finding in each.findings]


@dataclass(slots=True)
class _Reader:
    """Reads one file, and keeps what it finds wrong."""

    source: Source
    path: Path
    findings: list[Finding] = field(default_factory=list[Finding])

    def read(self) -> Read:
        """The worker, or all that keeps it from being one."""
        document = self.source.document
        self.findings += document.findings
        if not self.source.prompt:
            where, mend = f"{document.file}:{self.source.line}", "write below the front matter what it is to do"
            self.findings.append(Finding(code="no-prompt", where=where, what="there is no prompt", mend=mend))
        front = self._front()
        name = self._name(front)
        default = PromptWithAttachments if "attachments" in document.value else Prompt
        taken = self._model("input", front.input) if "input" in document.value else default
        given = self._model("output", front.output) if "output" in document.value else str
        self._check(front)
        includes = self._prompt(taken)
        names = self._names(name)
        if taken is None or given is None or self.findings:
            return Read(None, names, tuple(sorted(self.findings, key=_in_order)))
        return Read(self._definition(front, name, taken, given, includes), names)

    def _front(self) -> FrontMatter:
        """What is right in the front matter; what is wrong is told, and as if it were not said."""
        value = self.source.document.value
        try:
            return FrontMatter.model_validate_json(compact(value), strict=True)
        except ValidationError as error:
            self._wrong(error)
            wrong = {each["loc"][0] for each in error.errors()}
        left = {key: each for key, each in value.items() if key not in wrong}
        return FrontMatter.model_validate_json(compact(left), strict=True)

    def _name(self, front: FrontMatter) -> str:
        said = "name" in self.source.document.value
        name = front.name or ("" if said else self.path.stem)
        if not said and not NAME.fullmatch(name):
            what = f"the file's name {name!r} is no tool name: 1 to 64 letters, digits, '_' or '-'"
            self._say("value", ("name",), what, "say `name`, or rename the file")
        return name

    def _names(self, name: str) -> Names:
        tools, workers, delegates, builtin = (tuple(self._listed(key)) for key in _LISTS)
        return Names(
            name=name,
            document=self.source.document,
            tools=tools,
            workers=workers,
            delegates=delegates,
            builtin_tools=builtin,
        )

    def _listed(self, key: str) -> Iterator[str]:
        """The names in a list, each at its place, also where others in it are none."""
        found: object = self.source.document.value.get(key)
        for each in cast("list[object]", found) if isinstance(found, list) else ():
            yield each if isinstance(each, str) and NAME.fullmatch(each) else ""

    def _check(self, front: FrontMatter) -> None:
        """What does not go together, though each part is as it may be."""
        if front.model and front.compatible_models:
            what = "it names a model and compatible models"
            self._say("value", ("compatible_models",), what, "say one of the two")
        for key in _LISTS:
            names = list(self._listed(key))
            for index, name in enumerate(names):
                if name and name in names[:index]:
                    self._say("duplicate", (key, index), f"{key} names {name!r} twice", "remove one")

    def _model(self, key: str, reference: str | None) -> type[BaseModel] | None:
        """The pydantic model at ``package.module:Model``, fit to be input or output; None where there is none."""
        if reference is None:
            return None
        try:
            found = _attribute(reference)
        except Exception as error:  # noqa: BLE001 - a module may raise anything when it is imported
            what = f"{key}: {reference} cannot be imported: {type(error).__name__}: {error}"
            self._say("reference", (key,), what, AS_REFERENCE)
            return None
        if not isinstance(found, type) or not issubclass(found, BaseModel):
            self._say("reference", (key,), f"{key}: {reference} is no pydantic model", AS_REFERENCE)
            return None
        try:
            (Input if key == "input" else Output)(found)
        except ContractError as error:
            self._say("reference", (key,), f"{key}: {error.message}", "correct the model")
            return None
        return found

    def _prompt(self, taken: type[BaseModel] | None) -> dict[str, str]:
        """What the prompt includes. What is wrong with it, and in there, is found."""
        document, line = self.source.document, self.source.line
        includes, findings = read_includes(self.source.prompt, line=line, file=self.path)
        self.findings += findings
        if taken is not None:
            self._attached(taken)
        template = Template(self.source.prompt, file=document.file, line=line, includes=includes)
        known = None if taken is None else parameters(taken)
        said = {(each.code, each.where) for each in findings}
        self.findings += [each for each in template.findings(known) if (each.code, each.where) not in said]
        return includes

    def _attached(self, taken: type[BaseModel]) -> None:
        """Whether the input has a place for attachments, and only then."""
        declared = self.source.document.value.get(FIELD) is not None
        if takes_attachments(taken) != declared:
            what = f"{taken.__name__} has {'no field' if declared else 'the field'} `{FIELD}: tuple[Attachment, ...]`"
            mend = "add it to the input" if declared else f"say below `{FIELD}` which are taken"
            self._say("value", (FIELD,) if declared else ("input",), what, mend)

    def _definition(
        self,
        front: FrontMatter,
        name: str,
        taken: type[BaseModel],
        given: type[BaseModel | str],
        includes: dict[str, str],
    ) -> WorkerDefinition:
        return WorkerDefinition(
            name=name,
            prompt=self.source.prompt,
            description=front.description,
            includes=includes,
            model=front.model,
            compatible_models=front.compatible_models,
            input=taken,
            output=given,
            tools=front.tools,
            workers=front.workers,
            delegates=front.delegates,
            permissions=None if front.permissions is None else frozenset(front.permissions),
            builtin_tools=front.builtin_tools,
            attachments=front.attachments,
            limits=front.limits,
            retries=front.retries,
            facts=front.facts.facts(),
            document=self.source.document,
        )

    def _wrong(self, error: ValidationError) -> None:
        document = self.source.document
        beyond = {each.where for each in document.findings if each.code in {"alias", "tag"}}
        for detail in innermost(error.errors(include_url=False)):
            at = detail["loc"]
            name = ".".join(str(part) for part in at)
            if document.where(at) in beyond:
                continue
            if detail["type"] == "extra_forbidden":
                self._say("unknown-key", at, f"{name}: no such key", _key_meant(at))
            elif detail["type"] == "missing":
                self._say("missing-key", at, f"{name} is missing", "say it")
            else:
                self._say("value", at, *told(detail))

    def _say(self, code: str, at: At, what: str, mend: str) -> None:
        where = self.source.document.where(at)
        self.findings.append(Finding(code=code, where=where, what=what, mend=mend))


def _in_order(finding: Finding) -> tuple[str, int]:
    """As somebody meets them who reads the files from the top."""
    file, _, line = finding.where.rpartition(":")
    return file, int(line)


def _key_meant(at: At) -> str:
    """How to mend a key that is none."""
    if at == ("prompt",):
        return "write it below the second ---"
    return near(str(at[-1]), _PARTS[at[:-1]].model_fields)


def _attribute(reference: str) -> object:
    """What stands at ``package.module:Model``."""
    module, _, name = reference.partition(":")
    return reduce(getattr, name.split("."), importlib.import_module(module))
