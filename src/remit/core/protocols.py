"""Protocol checks that are cached by type."""

from __future__ import annotations

from typing import Final, TypeVar

from typing_extensions import TypeIs, get_protocol_members

T = TypeVar("T")

_ANSWERS: Final[dict[tuple[type, type], bool]] = {}


def implements(value: object, protocol: type[T]) -> TypeIs[T]:
    """Check whether the class of ``value`` implements a protocol, as ``isinstance`` does.

    ``isinstance`` looks up every member of the protocol on each check, which costs as much as a tool call. Members are
    looked up on the class first, because reading them from the value may compute a lazy property.
    """
    key = (type(value), protocol)
    answer = _ANSWERS.get(key)
    if answer is None:
        answer = _ANSWERS[key] = all(_has(value, name) for name in get_protocol_members(protocol))
    return answer


def _has(value: object, name: str) -> bool:
    return getattr(type(value), name, None) is not None or hasattr(value, name)
