"""Words that say nothing of what a text is about. Nearly every page has them, so questions are searched without."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_STOP_WORDS: Final = {
    "en": (
        "a about all also am an and any are as at be been but by can could did do does for from get had has have "
        "he her here him his how i if in into is it its just like may me mine my no not of on one or our ours "
        "please shall she should so some tell than that the their them then there these they this those to us was "
        "we were what when where which who whom whose why will with would you your yours"
    ),
    "de": (
        "aber alle als am an auch auf aus bei beim bin bis bist bitte da damit dann das dass dein deine dem den "
        "denn der des die dies diese dieser dir du durch ein eine einem einen einer eines er es etwas euch euer "
        "eure für gibt habe haben habt hat hatte ich ihm ihn ihnen ihr ihre ihren im in ins ist ja kann kannst "
        "kein keine können könnt man mein meine mich mir mit nach nicht noch nur ob oder ohne sein seine sich sie "
        "sind so soll über um und uns unser unsere vom von vor wann war waren warum was wegen weil welche welcher "
        "welches wem wen wenn wer werde werden wie wieso will wir wird wo woher wohin wollen würde zu zum zur"
    ),
    "fr": (
        "à ai as au aux avec avez avoir avons c ce ces cette comment d dans de des du elle elles en est et être "
        "eux il ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont où ou par "
        "pas pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa se ses si sommes son sont sur t "
        "ta te tes toi ton tu un une vos votre vous y"
    ),
    "es": (
        "a al como cómo con cual cuál cuando cuándo cuanto cuánto de del donde dónde el él ella ellas ellos en "
        "era es esa ese eso esta está están este esto ha hay la las le les lo los me mi mis muy nos nosotros o "
        "para pero por porque que qué quien quién se ser si sin sobre son su sus te tiene tienen tu tus un una "
        "usted ustedes y ya yo"
    ),
    "it": (
        "a ad ai al alla alle anche avete c che chi ci come con cosa d da dal dalla dei del della delle di dove e "
        "è ed era gli ha hai hanno ho i il in io l la le lei lo loro lui ma mi mia mio ne nei nel nella noi non "
        "nostra nostro o per perché più qual quale quali quando quanto questa questo se si siamo siete sono su "
        "sua suo te ti tra tu un una uno vi voi vostra vostro"
    ),
    "nl": (
        "aan al als bij dan dat de der deze die dit doen door dus een en er geen had heb hebben hebt heeft hem "
        "het hij hoe hun ik in is jij je jouw jullie kan kunnen kunt maar me mee met mij mijn na naar niet nog of "
        "om ons onze ook op over te tot u uit uw van veel voor waar waarom wanneer was wat we welk welke werd wie "
        "wij wil worden wordt zal ze zich zij zijn zo"
    ),
    "pt": (
        "a ao aos as com como da das de do dos e é ela elas ele eles em era essa esse esta está este eu foi há "
        "isso isto já lhe mais mas me meu minha na não nas no nos nós nossa nosso o onde os ou para pela pelo por "
        "porque qual quais quando quanto que quem se sem ser seu sua são sobre te tem têm tu um uma você vocês"
    ),
}
"""By language. Of others all words are searched."""

_WORD: Final = re.compile(r"[^\W_]+")


def leave_out_stop_words(query: str, locales: Iterable[str]) -> str:
    """The words of a query that say what it is about, in these languages; empty if it has none but stop words."""
    languages = {locale.partition("-")[0] for locale in locales}
    stop_words = {word for language in languages for word in _STOP_WORDS.get(language, "").split()}
    return " ".join(word for word in _WORD.findall(query) if word.casefold() not in stop_words)
