"""A principal has the permissions of the moment of a call, and never more than those under which the run was opened."""

from __future__ import annotations

from remit import Principal, Risk, tool
from remit.stores import Store
from remit.testing import Scripted, calls
from tests.runtime.kit import runtime_of, tool_messages

ADA = Principal("ada", "bakery", frozenset({"pages:write", "approvals:decide"}))


class People:
    """A directory whose entries change."""

    def __init__(self, *people: Principal) -> None:
        self.entries = {each.name: each for each in people}

    def find(self, name: str, tenant: str) -> Principal | None:
        found = self.entries.get(name)
        return found if found is not None and found.tenant == tenant else None


async def test_a_permission_taken_away_in_a_run_is_missing_at_its_next_call(store: Store) -> None:
    people, written = People(ADA), list[str]()

    @tool(risk=Risk.SAFE, permissions={"pages:write"})
    async def write(text: str) -> str:
        """Write a page."""
        written.append(text)
        people.entries["ada"] = Principal("ada", "bakery")
        return "written"

    model = Scripted([calls(("write", {"text": "one"})), calls(("write", {"text": "two"})), "Done."])
    runtime = runtime_of(model, write, store=store, directory=people.find)
    result = await runtime.run("Write.", by=ADA)
    assert written == ["one"]
    assert "missing permission pages:write" in (await tool_messages(runtime, result.run))[-1]
    people.entries["ada"] = ADA
    assert (await runtime.replay(result.run)).is_identical
    assert written == ["one"]


async def test_a_person_removed_in_a_run_makes_no_further_call(store: Store) -> None:
    people = People(ADA)

    @tool(risk=Risk.SAFE, permissions={"pages:write"})
    async def write(text: str) -> str:
        """Write a page."""
        people.entries.clear()
        return "written"

    model = Scripted([calls(("write", {"text": "one"})), calls(("write", {"text": "two"})), "Done."])
    runtime = runtime_of(model, write, store=store, directory=people.find)
    result = await runtime.run("Write.", by=ADA)
    assert "ada may not call write: ada is unknown now" in (await tool_messages(runtime, result.run))[-1]


async def test_a_run_of_a_limited_principal_resumes_within_its_limits(store: Store) -> None:
    written = list[str]()

    @tool(risk=Risk.SAFE, permissions={"pages:write"})
    async def write(text: str) -> str:
        """Write a page."""
        written.append(text)
        return "written"

    @tool(risk=Risk.HIGH)
    async def ask() -> str:
        """Ask first."""
        return "asked"

    model = Scripted([calls(("ask", {})), calls(("write", {"text": "one"})), "Done."])
    runtime = runtime_of(model, write, ask, store=store, directory=People(ADA).find)
    token = ADA.limit_to(frozenset({"pages:read"}))
    result = await runtime.run("Write.", by=token)
    await runtime.decide(result.questions[0], approved=True, by=ADA)
    assert (await runtime.resume(result.run)).value() == "Done."
    assert written == []
    assert "missing permission pages:write" in (await tool_messages(runtime, result.run))[-1]
    submitted = await runtime.client(token).submit("Again.")
    header = (await runtime.store.read(submitted))[0].item
    assert getattr(header, "permissions", None) == ("pages:read",)


async def test_a_run_that_a_limited_run_starts_has_its_limits_too(store: Store) -> None:
    @tool(risk=Risk.SAFE)
    async def start() -> str:
        """Start another run."""
        return await runtime.client(ADA).submit("Go on.")

    model = Scripted([calls(("start", {})), "Done."])
    runtime = runtime_of(model, start, store=store, directory=People(ADA).find)
    await runtime.run("Start.", by=ADA.limit_to(frozenset({"pages:*"})))
    headers = [(await store.read(row.run))[0].item for row in await store.list_runs()]
    assert [getattr(each, "permissions", None) for each in headers] == [("pages:*",), ("pages:*",)]


def test_limits_hold_whatever_permissions_are_looked_up_later() -> None:
    limited = ADA.limit_to(frozenset({"pages:*", "files:read"}))
    assert limited.permissions == {"pages:write"}
    assert limited.allowed == {"pages:*", "files:read"}
    again = limited.limit_to(frozenset({"pages:write", "approvals:decide"}))
    assert again.permissions == again.allowed == {"pages:write"}
