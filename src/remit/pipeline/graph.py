"""The control flow of a pipeline, checked before it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remit.errors import SetupError
from remit.pipeline.step import Step, Then


class StepGraph:
    """Steps in order, and their successors.

    Raises:
        SetupError: two steps share a name, a transition leads nowhere, a step is unreachable, or successful steps form
            a cycle.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps: Mapping[str, Step] = {step.name: step for step in steps}
        if not steps or len(self.steps) != len(steps):
            raise SetupError("a pipeline needs at least one step, and unique step names")
        self.first_step = steps[0].name
        order = [step.name for step in steps]
        self._next_in_order = dict(zip(order, [*order[1:], None], strict=True))
        for step in steps:
            for rule in (step.on_success, step.on_failure):
                if not isinstance(rule, Then) and rule not in self.steps:
                    raise SetupError(
                        f"step {step.name} continues with {rule!r}, which does not exist; "
                        f"available: {', '.join(self.steps)}"
                    )
        self._check_termination()
        unreachable = [name for name in order if name not in self.reachable_from("")]
        if unreachable:
            raise SetupError(
                f"no step leads to the step {unreachable[0]}; name it in another's on_success or on_failure"
            )

    def next_step(self, step: Step, *, succeeded: bool) -> str | None:
        """The step after this one; None at the end."""
        rule = step.on_success if succeeded else step.on_failure
        if isinstance(rule, Then):
            return self._next_in_order[step.name] if rule is Then.CONTINUE else None
        return rule

    def reachable_from(self, name: str) -> set[str]:
        """The steps reachable from a step; from the start for an empty name."""
        found = set[str]()
        pending = [self.first_step] if not name else self._successors(name)
        while pending:
            each = pending.pop()
            if each not in found:
                found.add(each)
                pending += self._successors(each)
        return found

    def _successors(self, name: str) -> list[str]:
        step = self.steps[name]
        both = (self.next_step(step, succeeded=True), self.next_step(step, succeeded=False))
        return [each for each in both if each is not None]

    def _check_termination(self) -> None:
        """Reject a cycle of successful steps: only a failure may lead back."""
        for name in self.steps:
            visited = [name]
            following = self.next_step(self.steps[name], succeeded=True)
            while following is not None and following not in visited:
                visited.append(following)
                following = self.next_step(self.steps[following], succeeded=True)
            if following is not None:
                circle = [*visited[visited.index(following) :], following]
                raise SetupError(
                    f"successful steps form a cycle: {' → '.join(circle)}; end it with a failure or a last step"
                )
