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
block borrow browse burn calculate call change check clean clear clone close collect combine compare compile
complete compress compute configure confirm connect consult contact continue convert copy correct count create
deactivate decline decrease deduct delete deliver deny deploy deposit describe detach detect disable discard
disconnect dismiss dispatch display document download draft duplicate edit email empty enable encrypt enqueue
enrich ensure enter erase escalate estimate evaluate evict examine exchange exclude execute expand explain
explore export extend extract fetch fill filter finish flatten follow forward freshen gather generate grant
greet group guess handle hire identify import improve include increase index inform inquire insert inspect
install interrupt invite invoice invoke isolate issue join kill launch lease levy link list listen load locate
lock lower mail manage mark match measure merge migrate monitor mount move mute navigate nominate notify
obtain offer open optimize order organize outline own parse partition pass paste patch pause perform persist
pick place post predict prepare prevent preview print prioritise prioritize probe process produce profile
promote propose provide prune publish pull purge push quarantine query queue quote raise rank rate reach react
reactivate rearrange reboot receive recommend recompute reconcile reconnect record recover redact redeem
redirect reduce refactor refill refresh refund refuse register reindex reinstall reject release reload
relocate remind remove rename render renew renumber reopen reorder repair repeat replace replay replicate
reply report repost request require resample reschedule research reserve resize resolve restart restock
restore restructure resume resync retain retire retract retrieve retry return reuse reverse revert review
revise revoke rinse rotate route salt sample sanitize save scale schedule score screen search seed segment
select separate serve settle share shift shorten show sign signal simplify simulate snooze solve sort specify
stage stamp start store style subscribe subtract suggest summarise summarize supply support surface survey
suspend sync synchronize tabulate tally terminate test tighten toggle touch trace track train transform
translate trash tune tweet type unarchive uncheck unfollow uninstall uninvite unlink unload unlock unmute
unpack unpublish unschedule unsubscribe unsuspend update upgrade upload use vacuum validate verify view void
vote wait warn watch weigh yield zoom
"""

_NOUNS: Final = """
bid book chat clip contact control deposit document drive email empty feed flag group guess hit index invoice
issue label lease log mail map match mean model monitor note offer order outline own partition patch patrol
place plan point post probe process profile queue quote rank rate record report request return route salt
sample score screen seed segment share sign signal sort stage stamp stand store style supply support surface
survey tag test trace track train turn type void vote win wrap
"""
"""Words that begin the name of a thing as often as the name of an act, such as ``order_history``."""

_IRREGULAR: Final = """
admit admitting admitted | ban banning banned | begin beginning began | bid bidding bid | book booking booked
| bring bringing brought | build building built | buy buying bought | cancel cancelling cancelled | catch
catching caught | chat chatting chatted | choose choosing chose | chop chopping chopped | clip clipping
clipped | commit committing committed | control controlling controlled | crop cropping cropped | cut cutting
cut | debug debugging debugged | defer deferring deferred | do doing did | drag dragging dragged | draw
drawing drew | drive driving drove | drop dropping dropped | emit emitting emitted | feed feeding fed | find
finding found | flag flagging flagged | flip flipping flipped | forget forgetting forgot | format formatting
formatted | freeze freezing froze | get getting got | give giving gave | grab grabbing grabbed | hand handing
handed | hide hiding hid | hit hitting hit | hold holding held | infer inferring inferred | keep keeping kept
| label labelling labelled | lay laying laid | learn learning learned | leave leaving left | lend lending lent
| let letting let | log logging logged | look looking looked | lose losing lost | make making made | map
mapping mapped | mean meaning meant | meet meeting met | model modelling modelled | note noting noted | omit
omitting omitted | override overriding overrode | overwrite overwriting overwrote | patrol patrolling
patrolled | pay paying paid | permit permitting permitted | pin pinning pinned | plan planning planned | plot
plotting plotted | plug plugging plugged | point pointing pointed | pop popping popped | prefer preferring
preferred | put putting put | quit quitting quit | read reading read | rebid rebidding rebid | rebuild
rebuilding rebuilt | recall recalling recalled | redo redoing redid | refer referring referred | reformat
reformatting reformatted | regret regretting regretted | remember remembering remembered | repay repaying
repaid | rerun rerunning reran | resell reselling resold | resend resending resent | reset resetting reset |
retell retelling retold | rewind rewinding rewound | rewrite rewriting rewrote | roll rolling rolled | run
running ran | scan scanning scanned | sell selling sold | send sending sent | set setting set | ship shipping
shipped | shut shutting shut | sit sitting sat | skip skipping skipped | speak speaking spoke | spend spending
spent | split splitting split | stand standing stood | stop stopping stopped | strip stripping stripped |
submit submitting submitted | swap swapping swapped | tag tagging tagged | take taking took | teach teaching
taught | tell telling told | think thinking thought | throw throwing threw | transfer transferring transferred
| travel travelling travelled | trim trimming trimmed | turn turning turned | understand understanding
understood | undo undoing undid | unpin unpinning unpinned | unset unsetting unset | unwrap unwrapping
unwrapped | unzip unzipping unzipped | wear wearing wore | win winning won | wipe wiping wiped | withdraw
withdrawing withdrew | withhold withholding withheld | wrap wrapping wrapped | write writing wrote | zip
zipping zipped
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
