"""English verbs of operations, in the forms that sentences about a call need."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class VerbForms(NamedTuple):
    """A verb: ``delete``, ``deleting``, ``deleted``."""

    base: str
    running: str
    done: str

    def capitalize(self) -> VerbForms:
        """Give each form a capital first letter."""
        return VerbForms(*(each[:1].upper() + each[1:] for each in self))


_REGULAR: Final = """
accept activate add adjust analyse analyze answer append apply approve archive ask assign attach authorize
block browse build burn calculate call change check clean clear clone close collect combine compare compile
complete compress compute configure confirm connect convert copy correct count create deactivate decline
decrease delete deliver deny deploy describe detach detect disable discard disconnect dismiss display download
draft duplicate edit email empty enable encrypt enqueue ensure enter erase escalate estimate evaluate examine
exchange execute expand explain export extend extract fetch fill filter finish flag follow forward generate
grant group handle hire identify import improve increase index insert inspect install invite issue join kill
launch link list listen load lock lower mark match measure merge migrate monitor mount move mute notify obtain
offer open optimize order organize parse pass paste patch pause perform pick place post prepare preview print
process produce promote propose provide publish pull purge push query queue raise rank rate reactivate rebuild
receive recommend reconcile record redeem refresh refund refuse register reject release reload remind remove
rename render renew reopen reorder repair repeat replace replay reply report request require reschedule
research reserve resolve restart restock restore resume retire retrieve retry return reverse review revoke
rotate save scale schedule score search select share show sign simulate sort start store subscribe suggest
summarise summarize suspend sync synchronize terminate test touch trace track train transform translate trash
uninstall unlock unmute unpublish unschedule unsubscribe update upgrade upload use validate verify view vote
wait watch
"""

_NOUNS: Final = """
book email empty group index issue label log map match monitor note offer order patch place plan point post
process queue rank rate record report request score sign sort store tag test trace track train turn vote wrap
"""
"""Words that begin the name of a thing as often as the name of an act, such as ``order_history``."""

_IRREGULAR: Final = """
begin beginning began | book booking booked | bring bringing brought | buy buying bought | cancel cancelling
cancelled | choose choosing chose | commit committing committed | control controlling controlled | cut cutting
cut | debug debugging debugged | do doing did | draw drawing drew | drop dropping dropped | find finding found
| flip flipping flipped | forget forgetting forgot | format formatting formatted | freeze freezing froze | get
getting got | give giving gave | hand handing handed | hide hiding hid | hold holding held | keep keeping kept
| label labelling labelled | lay laying laid | learn learning learned | leave leaving left | let letting let |
log logging logged | look looking looked | make making made | map mapping mapped | note noting noted | pay
paying paid | pin pinning pinned | plan planning planned | plot plotting plotted | plug plugging plugged |
point pointing pointed | put putting put | quit quitting quit | read reading read | recall recalling recalled
| refer referring referred | remember remembering remembered | reset resetting reset | rewrite rewriting
rewrote | roll rolling rolled | run running ran | scan scanning scanned | sell selling sold | send sending
sent | set setting set | ship shipping shipped | skip skipping skipped | speak speaking spoke | split
splitting split | stop stopping stopped | submit submitting submitted | swap swapping swapped | tag tagging
tagged | take taking took | tell telling told | think thinking thought | transfer transferring transferred |
trim trimming trimmed | turn turning turned | undo undoing undid | unpin unpinning unpinned | unset unsetting
unset | wipe wiping wiped | withdraw withdrawing withdrew | withhold withholding withheld | wrap wrapping
wrapped | write writing wrote | zip zipping zipped
"""


def _regular(base: str) -> VerbForms:
    """The forms of a verb that follows the rules of spelling."""
    stem = base[:-1] if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) else base
    if re.search("[^aeiou]y$", base):
        return VerbForms(base, f"{base}ing", f"{base[:-1]}ied")
    return VerbForms(base, f"{stem}ing", f"{base}d" if base.endswith("e") else f"{base}ed")


_FORMS: Final = {base: _regular(base) for base in _REGULAR.split()} | {
    base: VerbForms(base, running, done) for base, running, done in (each.split() for each in _IRREGULAR.split("|"))
}


def find_verb(word: str) -> VerbForms | None:
    """The forms of a verb, whatever its case; None if it is not known."""
    return _FORMS.get(word.lower())


def find_verb_of_name(word: str) -> VerbForms | None:
    """The forms of the verb with which a name begins; None if the word may as well be a noun."""
    return None if word.lower() in _NOUNS.split() else find_verb(word)


def guess_forms(word: str) -> VerbForms:
    """The forms that a verb would have by the rules of spelling, as a suggestion for a person."""
    return find_verb(word) or _regular(word.lower())


_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|[0-9]+")


def split_name(name: str) -> list[str]:
    """The words of an identifier: ``cms_deletePage`` is ``cms``, ``delete`` and ``page``. Acronyms keep their case."""
    return [each if len(each) > 1 and each.isupper() else each.lower() for each in _WORD.findall(name)]
