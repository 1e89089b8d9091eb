"""Reads `.worker` files: what each says, resolved and checked, with everything that is wrong in it."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from remit.agent.agent import Prompt
from remit.contracts.contract import NAME
from remit.contracts.finding import Finding, shown
from remit.contracts.jsontext import compact
from remit.contracts.positions import Path as At
from remit.contracts.schema import Input, Output
from remit.errors import ContractError
from remit.workers.attachments import FIELD, AttachmentPolicy, PromptWithAttachments
from remit.workers.definition import PROMPT, WorkerDefinition, WorkerLimits, parameters, takes_attachments
from remit.workers.front import FrontMatter, GovernedBy
from remit.workers.includes import read_includes
from remit.workers.prompt import Template
from remit.workers.source import Source, WorkerFileError, read_source

SUFFIX: Final = ".worker"
_PARTS: Final[Mapping[At, type[BaseModel]]] = {
    (): FrontMatter,
    ("attachments",): AttachmentPolicy,
    ("limits",): WorkerLimits,
    ("facts",): GovernedBy,
}
_MENDS: Final[Mapping[str, str]] = {
    "tuple_type": "write a list, like [one, two]",
    "string_type": "write a text",
    "int_type": "write a whole number",
    "float_type": "write a number",
    "bool_type": "write true or false",
    "model_type": "write keys with their values below",
}
_AS_REFERENCE: Final = "name a pydantic model as package.module:Model"


def read_worker(path: Path) -> WorkerDefinition:
    """The worker that a file says.

    Raises:
        WorkerFileError: with everything that is wrong in it.
    """
    return _Reader(read_source(path), path).read()


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
    read: list[WorkerDefinition] = []
    findings: list[Finding] = []
    for path in paths:
        try:
            read.append(read_worker(path))
        except WorkerFileError as error:
            findings += error.findings
    return tuple(read), findings


@dataclass(slots=True)
class _Reader:
    """Reads one file, and keeps what it finds wrong."""

    source: Source
    path: Path
    findings: list[Finding] = field(default_factory=list[Finding])

    def read(self) -> WorkerDefinition:
        """The worker."""
        self.findings += self.source.document.findings
        if not self.source.prompt:
            self._say("no-prompt", PROMPT, "there is no prompt", "write below the front matter what it is to do")
        front = self._front()
        if front is not None:
            name = self._name(front)
            default = PromptWithAttachments if front.attachments else Prompt
            taken = self._model("input", front.input) if front.input else default
            given = self._model("output", front.output) if front.output else str
            self._check(front)
            includes = self._prompt(taken)
            if taken is not None and given is not None and not self.findings:
                return self._definition(front, name, taken, given, includes)
        raise WorkerFileError(sorted(self.findings, key=_in_order))

    def _front(self) -> FrontMatter | None:
        try:
            return FrontMatter.model_validate_json(compact(self.source.document.value), strict=True)
        except ValidationError as error:
            self._wrong(error)
            return None

    def _name(self, front: FrontMatter) -> str:
        name = front.name or self.path.stem
        if not NAME.fullmatch(name):
            what = f"the file's name {name!r} is no tool name: 1 to 64 letters, digits, '_' or '-'"
            self._say("value", ("name",), what, "say `name`, or rename the file")
        return name

    def _check(self, front: FrontMatter) -> None:
        """What does not go together, though each part is as it may be."""
        if front.model and front.compatible_models:
            what = "it names a model and compatible models"
            self._say("value", ("compatible_models",), what, "say one of the two")
        lists = {"tools": front.tools, "workers": front.workers, "delegates": front.delegates}
        for key, names in {**lists, "builtin_tools": front.builtin_tools}.items():
            for index, name in enumerate(names):
                if name in names[:index]:
                    self._say("duplicate", (key, index), f"{key} names {name!r} twice", "remove one")

    def _model(self, key: str, reference: str) -> type[BaseModel] | None:
        """The pydantic model at ``package.module:Model``, fit to be input or output."""
        try:
            found = _attribute(reference)
        except Exception as error:  # noqa: BLE001 - a module may raise anything when it is imported
            what = f"{key}: {reference} cannot be imported: {type(error).__name__}: {error}"
            self._say("reference", (key,), what, _AS_REFERENCE)
            return None
        if not isinstance(found, type) or not issubclass(found, BaseModel):
            self._say("reference", (key,), f"{key}: {reference} is no pydantic model", _AS_REFERENCE)
            return None
        try:
            (Input if key == "input" else Output)(found)
        except ContractError as error:
            self._say("reference", (key,), f"{key}: {error.message}", "correct the model")
            return None
        return found

    def _prompt(self, taken: type[BaseModel] | None) -> dict[str, str]:
        """What the prompt includes. What is wrong with it, and in there, is found."""
        document = self.source.document
        line = document.lines[PROMPT]
        includes, findings = read_includes(self.source.prompt, line=line, file=self.path)
        self.findings += findings
        if taken is None:
            return includes
        declared = document.value.get(FIELD) is not None
        if takes_attachments(taken) != declared:
            what = f"{taken.__name__} has {'no field' if declared else 'the field'} `{FIELD}: tuple[Attachment, ...]`"
            mend = "add it to the input" if declared else f"say below `{FIELD}` which are taken"
            self._say("value", (FIELD,) if declared else ("input",), what, mend)
        if not findings:
            template = Template(self.source.prompt, file=document.file, line=line, includes=includes)
            self.findings += template.findings(parameters(taken))
        return includes

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
        for detail in error.errors(include_url=False, include_context=False):
            at = detail["loc"]
            name = ".".join(str(part) for part in at)
            if detail["type"] == "extra_forbidden":
                known = list(_PARTS[at[:-1]].model_fields)
                near = difflib.get_close_matches(str(at[-1]), known, n=1)
                mend = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known))}"
                self._say("unknown-key", at, f"{name}: no such key", mend)
            elif detail["type"] == "missing":
                self._say("missing-key", at, f"{name} is missing", "say it")
            else:
                self._say("value", at, f"{name}: {detail['msg']}", _MENDS.get(detail["type"], "correct it"))

    def _say(self, code: str, at: At, what: str, mend: str) -> None:
        where = self.source.document.where(at)
        self.findings.append(Finding(code=code, where=where, what=what, mend=mend))


def _in_order(finding: Finding) -> tuple[str, int]:
    """As somebody meets them who reads the files from the top."""
    file, _, line = finding.where.rpartition(":")
    return file, int(line)


def _attribute(reference: str) -> object:
    """What stands at ``package.module:Model``."""
    module, _, name = reference.partition(":")
    return reduce(getattr, name.split("."), importlib.import_module(module))
