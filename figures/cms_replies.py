"""How long the replies of writes are: every tool of the CMS that changes something, with short texts and long ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from figures.cms_arguments import FURTHER, NORMAL, Sample
from figures.cms_sweep import Sweep, open_sweep
from figures.figure import Figure, at_most
from remit import Effect

MOST: Final = 500
"""Most characters of the reply of a write: what became of it, and nothing that the caller wrote."""

SAMPLE: Final = ("cms_addListItem", "cms_updateSectionContent", "cms_addSectionToPage")
TABLE: Final = Path(__file__).parent / "cms_replies.md"
_TEXT: Final = "Our bread is baked at night, in an oven of stone. "
_LENGTHS: Final = {
    "content": 6000,
    "body": 6000,
    "answer": 6000,
    "caption": 400,
    "excerpt": 300,
    "description": 150,
    "altText": 200,
    "alt": 200,
    "heading": 100,
    "question": 100,
}
"""How long the texts are that calls are given, by the names of arguments and fields."""


def figures(*, short: bool) -> Iterator[Figure]:
    """The longest reply of a write. The whole also writes the table which `make docs` puts into the documents."""
    if short:
        yield measure_replies(SAMPLE)
    else:
        sizes = find_reply_sizes(())
        TABLE.write_text("\n".join(format_sizes(sizes)) + "\n", encoding="utf-8")
        yield _judge(sizes)


def measure_replies(names: Sequence[str]) -> Figure:
    """The figure over some tools."""
    return _judge(find_reply_sizes(names))


def _judge(sizes: Mapping[str, int]) -> Figure:
    tool = max(sizes, key=lambda each: sizes[each])
    how = (
        f"the longest reply, that of {tool}, of {len(sizes)} tools of the CMS that write, each called with short texts "
        f"and with texts of up to {max(_LENGTHS.values())} characters"
    )
    return at_most("cms.reply_characters", sizes[tool], "characters", MOST, len(sizes), how)


def format_sizes(sizes: Mapping[str, int]) -> Iterator[str]:
    """The sizes as a Markdown table, the longest first."""
    yield "| tool | characters |"
    yield "| --- | --- |"
    for tool, size in sorted(sizes.items(), key=lambda each: (-each[1], each[0])):
        yield f"| `{tool}` | {size} |"


def find_reply_sizes(names: Sequence[str]) -> dict[str, int]:
    """The characters of the longest reply of each tool that writes, of those named or of all."""
    return asyncio.run(_find_sizes(names))


async def _find_sizes(names: Sequence[str]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    async with open_sweep() as sweep:
        for name, tool in sweep.tools.items():
            if name in NORMAL and tool.facts.effect is not Effect.PURE and name in (names or (name,)):
                samples = (NORMAL[name], *FURTHER.get(name, ()))
                sizes[name] = max([await _measure(sweep, name, sample) for sample in samples])
    return sizes


async def _measure(sweep: Sweep, tool: str, sample: Sample) -> int:
    """The characters of the longer reply, to the sample as it is and with long texts."""
    longest, given = 0, {name: value for name, value in sample.items() if name != "ifUnchanged"}
    for arguments in (sweep.fill(given), sweep.fill(_lengthen(given))):
        with sweep.case("", tool):
            reply = (await sweep.call(tool, arguments)).text
        if sample is NORMAL[tool] and not json.loads(reply)["success"]:
            raise AssertionError(f"{tool} with {str(arguments)[:300]}: {reply}")
        longest = max(longest, len(reply))
    return longest


def _lengthen(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _lengthen(each, key) for key, each in cast("Sample", value).items()}
    if isinstance(value, list):
        return [_lengthen(each, name) for each in cast("list[Any]", value)]
    if isinstance(value, str) and name in _LENGTHS and "{" not in value:
        return (value + " " + _TEXT * (_LENGTHS[name] // len(_TEXT) + 1))[: _LENGTHS[name]].strip()
    return value
