"""The parts of a policy file. Each says in a file what the value of the same name says in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
)

from remit.approvals.earlier_calls import After, AllOf, NotAfter
from remit.approvals.policy import Allow, Ask, Block, Verdict, When
from remit.call.call import Call
from remit.call.subject import Per
from remit.call.window import Window
from remit.layers.budget import DEFAULT_WINDOW, Budget
from remit.record.principal import Principal
from remit.rules.expression import Expression

Seconds = Annotated[int | float, Field(gt=0)]
"""A number that stays as it is written, so that a policy has the same version in both spellings."""

Text = Annotated[str, Field(min_length=1)]
VerdictName = Literal["allow", "confirm", "ask", "block"]
Outcome = Literal["allow", "confirm", "ask", "block", "over"]


def _as_list(value: object) -> object:
    return cast("object", value) if isinstance(value, list) else [value]


Texts = Annotated[list[Text], BeforeValidator(_as_list), Field(min_length=1)]


class Part(BaseModel):
    """A mapping of the file. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class EarlierPart(Part):
    """Earlier calls that a rule looks for; see `remit.policies.After`."""

    tools: Texts
    per: Per = "run"
    within: Seconds | None = None

    def make(self, kind: type[After]) -> After:
        """The test that it says."""
        return kind(self.tools, per=self.per, within=self.within)


def _as_earlier(value: object) -> object:
    return cast("object", value) if isinstance(value, dict) else {"tools": value}


Earlier = Annotated[EarlierPart, BeforeValidator(_as_earlier)]


class RulePart(Part):
    """A rule; see `remit.When`."""

    name: Text = Field(description="Shown to approvers and recorded.")
    tools: Texts | None = Field(default=None, description="Names of tools or agents; all calls without it.")
    condition: Text | None = Field(default=None, alias="if", description="An expression in CEL that must be true.")
    after: Earlier | None = Field(default=None, description="One of these was called before.")
    not_after: Earlier | None = Field(default=None, description="None of these has succeeded before.")
    verdict: VerdictName = Field(description="What the rule says of the calls that it covers.")
    reason: Text | None = Field(default=None, description="Why, as people and models read it. Not for `allow`.")
    who: Text | None = Field(default=None, description="The permission of those who decide. For `ask` and `confirm`.")
    four_eyes: bool = Field(default=False, description="Another person than the asker must decide. For `ask`.")
    expires_in: Seconds | None = Field(default=None, description="Seconds until a question expires.")

    def make(self) -> When:
        """The rule that it says.

        Raises:
            SetupError: its parts do not fit together, or the expression is not valid.
        """
        tests: list[Callable[[Call], bool]] = []
        if self.after is not None:
            tests.append(self.after.make(After))
        if self.not_after is not None:
            tests.append(self.not_after.make(NotAfter))
        if self.condition is not None:
            tests.append(Expression(self.condition))
        test = None if not tests else tests[0] if len(tests) == 1 else AllOf(*tests)
        return When(self.name, test, self._verdict(), tools=self.tools or ())

    def _verdict(self) -> Verdict:
        asks = {"who": self.who, "expires_in": self.expires_in, "four_eyes": self.four_eyes or None}
        given = [name for name, value in asks.items() if value is not None]
        if self.verdict == "allow" and self.reason is not None:
            raise ValueError("a rule that allows has no reason; leave it out")
        if self.verdict != "allow" and self.reason is None:
            raise ValueError(f"a rule that says {self.verdict} needs a reason; write reason: …")
        if self.verdict in ("allow", "block") and given:
            raise ValueError(f"a rule that says {self.verdict} asks no person; leave {', '.join(given)} out")
        if self.verdict == "allow":
            return Allow()
        if self.verdict == "block":
            return Block(reason=cast("str", self.reason))
        options = {name: value for name, value in asks.items() if value is not None}
        kind = "confirm" if self.verdict == "confirm" else "approve"
        return Ask(reason=cast("str", self.reason), kind=kind, **cast("dict[str, Any]", options))


class WindowPart(Part):
    """A window; see `remit.layers.Window`."""

    name: Text = Field(description="Named in errors and in the journal.")
    calls: PositiveInt | None = Field(default=None, description="The most calls.")
    field: Text | None = Field(default=None, description="The argument that is summed, such as `order.total`.")
    amount: PositiveFloat | None = Field(default=None, description="What the argument may add up to.")
    tools: Texts | None = Field(default=None, description="Names of tools or agents; all calls without it.")
    per: Per = Field(default="run", description="Whose calls count together.")
    every: Literal["hour", "day", "month"] | PositiveFloat | None = Field(
        default=None, description="A calendar hour, day or month (UTC), or any period of so many seconds."
    )

    def make(self) -> Window:
        """The window that it says.

        Raises:
            SetupError: its parts do not fit together.
        """
        return Window(
            self.name,
            calls=self.calls,
            field=self.field or "",
            amount=self.amount,
            tools=self.tools or (),
            per=self.per,
            every=self.every,
        )


