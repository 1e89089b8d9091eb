"""The codes of languages that a site may have: those of ISO 639, with a script, region or variant if need be."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator

from remit_cms.models import NewLocale

_ISO_639_1: Final = re.compile(
    "aa|ab|ae|af|ak|am|an|ar|as|av|ay|az|ba|be|bg|bi|bm|bn|bo|br|bs|ca|ce|ch|co|cr|cs|"
    "cu|cv|cy|da|de|dv|dz|ee|el|en|eo|es|et|eu|fa|ff|fi|fj|fo|fr|fy|ga|gd|gl|gn|gu|gv|"
    "ha|he|hi|ho|hr|ht|hu|hy|hz|ia|id|ie|ig|ii|ik|io|is|it|iu|ja|jv|ka|kg|ki|kj|kk|kl|"
    "km|kn|ko|kr|ks|ku|kv|kw|ky|la|lb|lg|li|ln|lo|lt|lu|lv|mg|mh|mi|mk|ml|mn|mr|ms|mt|"
    "my|na|nb|nd|ne|ng|nl|nn|no|nr|nv|ny|oc|oj|om|or|os|pa|pi|pl|ps|pt|qu|rm|rn|ro|ru|"
    "rw|sa|sc|sd|se|sg|si|sk|sl|sm|sn|so|sq|sr|ss|st|su|sv|sw|ta|te|tg|th|ti|tk|tl|tn|"
    "to|tr|ts|tt|tw|ty|ug|uk|ur|uz|ve|vi|vo|wa|wo|xh|yi|yo|za|zh|zu"
)
_SCRIPTS: Final = "Arab|Armn|Beng|Cyrl|Deva|Ethi|Geor|Grek|Gujr|Guru|Hans|Hant|Hebr|Jpan|Khmr|Kore|Latn|Mong|Tfng|Thai"
_REST: Final = re.compile(rf"(?:-(?:{_SCRIPTS}))?(?:-(?:[A-Z]{{2}}|\d{{3}}))?(?:-(?:[a-z0-9]{{5,8}}|\d[a-z0-9]{{3}}))*")


def _check_language(code: str) -> str:
    """Languages of three letters have no list here: there are 7,900, and few typing errors have three letters."""
    language, dash, rest = code.partition("-")
    if (len(language) == 2 and not _ISO_639_1.fullmatch(language)) or not _REST.fullmatch(dash + rest):
        raise ValueError(
            f"{code!r} is no language; give a code of ISO 639 such as en or de, if need be with a region (de-AT) or "
            "script (sr-Latn)"
        )
    return code


Language = Annotated[NewLocale, AfterValidator(_check_language)]
"""The code of a language that a site gets for good."""
