"""The options for the time of a call."""

from __future__ import annotations

import zoneinfo
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from remit.cli.status import UsageError

if TYPE_CHECKING:
    from remit.engine.schedule import Schedule

AtOption = Annotated[
    str, typer.Option("--at", metavar="TIME", help="Make the call later, such as at 2026-12-24T09:00; see --zone.")
]
EveryOption = Annotated[
    str, typer.Option("--every", metavar="RULE", help="Repeat it by a rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO.")
]
ZoneOption = Annotated[
    str, typer.Option("--zone", metavar="NAME", help="The time zone of --at, such as Europe/Berlin; local by default.")
]
MissedOption = Annotated[
    str, typer.Option("--missed", metavar="WHAT", help="If no executor ran in time: once (late), skip, or all.")
]


def parse_schedule(at: str, every: str, zone: str, missed: str) -> Schedule | None:
    """The schedule that the options describe; None without ``--at``.

    Raises:
        UsageError: an option is invalid, or needs ``--at``.
    """
    from remit.engine.schedule import Missed, Schedule

    if not at:
        if every or zone or missed:
            raise UsageError("--every, --zone and --missed need --at, the time of the first call")
        return None
    kinds: dict[str, Missed] = {each: each for each in get_args(Missed)}
    if (missed or "once") not in kinds:
        raise UsageError(f"--missed {missed!r} is not one of {', '.join(kinds)}")
    try:
        time = datetime.fromisoformat(at)
        if zone and time.tzinfo is not None:
            raise UsageError(f"--at {at} has an offset; give it without, or omit --zone")
        time = time.replace(tzinfo=zoneinfo.ZoneInfo(zone)) if zone else time
        time = time.astimezone() if time.tzinfo is None else time
    except (zoneinfo.ZoneInfoNotFoundError, OSError) as error:
        raise UsageError(f"--zone {zone!r} is not a time zone such as Europe/Berlin") from error
    except (ValueError, OverflowError) as error:
        raise UsageError(f"--at {at!r} is not a time such as 2026-12-24T09:00") from error
    return Schedule(time, every, kinds[missed or "once"])
