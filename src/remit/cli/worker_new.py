"""``remit worker new``: start a worker file."""

from __future__ import annotations

import json
import textwrap
from typing import Annotated, Final

import typer

from remit.cli.status import ExitStatus
from remit.cli.worker_file import check_worker_name, write_worker_file
from remit.cli.worker_reference import require_workers_extra

_TEMPLATE: Final = """\
---
# Front matter in YAML, up to the second line of dashes. Every key is optional.

{keys}

# Below is a Jinja template: use the fields of the input, and include texts of this folder: {{% include "tone.md" %}}.
---

You are {name}. Describe here, in Markdown, the task and how to do it.
"""
_WIDTH: Final = 118
_SHOWN: Final = ("description", "tools", "workers")
"""The keys that a new file has; the others are comments."""


def _render_file(name: str) -> str:
    """A worker file with a comment for every key."""
    with require_workers_extra():
        from remit.workers.front_matter import (
            FrontMatter,
            front_matter_settings,
        )
    keys: list[str] = []
    for each in front_matter_settings()[1:]:  # the file's name is the worker's name
        meaning = textwrap.fill(FrontMatter.model_fields[str(each.file_key)].description or "", _WIDTH)
        shown = f"{each.file_key}: {each.example or json.dumps(each.default)}"
        keys.append(f"{textwrap.indent(meaning, '# ')}\n{'' if each.file_key in _SHOWN else '# '}{shown}")
    return _TEMPLATE.format(keys="\n\n".join(keys), name=name)


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the worker; creates NAME.worker in this folder.")
    ],
) -> int:
    """Start a worker: write NAME.worker with a comment for every key. An existing file is not changed."""
    stem = name.removesuffix(".worker")
    check_worker_name(name, f"; write: remit worker new {stem}" if stem != name else "")
    path = write_worker_file(name, _render_file(name), "choose another name, or remove it")
    print(path)
    return ExitStatus.DONE
