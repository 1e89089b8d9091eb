"""Whatever texts a value has, its JSON is UTF-8 on one line."""

from __future__ import annotations

from msgspec import Struct

from remit.chat.encoded_json import encode_json


class _Row(Struct):
    name: str


def test_a_value_is_written_as_it_is() -> None:
    assert encode_json({"a": [1, True, None, "ä\n"]}) == '{"a":[1,true,null,"ä\\n"]}'.encode()


def test_a_lone_surrogate_is_replaced_wherever_it_is() -> None:
    value = {"\ud800": ["\udc00", ("a\ud800b",), _Row("\ud800")], "n": 1}
    assert encode_json(value) == '{"�":["�",["a�b"],{"name":"�"}],"n":1}'.encode()
