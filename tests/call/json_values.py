"""Values that JSON can hold, and the many texts that say the same value."""

from __future__ import annotations

import json
from typing import Any, cast

from hypothesis import strategies as st

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
"""Text that can be stored. Arguments hold no other; what tools return may."""

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
"""Text that JSON can hold, with the character NUL."""

whole = st.integers(-(2**63), 2**63 - 1)


def values_with(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """JSON values whose texts and keys are ``texts``."""
    leaves = st.none() | st.booleans() | whole | st.floats(allow_nan=False, allow_infinity=False) | texts
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
    )


values, any_values = values_with(text), values_with(any_text)
objects, any_objects = st.dictionaries(text, values, max_size=5), st.dictionaries(any_text, any_values, max_size=5)


@st.composite
def texts_of(draw: st.DrawFn, value: dict[str, Any]) -> str:
    """A JSON text that says ``value``: keys in any order, any white space, any escapes."""
    indent = draw(st.sampled_from([None, 0, 1, "\t"]))
    separators = draw(st.sampled_from([(",", ":"), (" , ", " : "), (",\r\n", ":\t")]))
    ascii_only = draw(st.booleans())
    said = json.dumps(
        shuffled(draw, value), indent=indent, separators=separators, ensure_ascii=ascii_only, allow_nan=False
    )
    return draw(st.sampled_from(["", " ", "\n"])) + said + draw(st.sampled_from(["", "\t \n"]))


def shuffled(draw: st.DrawFn, value: Any) -> Any:
    """The same value with the keys of each object in some other order."""
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        return {key: shuffled(draw, found[key]) for key in draw(st.permutations(list(found)))}
    if isinstance(value, list):
        return [shuffled(draw, part) for part in cast("list[Any]", value)]
    return value


def same(one: Any, other: Any) -> bool:
    """Equal as JSON has it: 1, 1.0 and true are three values, and so are 0.0 and -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        first, second = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(one, list):
        these, those = cast("list[Any]", one), cast("list[Any]", other)
        return len(these) == len(those) and all(map(same, these, those))
    return repr(one) == repr(other)
