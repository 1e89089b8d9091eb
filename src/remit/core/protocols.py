"""Whether an object has the members of a protocol, found out once for each of its type."""

from __future__ import annotations

from typing import Final, TypeVar

from typing_extensions import TypeIs, get_protocol_members

T = TypeVar("T")

_ANSWERS: Final[dict[tuple[type, type], bool]] = {}


def implements(value: object, protocol: type[T]) -> TypeIs[T]:
    """`isinstance` for a protocol that the class of ``value`` implements or not, as callees and models do.

    Python looks each member of the protocol up again, every time: that costs as much as a call of a tool. What the
    class has is not read from the value, where it may be found when it is first needed.
    """
    key = (type(value), protocol)
    answer = _ANSWERS.get(key)
    if answer is None:
        answer = _ANSWERS[key] = all(_has(value, name) for name in get_protocol_members(protocol))
    return answer


def _has(value: object, name: str) -> bool:
    return getattr(type(value), name, None) is not None or hasattr(value, name)
