"""The change sets of a site in the model of its editors: which edits wait, and what undoing a publication makes."""

from __future__ import annotations

from figures.cms_layers import apply, changed_parts, lay
from figures.cms_model import ORDERS, Page, Values


class SetModel:
    """Documents and change sets. ``open`` are the sets of editors, ``published`` those that can be undone.

    ``removals`` are the documents that are to go with each set, with how: delete or hide.
    """

    def __init__(self) -> None:
        self.pages: list[Page] = []
        self.open: dict[str, str] = {}
        self.published: list[str] = []
        self.removals: dict[str, dict[str, str]] = {}
        self._made = 0

    def _make_set(self) -> str:
        self._made += 1
        return f"set_{self._made}"

    def _make_published(self) -> str:
        """The set of what is published at once."""
        self.published.append(self._make_set())
        return self.published[-1]

    @property
    def _open_sets(self) -> set[str]:
        return {*self.open.values()}

    def _waiting(self, page: Page, besides: str | None = None) -> list[int]:
        """The revisions of a document with edits that wait, except those of one set."""
        found = page.find_pending(self._open_sets - {besides})
        return [number for numbers in found.values() for number in numbers]

    def _claim_waiting(self, page: Page, claims: set[str]) -> None:
        """Let the edits of a document that wait belong to other sets."""
        for number in self._waiting(page):
            page.claims[number] = {*claims}

    def _lay(self, page: Page, base: Values | None, numbers: list[int]) -> tuple[Values | None, bool]:
        later = [number for number, claims in page.claims.items() if not claims.isdisjoint(self.published)]
        return lay(page, base, numbers, later)

    def _pending(self, change_set: str | None) -> list[tuple[Page, list[int]]]:
        """The documents with edits of a set that wait, and their revisions."""
        found = [(page, page.find_pending({change_set or ""}).get(change_set)) for page in self.pages]
        return [(page, own) for page, own in found if change_set and own and page.revisions[-1] is not None]

    def _leaving(self, change_set: str | None) -> list[tuple[Page, str]]:
        """The documents that are to go with a set and are there, and how they go."""
        how = self.removals.get(change_set or "", {})
        return [(page, how[page.id]) for page in self.pages if page.id in how and page.revisions[-1] is not None]

    def _going(self, change_set: str | None) -> list[tuple[Page, str]]:
        """Of the documents that are to go with a set, those of which that changes something."""
        return [(page, how) for page, how in self._leaving(change_set) if how == "delete" or page.live is not None]

    def _take_removals(self, page: Page, change_set: str | None) -> None:
        """Let what open sets want to remove of a document belong to another one, or to none."""
        taken = {self.removals[each].pop(page.id, "") for each in self._open_sets if each in self.removals}
        if change_set is not None and (kinds := taken - {""}):
            self.removals.setdefault(change_set, {})[page.id] = min(kinds)

    def _remove_all(self, change_set: str) -> bool:
        """Take from visitors, and from editors, what goes with a set; its edits of that wait outside any set then."""
        gone = self._going(change_set)
        for page, how in gone:
            for claims in page.claims.values():
                claims.discard(change_set)
            if page.live is not None:
                page.move(None, change_set)
            if how == "delete":
                page.add(None, change_set)
        return bool(gone)

    def _kept(self, page: Page, values: Values) -> int | None:
        """The revision of the draft, if it says what visitors see again."""
        return page.number if page.live is not None and page.draft == values else None

    def _undo(self, page: Page, values: Values | None) -> None:
        """Let the draft follow: a deleted one comes back, and another has what visitors see and the edits that wait."""
        if page.revisions[-1] is None:
            page.add(dict(page.revisions[-2] or {}), None, rebuilt=True)
        elif page.live is not None and values is not None:
            draft, is_missing = self._lay(page, values, self._waiting(page))
            if not is_missing and draft != page.draft:
                page.add(draft, None, rebuilt=True)

    def _find_steps(self, page: Page, change_set: str) -> list[tuple[Page, int | None, Values | None, bool]]:
        """What undoing a set makes of a document for visitors, if anything, and whether that is allowed."""
        moves = [move for move in page.moves if move[2] == change_set]
        if page.revisions[-1] is None:
            was_here = change_set in page.claims.get(page.number, ())
            before = moves[-1][0] if moves else None
            return [(page, before, page.values(before), True)] if was_here else []
        if not moves:
            return []
        before, after, _ = moves[-1]
        former, published, live = page.values(before), page.values(after), page.values(page.live)
        if moves[-1] is page.moves[0]:
            former = page.beginning
        if published is None:
            return [(page, before, former, live is None)]
        if live is None or former is None:
            return [(page, before, None, live == published)]
        changed = {part for part in changed_parts(former, published) if part not in ORDERS and "/" not in part}
        places = {part for part in changed_parts(former, published) if "/" in part}
        same = all(live.get(part) == published.get(part) for part in changed) and all(
            (name in live.get(order, ())) == (name in published.get(order, ()))
            for order, _, name in (part.partition("/") for part in places)
        )
        undone, is_missing = apply(live, published, former, set())
        return [(page, before, undone, same and not is_missing)]
