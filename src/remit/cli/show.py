"""``remit show``: what happened in a run, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated

import typer
from msgspec import structs

from remit.agent.roster import everybody
from remit.cli.desk import Desk, open_desk
from remit.cli.legible import json_text
from remit.cli.status import Status
from remit.cli.timeline import Line, Timeline
from remit.contracts.items import Position
from remit.errors import FormatError, RemitError
from remit.journal.codec import broken_link
from remit.journal.ports import RunRow


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    app: Annotated[
        str, typer.Option(metavar="APP", help="Where its application is, as package.module:attribute.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Every item, as one JSON object on stdout.")] = False,
) -> int:
    """Show what happened in a run, and when.

    Messages, calls with their risk and duration, questions and who decided them. Exit status 1 if the journal of the
    run is not what was written.
    """
    with open_desk() as desk:
        row = desk.readable(run)
        positions = desk.wait(desk.store.read(run))
        broken = broken_link(positions)
        if as_json:
            items = [_item(position) for position in positions]
            print(json_text({**asdict(row), "changedAt": broken, "items": items}))
        else:
            _draw(Timeline(positions, _risks(desk, row, app)).lines())
    if broken is not None:
        raise FormatError(f"item {broken} of run {run} is not what was written; the journal was changed")
    return Status.DONE


def _draw(lines: Sequence[Line]) -> None:
    from remit.cli.terminal import draw, risk_text, table

    shown = table("time", "what", "risk", "")
    for line in lines:
        shown.add_row(f"{line.offset:+.3f} s", line.what, risk_text(line.risk), "  " * line.depth + line.text)
    draw(shown)


def _risks(desk: Desk, row: RunRow, app: str) -> Mapping[str, str]:
    """The risk of each tool as the application says today; nothing where it is not installed any more."""
    with suppress(RemitError):
        found = desk.app_of(row, app)
        return {tool.name: tool.facts.risk.value for tool in everybody([*found.agents, *found.tools])}
    return {}


def _item(position: Position) -> dict[str, object]:
    return {
        "seq": position.seq,
        "epoch": position.epoch,
        "at": position.at,
        "kind": position.item.kind,
        **structs.asdict(position.item),
        "chain": position.chain.hex(),
    }
