"""Tools that the inventory narrows to one casefile: no call says which, and its access list holds all the same."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from figures.acl import (
    CASEFILE_PARAMETER,
    STANDINGS,
    Standing,
    Trial,
    arguments_for,
    casefile_of,
    grant_of,
    is_refused_by_gate,
    mark_of,
    needed_by,
)
from remit.inventory import ToolDefinition
from remit.inventory.lock import LOCK_FILE_NAME
from remit_casefile.app import INVENTORY_FOLDER
from remit_casefile.casefiles.access import Level
from remit_casefile.storage.tables import Casefile

FIXED_CASEFILE: Final = "cf_260101_abcdef"
GRANTED_STANDINGS: Final = tuple(
    each for each in STANDINGS if not each.owns and each.public is None and not each.is_revoked
)
"""The ways to stand to a casefile that a grant makes."""


def write_narrowed_inventory(folder: Path, trial: Trial) -> Path:
    """An inventory with another tool for each method that takes a casefile, which fixes that."""
    made = folder / "narrowed"
    shutil.copytree(INVENTORY_FOLDER, made, ignore=shutil.ignore_patterns(LOCK_FILE_NAME))
    slices = defaultdict[tuple[str, str], list[str]](list)
    for name, tool in trial.tools.items():
        if tool.method is not None and needed_by(tool) is not None:
            domain, subdomain, _ = tool.method.metadata.key.split(".")
            entry = (
                f"  fixed_{name}: "
                f"{{method: {tool.method.metadata.key}, fix: {{{CASEFILE_PARAMETER}: {FIXED_CASEFILE}}}}}"
            )
            slices[domain, subdomain].append(entry)
    for (domain, subdomain), entries in slices.items():
        text = "\n".join([f"domain: {domain}", f"subdomain: {subdomain}", "tools:", *entries, ""])
        (made / f"{subdomain}_narrowed.yaml").write_text(text, encoding="utf-8")
    return made


async def find_violations(trial: Trial, tool: ToolDefinition, needed: Level, standing: Standing) -> list[str]:
    """What is wrong with a call of a narrowed tool by somebody who stands so to the casefile it is narrowed to."""
    _, session, by = await trial.create_case(standing)
    async with trial.parts.database.write() as writing:
        casefile = await writing.get(Casefile, FIXED_CASEFILE)
        if casefile is not None:
            await writing.delete(casefile)
            await writing.flush()
        writing.add(casefile_of(FIXED_CASEFILE, "somebody", None))
        grants = [grant_of(FIXED_CASEFILE, "zoe", "viewer", ended=False)]
        if standing.granted:
            grants.append(grant_of(FIXED_CASEFILE, by.name, standing.granted, ended=standing.is_expired))
        writing.add_all(grants)
    before = await trial.stored_rows(FIXED_CASEFILE)
    text, waits = await trial.run(tool, arguments_for(tool, None, session), session, by)
    wrong: list[str] = []
    if standing.level >= needed and is_refused_by_gate(text):
        wrong.append(f"is kept out: {text[:300]}")
    if standing.level < needed:
        word = "No casefile '" if standing.level is Level.NONE else f"needs the level {needed.label}"
        if waits or word not in text:
            wrong.append(f"is not kept out: {text[:300]}")
        if before != await trial.stored_rows(FIXED_CASEFILE):
            wrong.append("changes it")
    if standing.level is Level.NONE and mark_of(FIXED_CASEFILE) in text:
        wrong.append("reads it")
    return [f"{standing.name} {each} (by {tool.name})" for each in wrong]


async def find_leaks(*, names: Sequence[str] | None = None) -> tuple[list[str], int]:
    """What is wrong, and out of how many rows."""
    wrong: list[str] = []
    looked_at = 0
    with TemporaryDirectory() as folder:
        plain = Trial(Path(folder))
        async with (
            aclosing(plain),
            aclosing(Trial(Path(folder), inventory_in=write_narrowed_inventory(Path(folder), plain))) as trial,
        ):
            for tool, needed in _narrowed_tools(plain, trial):
                for standing in GRANTED_STANDINGS:
                    if names is None or standing.name in names:
                        wrong += await find_violations(trial, tool, needed, standing)
                        looked_at += 1
    return wrong, looked_at


def _narrowed_tools(plain: Trial, trial: Trial) -> Iterator[tuple[ToolDefinition, Level]]:
    """The narrowed tools, and what is needed for each: what its method's tool needs."""
    for name, tool in trial.tools.items():
        if name.startswith("fixed_"):
            yield tool, needed_by(plain.tools[name.removeprefix("fixed_")]) or Level.NONE
