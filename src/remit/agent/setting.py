"""Values whose settings are each declared once: type, default, meaning and the properties derived from them.

The signature, documentation and checks of an `Agent` derive from its settings, as do the keys of worker files, the
values in a lock, and the tables in the documentation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import FrozenInstanceError
from functools import cache
from typing import (
    Any,
    Final,
    Literal,
    TypedDict,
    TypeVar,
    Unpack,
    dataclass_transform,
    overload,
)
from typing import get_type_hints as resolve_hints

from msgspec import Struct

from remit.agent.governed import Governed
from remit.chat.wire import NAME_PATTERN
from remit.core.argument_types import Check, derive_check
from remit.shown import show_value

T = TypeVar("T")
S = TypeVar("S")
C = TypeVar("C", bound=type)

REQUIRED: Final = inspect.Parameter.empty
"""The default of a setting that has none."""


class NoKey(Struct, frozen=True):
    """A setting has no key in a worker file, for a reason."""

    reason: str


class Setting(Struct, kw_only=True):
    """One setting of a value: its meaning and its derived properties.

    ``converter`` makes the value from the argument; its second parameter names the setting in errors. ``alias`` is the
    parameter, if the attribute has another name. ``key`` is the key in worker files if its name differs, or `NoKey`.
    ``example`` is its value in a new worker file, if that does not show the default.
    """

    meaning: str
    governed: Governed
    default: Any = REQUIRED
    converter: Callable[..., Any] | None = None
    alias: str = ""
    key: str | NoKey = ""
    example: str = ""
    kw_only: bool = True
    attribute: str = ""
    annotation: object = REQUIRED

    def __set_name__(self, owner: type, name: str) -> None:
        """Record the attribute, and the type of value that the parameter takes."""
        taken = owner if self.converter is None else self.converter
        annotations: dict[str, object] = taken.__annotations__
        self.attribute = name
        self.annotation = annotations[name] if taken is owner else next(iter(annotations.values()))

    @property
    def name(self) -> str:
        """The name of the parameter."""
        return self.alias or self.attribute

    @property
    def file_key(self) -> str | None:
        """The key in a worker file; None if there is none."""
        return None if isinstance(self.key, NoKey) else self.key or self.name


class _Options(TypedDict, total=False):
    key: str | NoKey
    alias: str
    example: str
    kw_only: bool


@overload
def declare(meaning: str, *, governed: Governed, **options: Unpack[_Options]) -> Any: ...
@overload
def declare(meaning: str, *, governed: Governed, default: T, **options: Unpack[_Options]) -> T: ...
@overload
def declare(
    meaning: str, *, governed: Governed, converter: Callable[[S], T], default: S = ..., **options: Unpack[_Options]
) -> T: ...
def declare(meaning: str, *, governed: Governed, **more: Any) -> Any:
    """Declare a setting of a `value`; see `Setting`."""
    return Setting(meaning=meaning, governed=governed, **more)


def make_later(*, init: Literal[False] = False) -> Any:  # noqa: ARG001 - type checkers read it
    """Declare an attribute that is not a setting; the value computes it."""
    return REQUIRED


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(declare, make_later)
)
def value(kind: C) -> C:
    """Make a class whose attributes are declared by `declare` a frozen value: constructor, checks and documentation.

    Its ``__post_init__`` checks combinations of settings. Its ``noun`` names it in errors.
    """
    own = [each for each in vars(kind).values() if isinstance(each, Setting)]
    for name in [name for name, each in vars(kind).items() if each is REQUIRED or each in own]:
        delattr(kind, name)
    settings = (*getattr(kind, "_settings", ()), *own)
    signature = inspect.Signature([inspect.Parameter("self", _POSITIONAL), *map(_parameter, settings)])

    def initialize(self: Any, *args: Any, **given: Any) -> None:
        bound = signature.bind(self, *args, **given)
        bound.apply_defaults()
        _, *values = bound.arguments.values()
        read_settings(self, zip(settings, values, strict=True))
        self.__post_init__()

    initialize.__name__, initialize.__qualname__ = "__init__", f"{kind.__qualname__}.__init__"
    lines = "\n".join(f"    {each.name}: {each.meaning}" for each in settings)
    members: dict[str, Any] = {
        "_settings": settings,
        "__init__": initialize,
        "__setattr__": _refuse_change,
        "__delattr__": _refuse_change,
        "__doc__": f"{inspect.cleandoc(kind.__doc__ or '')}\n\nArgs:\n{lines}",
    }
    setattr(initialize, "__signature__", signature)  # noqa: B010 - pyright knows no such attribute of functions
    for name, member in members.items():
        setattr(kind, name, member)
    return kind


_POSITIONAL: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _parameter(each: Setting) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY if each.kw_only else _POSITIONAL
    return inspect.Parameter(each.name, kind, default=each.default, annotation=each.annotation)


def _refuse_change(self: object, name: str, *_: object) -> None:
    raise FrozenInstanceError(f"{type(self).__name__} is immutable: {name} cannot be changed")


def settings_of(kind: type) -> tuple[Setting, ...]:
    """The settings of a `value` in the order of their declaration, the inherited ones first."""
    found: tuple[Setting, ...] = getattr(kind, "_settings")  # noqa: B009 - `value` sets it
    return found


def read_settings(made: object, given: Iterable[tuple[Setting, Any]]) -> None:
    """Convert and check settings, and set them on a value that is being made.

    Raises:
        SetupError: names the value, the setting, and what to write.
    """
    known, values = checks_of(type(made)), vars(made)
    noun: str = getattr(made, "noun")  # noqa: B009 - `value` asks for it
    for each, taken in given:
        owner = f"{noun} {_display_name(values.get('name', taken))}"
        what = f"{owner}: {each.name}"
        kept = taken if each.converter is None else each.converter(taken, what)
        check = known.get(each.attribute)
        values[each.attribute] = kept if check is None else check(what, kept)


def _display_name(name: object) -> str:
    """A valid name unchanged, any other value by its repr."""
    return name if isinstance(name, str) and NAME_PATTERN.fullmatch(name) else show_value(name)


@cache
def hints_of(kind: type) -> Mapping[str, Any]:
    """The types of the settings of a value, by attribute, with their annotations."""
    hints = resolve_hints(kind, include_extras=True)
    return {each.attribute: hints[each.attribute] for each in settings_of(kind)}


@cache
def checks_of(kind: type) -> Mapping[str, Check]:
    """The checks that the types of settings imply, by attribute. Converters check what Python types cannot express."""
    found = {name: derive_check(hint) for name, hint in hints_of(kind).items()}
    return {name: check for name, check in found.items() if check is not None}
