"""A long text is shown where it changes."""

from __future__ import annotations

import random
import re

import pytest

from remit.record.passages import fold_unchanged

STORY = "Our story is long. " * 60
NOTE = re.compile(r" ?\[… ([\d,]+) characters as before …\] ?")
PARTS = [
    "Bread costs 3 euros. ",
    STORY,
    "x" * 700,
    " ".join(f"word{n}" for n in range(200)),
    " ".join(f"term{n}" for n in range(90)),
    "\u6f22" * 600,
    "end",
    "",
]


def test_the_changed_words_of_a_long_text_are_shown_with_a_little_around() -> None:
    before, after = fold_unchanged(f"{STORY}Bread costs 3 euros. {STORY}", f"{STORY}Bread costs 9 euros. {STORY}")
    assert "long. Bread costs 3 euros. Our story" in before
    assert "long. Bread costs 9 euros. Our story" in after
    assert max(len(before), len(after)) < 350
    assert before.startswith("[… 1,0")


def test_every_change_of_a_text_is_shown_however_far_apart_they_are() -> None:
    long = " ".join(f"word{n}" for n in range(400))
    old = f"{long} Bread costs 3 euros. {long.replace('word', 'term')} The end."
    new = f"X{old.replace('3 euros', '9 euros')} And so on."
    before, after = fold_unchanged(old, new)
    assert all(each in after for each in ("Xword0", "Bread costs 9 euros.", "The end. And so on."))
    assert "Bread costs 3 euros." in before
    assert len(NOTE.findall(after)) == len(NOTE.findall(before)) == 2
    assert len(after) < 700


def test_short_texts_new_ones_and_equal_ones_are_shown_whole() -> None:
    for pair in [("old", "new"), ("", STORY), (STORY, ""), (STORY, STORY), ("Bread", f"Bread{STORY}")]:
        assert fold_unchanged(*pair) == pair


def test_a_text_that_repeats_itself_is_shown_from_its_first_change_to_its_last() -> None:
    _, after = fold_unchanged(f"one {STORY}two", f"two {STORY}one")
    assert after == f"two {STORY}one"


@pytest.mark.parametrize("seed", range(10))
def test_what_is_folded_is_the_same_in_both_texts_and_as_long_as_the_note_says(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seed makes the same texts in every run
    for _ in range(20):
        old, new = ("".join(chance.choices(PARTS, k=5)) for _ in range(2))
        before, after = fold_unchanged(old, new)
        assert NOTE.findall(before) == NOTE.findall(after)
        for whole, shown in ((old, before), (new, after)):
            left = NOTE.sub("\0", shown)
            lengths = [int(each.replace(",", "")) for each in NOTE.findall(shown)]
            assert len(left.replace("\0", "")) + sum(lengths) <= len(whole) + 2 * len(lengths)
            pattern = ".{200,}?".join(re.escape(each) for each in left.split("\0"))
            assert re.fullmatch(pattern, whole, re.DOTALL), (whole, shown)
