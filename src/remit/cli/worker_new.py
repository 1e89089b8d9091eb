"""``remit worker new``: start a worker file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from remit.cli.status import ExitStatus, UsageError
from remit.contracts.contract import check_name
from remit.contracts.naming import check_not_reserved
from remit.errors import ContractError

_TEMPLATE: Final = """\
---
# Front matter in YAML, up to the second line of dashes. Every key is optional.

# When and why to call it, for its callers: users, agents and other workers.
description: Says what it does.

# The model, as provider:name. By default the call or REMIT_MODEL chooses it.
# model: openai:gpt-5-mini
# Or the models it supports; the chosen model must match one of them.
# compatible_models: ["openai:*", "local:base"]

# Input and output, as pydantic models. By default it takes a prompt and returns text.
# input: package.module:Question
# output: package.module:Answer

# What it may call: tools, by canonical name or as package.module:tool, and other workers (itself only if listed).
tools: []
workers: []
# Workers below it may call what they list. This narrows them to its own tools and workers, and these.
# delegates: []
# The agents that may take over its conversation.
# handoffs: []

# The permissions of its caller that its calls may use. By default all of them, never more.
# permissions: ["mail:read"]

# Tools that run at the model's provider. No layer governs them.
# builtin_tools: [web_search]

# The files it accepts. By default none.
# attachments: {suffixes: [".pdf", ".png"], max_count: 4, max_bytes: 524288}

limits:
  turns: 16
  # tool_calls: 20
  # tokens: 100000
  # seconds: 120

# When it is done: one of these. By default, when an answer calls no tool. Conditions in `all` must be met together.
# stop: {called_tool: send_mail, turns_used: 8, all: {no_calls: true, has_text: "DONE:"}}

# Shortens a history that is longer than so many tokens, with a summary by this model or its own.
# compaction: {tokens: 100000, model: "openai:gpt-5-mini"}

# Gives its model the objects that results of the conversation described, the most recent first.
# memory: {size: 10, per_kind: 3}

# With more tools than this, its model searches them.
# tool_search: {above: 20, limit: 5}

# The settings of each request to the model. By default those of the model.
# settings: {temperature: 0, max_tokens: 2000}

# What holds for one run, such as the date: a message before the user's. Jinja, like the prompt.
# run_instructions: "Today is {{ date }}."

# How the model gives a result that is not text: auto, native or tool.
# output_mode: auto

# How often the model may correct a result that does not match `output`.
retries: 1

facts:
  risk: safe
  # required_permissions: ["mail:sort"]
  # tags: [mail]

# Below is a Jinja template: use the fields of the input, and include texts of this folder: {% include "tone.md" %}.
---

You are NAME. Describe here, in Markdown, the task and how to do it.
"""


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the worker; creates NAME.worker in this folder.")
    ],
) -> int:
    """Start a worker: write NAME.worker with a comment for every key. An existing file is not changed."""
    try:
        check_not_reserved(check_name(name, "a worker"))
    except ContractError as error:
        stem = name.removesuffix(".worker")
        hint = f"; write: remit worker new {stem}" if stem != name else ""
        raise UsageError(f"{error.message}{hint}") from error
    path = Path(f"{name}.worker")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_TEMPLATE.replace("NAME", name))
    except FileExistsError as error:
        raise UsageError(f"{path} exists already; choose another name, or remove it") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    print(path)
    return ExitStatus.DONE
