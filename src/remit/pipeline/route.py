"""The ways through a pipeline: what is wrong with them is seen before any of them is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remit.errors import SetupError
from remit.pipeline.step import Step, Then


class Route:
    """Steps in order, and where each goes on.

    Raises:
        SetupError: two steps of one name, a way to nowhere, a step that no way leads to, or a circle that a pipeline
            goes in although everything goes well.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps: Mapping[str, Step] = {step.name: step for step in steps}
        if not steps or len(self.steps) != len(steps):
            raise SetupError("a pipeline has at least one step, and no two of one name")
        self.first = steps[0].name
        order = [step.name for step in steps]
        self._following = dict(zip(order, [*order[1:], None], strict=True))
        for step in steps:
            for rule in (step.on_success, step.on_failure):
                if not isinstance(rule, Then) and rule not in self.steps:
                    raise SetupError(f"step {step.name} goes on to {rule!r}; there are: {', '.join(self.steps)}")
        self._check_ends()
        lost = [name for name in order if name not in self.after("")]
        if lost:
            raise SetupError(f"nothing leads to the step {lost[0]}; name it in another's on_success or on_failure")

    def next(self, step: Step, *, well: bool) -> str | None:
        """The step after this one; None for none."""
        rule = step.on_success if well else step.on_failure
        if isinstance(rule, Then):
            return self._following[step.name] if rule is Then.CONTINUE else None
        return rule

    def after(self, name: str) -> set[str]:
        """The steps that some way leads to from a step; from the beginning for an empty name."""
        found = set[str]()
        left = [self.first] if not name else self._nexts(name)
        while left:
            each = left.pop()
            if each not in found:
                found.add(each)
                left += self._nexts(each)
        return found

    def _nexts(self, name: str) -> list[str]:
        step = self.steps[name]
        both = (self.next(step, well=True), self.next(step, well=False))
        return [each for each in both if each is not None]

    def _check_ends(self) -> None:
        """Refuse a circle of steps that all go well: only a failure leads back."""
        for name in self.steps:
            way = [name]
            following = self.next(self.steps[name], well=True)
            while following is not None and following not in way:
                way.append(following)
                following = self.next(self.steps[following], well=True)
            if following is not None:
                circle = [*way[way.index(following) :], following]
                raise SetupError(f"it goes in a circle although all goes well: {' → '.join(circle)}; let it end")
