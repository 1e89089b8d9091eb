"""The few words that the site says itself, in some languages."""

from __future__ import annotations

from typing import Final

from remit_cms.rendering.documents import WORDS

_TEXTS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "missing": "Page not found",
        "nothing": "There is no page at this address. It may have moved, or the link was mistyped.",
        "home": "Go to the home page",
        "preview": "Preview until {end}: visitors do not see this.",
        "live": "Preview until {end}, as visitors see it now.",
        "later": "As it will be from {at} on, by what is scheduled. Preview until {end}.",
        "changed": "It changes {titles} too.",
        "gone": "Visitors no longer see {titles}.",
        "and": "and",
        "settings": "the settings of the site",
        "navigation": "the navigation",
        "redirects": "the redirects",
        "posts": "Posts",
        "start": "Home",
        **WORDS,
    },
    "de": {
        "missing": "Seite nicht gefunden",
        "nothing": "Unter dieser Adresse gibt es keine Seite. Vielleicht ist sie umgezogen oder der Link falsch.",
        "home": "Zur Startseite",
        "preview": "Vorschau bis {end}: Besucher sehen das nicht.",
        "live": "Vorschau bis {end}: So sehen es Besucher jetzt.",
        "later": "So wird es ab {at} sein, nach allem, was geplant ist. Vorschau bis {end}.",
        "changed": "Sie ändert auch {titles}.",
        "gone": "Besucher sehen {titles} nicht mehr.",
        "and": "und",
        "settings": "die Einstellungen der Website",
        "navigation": "die Navigation",
        "redirects": "die Weiterleitungen",
        "posts": "Beiträge",
        "start": "Start",
        "skip": "Zum Inhalt",
        "main": "Hauptmenü",
        "footer": "Fußzeile",
        "languages": "Sprachen",
        "more": "Siehe auch",
        "trail": "Sie sind hier",
        "pages": "Seiten",
        "newer": "Neuere",
        "older": "Ältere",
    },
}


def text_in(locale: str, key: str) -> str:
    """One of the site's own texts, in English where it has no other."""
    return _TEXTS.get(locale.partition("-")[0], _TEXTS["en"])[key]