class BudgetPart(Part):
    """The limits of a run; see `remit.layers.Budget`."""

    calls: PositiveInt = Field(default=256, description="The most calls.")
    tokens: PositiveInt | None = Field(default=None, description="The most tokens.")
    depth: PositiveInt = Field(default=8, description="How deeply calls may be nested.")
    cost: PositiveFloat | None = Field(default=None, description="The most US dollars.")
    seconds: PositiveFloat | None = Field(default=None, description="How long it may execute.")
    window: PositiveFloat = Field(default=DEFAULT_WINDOW, description="The period of an open run's limits, in seconds.")

    def make(self, windows: list[Window]) -> Budget:
        """The budget that it says, with its windows."""
        return Budget(**self.model_dump(), windows=windows)


class PersonPart(Part):
    """Who makes a call of a test."""

    name: Text = Field(default="user", description="The name alone stands for this mapping.")
    tenant: Text = Field(default="default", description="The tenant.")
    permissions: list[Text] = Field(default=["*"], description="What the person may do; everything without it.")
    roles: list[Text] = Field(default_factory=list[str], description="The names of roles.")

    def make(self) -> Principal:
        """The principal.

        Raises:
            SetupError: a name or permission is not valid.
        """
        return Principal(self.name, self.tenant, frozenset(self.permissions), frozenset(self.roles))


def _as_person(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class CallPart(Part):
    """A call of a test, and what is expected of it."""

    call: Text = Field(description="The name of the tool.")
    arguments: dict[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue], alias="with", description="Its arguments."
    )
    by: Annotated[PersonPart, BeforeValidator(_as_person)] = Field(
        default=PersonPart(), description="A name, or `name`, `tenant`, `permissions` and `roles`."
    )
    later: NonNegativeFloat = Field(default=0, description="Seconds that pass before the call.")
    run: Text | None = Field(
        default=None, description="Calls with the same text are made in one run; by default all are."
    )
    conversation: Text | None = Field(default=None, description="The conversation of the call's run.")
    approved: bool = Field(default=False, description="Whether a person approves it if it is asked about.")
    expect: Outcome = Field(default="allow", description="`over`: refused by the budget or a window.")
    rule: Text | None = Field(default=None, description="The rule or window that says so.")


class FactsPart(Part):
    """What a test says of a tool that the application does not have, because it is not given."""

    effect: Literal["pure", "idempotent", "keyed", "unsafe"] = Field(default="pure", description="Its effect.")
    risk: Literal["safe", "moderate", "high"] = Field(default="safe", description="Its risk.")
    egress: bool = Field(default=False, description="Whether it sends data out of the system.")


class TestPart(Part):
    """A test of the policy: calls, one after the other."""

    __test__ = False
    name: Text = Field(description="Printed with the result.")
    calls: list[CallPart] = Field(min_length=1, description="Made one after the other.")
    tools: dict[Text, FactsPart] = Field(
        default_factory=dict[str, FactsPart], description="Facts of tools, if no application is given."
    )


class FilePart(Part):
    """A policy file."""

    rules: list[RulePart] = Field(
        default_factory=list[RulePart], description="In order; the first that applies decides."
    )
    default_rules: bool = Field(default=True, description="Whether the default rules follow; see `remit.Policy`.")
    four_eyes: bool = Field(default=False, description="Whether every rule that asks requires another person.")
    budget: BudgetPart = Field(default=BudgetPart(), description="The limits of each run.")
    windows: list[WindowPart] = Field(default_factory=list[WindowPart], description="What calls may add up to.")
    tests: list[TestPart] = Field(default_factory=list[TestPart], description="Run by `remit policy test`.")


PARTS: Final[dict[str, type[Part]]] = {
    "": FilePart,
    "rules": RulePart,
    "after": EarlierPart,
    "not_after": EarlierPart,
    "budget": BudgetPart,
    "windows": WindowPart,
    "tests": TestPart,
    "calls": CallPart,
    "by": PersonPart,
    "tools": FactsPart,
}
"""The mappings of the file, by the key under which they stand."""
