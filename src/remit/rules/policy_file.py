"""Policy files: rules, windows and their tests as YAML. A file spells values of Python, and adds nothing to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self, TypeVar, cast

from pydantic import ValidationError

from remit.approvals.policy import Policy, When
from remit.call.window import Window
from remit.core.call_checks import check_arguments
from remit.core.checks import as_path, check_text
from remit.core.names import show_hidden
from remit.errors import SetupError
from remit.layers.budget import Budget
from remit.rules.parts import PARTS, FilePart, TestPart
from remit.schemas.finding import InventoryError, display_path
from remit.schemas.mistakes import explain_mistake
from remit.schemas.suggestions import suggest
from remit.schemas.yaml_lines import KeyPath, YamlDocument, read_text, read_yaml

T = TypeVar("T")


@check_arguments()
class PolicyFile:
    """What a policy file says: the policy and the budget of an application, and the tests of both.

    ``App(policy=file.policy, budget=file.budget)``. Make one with `load` or `parse`.
    """

    __slots__ = ("budget", "file", "policy", "tests")

    def __init__(self, file: str, policy: Policy, budget: Budget, tests: Sequence[TestPart] = ()) -> None:
        self.file = file
        self.policy = policy
        self.budget = budget
        self.tests = tuple(tests)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a file.

        Raises:
            SetupError: it cannot be read, or is not valid; one line with the file, the line and what to write.
        """
        file = as_path("PolicyFile.load: path", path)
        try:
            return cls.parse(read_text(file), display_path(file))
        except InventoryError as error:
            raise SetupError(str(error.findings[0])) from error

    @classmethod
    def parse(cls, text: str, file: str = "policy.yaml") -> Self:
        """Read a text. Errors name it as ``file``.

        Raises:
            SetupError: it is not valid; one line with the file, the line and what to write.
        """
        check_text("PolicyFile.parse: text", text)
        try:
            document = read_yaml(text, file)
        except InventoryError as error:
            raise SetupError(str(error.findings[0])) from error
        if document.findings:
            raise SetupError(str(document.findings[0]))
        try:
            part = FilePart.model_validate(document.value)
        except ValidationError as error:
            raise SetupError(_explain(document, error)) from error
        return cls(file, _make_policy(document, part), _make_budget(document, part), part.tests)

    def __repr__(self) -> str:
        return f"PolicyFile({self.file!r}, {self.policy!r}, {self.budget!r})"


def _make_policy(document: YamlDocument, part: FilePart) -> Policy:
    rules: list[When] = [
        _make(document, ("rules", number), rule.make, rule.name) for number, rule in enumerate(part.rules)
    ]
    make = Policy if part.default_rules else Policy.only
    return _make(document, ("rules",), lambda: make(*rules, four_eyes=part.four_eyes))


def _make_budget(document: YamlDocument, part: FilePart) -> Budget:
    windows: list[Window] = [
        _make(document, ("windows", number), window.make, window.name) for number, window in enumerate(part.windows)
    ]
    for number, test in enumerate(part.tests):
        for place, call in enumerate(test.calls):
            _make(document, ("tests", number, "calls", place), call.by.make)
    return _make(document, ("windows",), lambda: part.budget.make(windows))


def _make(document: YamlDocument, path: KeyPath, make: Callable[[], T], name: str = "") -> T:
    try:
        return make()
    except (SetupError, ValueError) as error:
        message = error.message if isinstance(error, SetupError) else str(error)
        raise SetupError(f"{document.locate(path)}: {f'{name}: ' if name else ''}{message}") from error


def _explain(document: YamlDocument, error: ValidationError) -> str:
    """The first mistake in one line. An unknown key comes before others, which may follow from it."""
    details = error.errors(include_url=False, include_context=False)
    first = next((each for each in details if each["type"] == "extra_forbidden"), details[0])
    path = _path_in(document, first["loc"])
    key = show_hidden(".".join(map(str, path)), "")
    where = document.locate(path)
    if first["type"] == "extra_forbidden":
        return f"{where}: {key}: there is no such key; {suggest(str(first['loc'][-1]), _keys_at(path[:-1]))}"
    if first["type"] == "missing":
        return f"{where}: {key}: it is missing; write {first['loc'][-1]}: …"
    return f"{where}: {key}: {explain_mistake(first['msg'])}"


def _path_in(document: YamlDocument, loc: tuple[int | str, ...]) -> KeyPath:
    """The path of a mistake, without what pydantic adds for unions and functions, and for what is no list."""
    path: list[int | str] = []
    value: object = document.value
    for number, part in enumerate(loc):
        is_last = number == len(loc) - 1
        if isinstance(value, dict) and isinstance(part, str):
            mapping = cast("dict[str, object]", value)
            if part in mapping or is_last:
                path.append(part)
                value = mapping.get(part)
        elif isinstance(value, list) and isinstance(part, int):
            items = cast("list[object]", value)
            if part < len(items):
                path.append(part)
                value = items[part]
    return tuple(path)


def _keys_at(path: KeyPath) -> list[str]:
    """The keys that the mapping at a path may have."""
    names = [each for each in path if isinstance(each, str) and each in PARTS]
    model = PARTS[names[-1] if names else ""]
    return [each.alias or name for name, each in model.model_fields.items()]
