"""The words of texts and their stems, as both databases index them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Final, NamedTuple, Protocol

from remit.lazy_exports import require_extra

_WORD: Final = re.compile(r"[^\W_]+")
_MARK: Final = "\ue000"
"""The prefix of a stem's term: a private-use character, which FTS5 treats as a letter and which no word contains."""
_MAX_STEMMED: Final = 40
"""The maximum letters of a word that is stemmed."""
_CACHED_WORDS: Final = 32_768
_LANGUAGES: Final = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "tr": "turkish",
}
"""The Snowball algorithm of each language, except languages whose words are incomplete without combining marks."""


class Word(NamedTuple):
    """A word in lower case, without accents (as FTS5 reads it) and with them."""

    text: str
    accented: str


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the name that Snowball gives it


def split_words(value: str) -> list[Word]:
    """Split a text into its words, in order."""
    if value.isascii():
        return [Word(word, word) for word in _WORD.findall(value.lower())]
    words = list[Word]()
    for chunk in value.split():
        if chunk.isascii():
            words += [Word(word, word) for word in _WORD.findall(chunk.lower())]
            continue
        plain = _WORD.findall(_without_accents(chunk))
        accented = _WORD.findall(unicodedata.normalize("NFC", chunk.lower()))
        words += map(Word, plain, accented if len(accented) == len(plain) else plain)
    return words


@lru_cache(_CACHED_WORDS)
def stem_terms(word: Word, language: str) -> tuple[str, ...]:
    """The additional index terms of a word; none if it is its own stem."""
    return tuple(_term(stem, language) for stem in _stems_of(word, language) if stem != word.text)


def matching_terms(word: Word, languages: Iterable[str]) -> tuple[str, ...]:
    """The terms of words that share a stem with the word in one of the languages.

    A word that is its own stem is its own term. The given word is included only if no other term represents it, so that
    it counts once.
    """
    stems = [(stem, language) for language in languages for stem in _stems_of(word, language)]
    plain = {stem for stem, language in stems if stem in _stems_of(Word(stem, stem), language)}
    if any(stem != word.text for stem, _ in stems):
        plain.discard(word.text)
    elif not stems:
        plain.add(word.text)
    return (*sorted({_term(stem, language) for stem, language in stems} | plain),)


def canonical_languages(locales: Sequence[str]) -> tuple[str, ...]:
    """The languages of locales such as ``de-AT``, each once, without languages that cannot be stemmed."""
    codes = (re.split("[-_]", locale, maxsplit=1)[0].lower() for locale in locales)
    return (*dict.fromkeys("no" if code in {"nb", "nn"} else code for code in codes if code in _LANGUAGES),)


def _term(stem: str, language: str) -> str:
    return f"{_MARK}{language}{stem}"


@lru_cache(_CACHED_WORDS)
def _stems_of(word: Word, language: str) -> frozenset[str]:
    """The stems of a word without accents and, where they differ, with accents.

    In some languages accents mark endings, but searchers often omit them. Words with digits have no stem.
    """
    if not word.text.isalpha() or len(word.accented) > _MAX_STEMMED:
        return frozenset()
    # Imported on first use, because it takes as long as all other imports of a small application.
    with require_extra("FullText: language", "sql"):
        module = import_module(f"snowballstemmer.{_LANGUAGES[language]}_stemmer")
    stemmer: _Stemmer = getattr(module, f"{_LANGUAGES[language].capitalize()}Stemmer")()
    stems = {stem for form in {*word} for stem in _WORD.findall(_without_accents(stemmer.stemWord(form)))[:1]}
    return frozenset(stems)


def _without_accents(value: str) -> str:
    letters = (_fold(char) for char in unicodedata.normalize("NFD", value) if unicodedata.category(char) != "Mn")
    return unicodedata.normalize("NFC", "".join(letters))


def _fold(char: str) -> str:
    """Lower a letter to a single letter: no final sigma, and no ss for a sharp s."""
    folded = char.casefold()
    return folded if len(folded) == 1 else char.lower()
