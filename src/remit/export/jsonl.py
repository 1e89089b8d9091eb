"""The complete items of runs as lines of JSON. They read back as written, and their digests verify them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from remit.core.checks import check_text
from remit.errors import JournalFormatError
from remit.journal.codec import decode_item
from remit.record.items import Position
from remit.schemas.jsontext import compact_json


def write_jsonl(positions: Iterable[Position]) -> str:
    """Each item on a line: its place, kind and call, its body as text, and its digests in hex.

    The body of an erased item is empty.
    """
    return "".join(f"{_write_line(each)}\n" for each in positions)


def read_jsonl(text: str) -> list[Position]:
    """The items of an export, which can be compared with a journal and verified.

    Raises:
        JournalFormatError: names a line that is not an item of this version.
    """
    check_text("read_jsonl: text", text)
    return [_read_line(line, number) for number, line in enumerate(text.split("\n"), start=1) if line]


def _write_line(position: Position) -> str:
    fields = {"run": position.run, "seq": position.seq, "epoch": position.epoch, "at": position.at}
    fields |= {"kind": position.item.kind, "call": position.item.call, "body": position.body}
    was = {"was": cast("Any", position.item).was} if position.item.kind == "erased" else {}
    digests = {"digest": position.digest.hex(), "chain": position.chain.hex()}
    return compact_json(fields | was | digests).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _read_line(line: str, number: int) -> Position:
    try:
        fields = cast("dict[str, Any]", json.loads(line))
        item = decode_item(fields.get("was", fields["kind"]), fields["call"], fields["body"])
        digest, chain = (bytes.fromhex(fields[name]) for name in ("digest", "chain"))
        run, epoch, seq, at = (fields[name] for name in ("run", "epoch", "seq", "at"))
        return Position(run, epoch, seq, at, item, fields["body"], digest, chain)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, JournalFormatError) as error:
        raise JournalFormatError(f"line {number} is not an item of an export: {error}") from error
