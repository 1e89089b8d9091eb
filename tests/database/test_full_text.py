"""Full text: the same matches in SQLite and in Postgres."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from remit.database import Database, FullText
from remit.errors import SetupError
from tests.database.tables import NOTE_TEXTS


async def write(database: Database, **notes: tuple[str, str]) -> None:
    """Index notes: title and body by name."""
    async with database.write() as session:
        for name, (title, body) in notes.items():
            await NOTE_TEXTS.index(session, name, title=title, body=body)


async def find_notes(database: Database, query: str) -> list[str]:
    """The notes of a search, best first."""
    async with database.read() as session:
        hits = NOTE_TEXTS.search(session, query)
        return list(await session.scalars(select(hits.c.key).order_by(hits.c.score.desc(), hits.c.key)))


async def test_words_and_beginnings_of_words_are_find_notes(database: Database) -> None:
    await write(database, one=("Bread", "rye and oats"), two=("Rolls", "wheat bread"), three=("Cake", "wheat"))
    assert await find_notes(database, "oats") == ["one"]
    assert await find_notes(database, "whea") == ["three", "two"]
    assert await find_notes(database, "rolls oats") == ["two", "one"]
    assert await find_notes(database, "ead") == []


async def test_a_column_with_more_weight_makes_a_better_match(database: Database) -> None:
    await write(database, body=("Contact", "ask for bread"), title=("Bread", "ask for rye"))
    assert await find_notes(database, "bread") == ["title", "body"]


async def test_a_score_depends_on_its_row_alone(database: Database) -> None:
    async def score() -> list[tuple[str, float]]:
        async with database.read() as session:
            hits = NOTE_TEXTS.search(session, "zebra bread")
            rows = await session.execute(select(hits.c.key, hits.c.score).where(hits.c.key.in_(["one", "two"])))
            return sorted((key, value) for key, value in rows)

    await write(database, one=("Zebra", "stripes"), two=("Shop", "our bread and more bread"))
    alone = await score()
    await write(database, **{f"other{number}": ("Bread", "bread " * 9) for number in range(30)})
    assert await score() == alone


async def test_more_words_of_the_query_make_a_better_match(database: Database) -> None:
    await write(database, often=("Rye", "bread bread bread bread"), both=("Rye", "bread and oats"))
    assert await find_notes(database, "bread oats") == ["both", "often"]


@pytest.mark.parametrize(
    "query",
    ["uber", "ÜBER", "u\u0308ber", "Über", "brulee", "한국", "10.5", "foo_bar", "foo-bar", "straße", "οδος", "ΟΔΟΣ"],
)
async def test_case_and_accents_do_not_matter(database: Database, query: str) -> None:
    await write(database, one=("Über", "Crème brûlée 한국어 10.5 foo_bar foo-bar Straße Οδος"), two=("Other", "words"))
    assert await find_notes(database, query) == ["one"]


@pytest.mark.parametrize("query", ["", " ", "'", '"', "& | !", "~~~", "%", "_"])
async def test_a_query_without_words_finds_nothing(database: Database, query: str) -> None:
    await write(database, one=("Bread", "rye"))
    assert await find_notes(database, query) == []


@pytest.mark.parametrize(
    "query", ["bread'", 'bread"', "bread*", "bread:*", "NOT bread", "bread & !bread", "title:bread"]
)
async def test_a_query_is_words_and_never_syntax(database: Database, query: str) -> None:
    await write(database, one=("Bread", "rye"))
    assert await find_notes(database, query) == ["one"]


async def test_an_entry_is_replaced_and_removed(database: Database) -> None:
    await write(database, one=("Bread", "rye"))
    await write(database, one=("Rolls", "oats"))
    assert [await find_notes(database, word) for word in ("bread", "rye", "rolls")] == [[], [], ["one"]]
    async with database.write() as session:
        await NOTE_TEXTS.remove(session, "one")
    assert await find_notes(database, "rolls") == []


async def test_a_text_of_any_length_is_indexed_as_far_as_it_goes(database: Database) -> None:
    body = " ".join(f"word{number}" for number in range(60_000)) + " " + "x" * 5_000
    await write(database, one=("Bread", body), two=("Nothing", "'; \\ \x01 quoted"))
    assert await find_notes(database, "word17") == ["one"]
    assert await find_notes(database, "quoted") == ["two"]


@pytest.mark.parametrize(
    ("text", "character"),
    [("br\x00ead", "the character NUL"), ("\ud800 bread", "lone surrogates")],
    ids=["nul", "half"],
)
async def test_a_text_that_cannot_be_stored_is_neither_indexed_nor_searched(
    database: Database, text: str, character: str
) -> None:
    for title, body, column in ((text, "rye", "title"), ("Rye", text, "body")):
        with pytest.raises(SetupError, match=rf"^FullText\.index: {column} is .*; give a string without {character}$"):
            await write(database, one=(title, body))
    with pytest.raises(SetupError, match=rf"^FullText\.search: query is .*; give a string without {character}$"):
        await find_notes(database, text)
    assert await find_notes(database, "rye") == []


async def test_the_index_is_rolled_back_with_its_transaction(database: Database) -> None:
    async def write_and_fail() -> None:
        async with database.write() as session:
            await NOTE_TEXTS.index(session, "one", title="Bread", body="rye")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write_and_fail()
    assert await find_notes(database, "bread") == []


async def test_the_migrations_can_drop_it(database: Database) -> None:
    async with database.write() as session:
        await (await session.connection()).run_sync(NOTE_TEXTS.drop)
    with pytest.raises(DBAPIError, match="note_texts"):
        await find_notes(database, "bread")


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("Texts", {"title": 1.0}),
        ("texts", {}),
        ("texts", {"a b": 1.0}),
        ("texts", {"title": 0.0}),
        ("texts", dict.fromkeys("abcde", 1.0)),
    ],
)
def test_an_index_that_cannot_be_is_refused(table: str, columns: dict[str, float]) -> None:
    with pytest.raises(SetupError, match="FullText"):
        FullText(table, key="note", columns=columns)


async def test_texts_of_other_columns_are_refused(database: Database) -> None:
    async with database.write() as session:
        with pytest.raises(SetupError, match="give texts for title, body"):
            await NOTE_TEXTS.index(session, "one", title="Bread")


async def write_in(database: Database, language: str, **notes: str) -> None:
    """Index the titles of notes in a language."""
    async with database.write() as session:
        for name, title in notes.items():
            await NOTE_TEXTS.index(session, name, language, title=title, body="")


async def find_stems(database: Database, query: str, *languages: str) -> list[str]:
    """The notes of a search in these languages, best first."""
    async with database.read() as session:
        hits = NOTE_TEXTS.search(session, query, languages)
        return list(await session.scalars(select(hits.c.key).order_by(hits.c.score.desc(), hits.c.key)))


STEMS: dict[str, list[tuple[str, str]]] = {
    "en": [("Bread", "breads"), ("Bake", "baking"), ("Baking", "bake"), ("Bakeries", "bakery")],
    "en-GB": [("Baked", "BAKING")],
    "de": [("Brötchen", "Brötchens"), ("Häuser", "Hauses"), ("Haus", "Häuser"), ("Straßen", "strasse")],
    "de_AT": [("Brötchen", "brotchens")],
    "fr": [("mangée", "manger"), ("mangée", "mangees")],
    "pt": [("informação", "INFORMAÇÕES")],
    "nb": [("husene", "huset")],
    "el": [("ΟΔΟΣ", "οδοί")],
}


@pytest.mark.parametrize("language", STEMS)
async def test_words_of_the_same_stem_are_found(database: Database, language: str) -> None:
    for title, query in STEMS[language]:
        await write_in(database, language, one=title, two="Other")
        assert await find_stems(database, query, language) == ["one"]
        assert await find_stems(database, query, "fi", language) == ["one"]
        assert await find_stems(database, query) == []


async def test_an_unknown_language_has_no_stems(database: Database) -> None:
    for language in ("", "xx", "tlh-001", "-", "english", "../en"):
        await write_in(database, language, one="Baking breads")
        assert await find_stems(database, "bake", language, "en") == []
        assert await find_stems(database, "bread", language) == ["one"]


async def test_a_stem_of_one_language_is_not_found_under_another(database: Database) -> None:
    await write_in(database, "en", english="Baking")
    await write_in(database, "de", german="Baking")
    assert await find_stems(database, "bake", "en") == ["english"]
    assert await find_stems(database, "bake", "de") == []


async def test_stems_are_no_words_whose_beginning_is_found(database: Database) -> None:
    await write_in(database, "en", one="Studies")
    assert await find_stems(database, "study", "en") == ["one"]
    for query in ("en", "enstudi", "\ue000enstudi", "de", "tudi"):
        assert await find_stems(database, query, "en") == []


async def test_a_word_of_the_query_makes_a_better_match_than_its_stem(database: Database) -> None:
    await write_in(database, "en", a="Baked rye", b="Baking rye", c="Bakes rye")
    assert await find_stems(database, "baking", "en", "de") == ["b", "a", "c"]
    assert await find_stems(database, "baking rye", "en") == ["b", "a", "c"]


async def test_a_word_counts_once_for_its_beginning_and_its_stem(database: Database) -> None:
    await write_in(database, "en", word="Bread rye", plural="Breads rye")
    assert await find_stems(database, "bread", "en") == ["word", "plural"]


async def test_twenty_words_of_a_query_are_searched_by_their_stems(database: Database) -> None:
    await write_in(database, "en", one="Baking", two="Rolling")
    others = [f"{letter}qqq" for letter in "abcdefghijklmnopqrs"]
    languages = ["en", "de", "fr", "it", "es", "pt", "nl", "sv", "da", "fi"]
    assert await find_stems(database, " ".join([*others, "bake", "roll"]), *languages) == ["one"]


async def test_a_row_is_indexed_again_in_another_language(database: Database) -> None:
    await write_in(database, "en", one="Baking")
    await write_in(database, "de", one="Häuser")
    assert await find_stems(database, "bake", "en", "de") == []
    assert await find_stems(database, "Hauses", "en", "de") == ["one"]


@pytest.mark.parametrize("name", ["self", "session", "key", "language"])
def test_a_column_cannot_have_the_name_of_a_parameter(name: str) -> None:
    with pytest.raises(SetupError, match=f"column is '{name}'; give another name"):
        FullText("texts", key="note", columns={"title": 1.0, name: 1.0})


async def test_a_language_that_is_no_string_is_refused(database: Database) -> None:
    async with database.write() as session:
        with pytest.raises(SetupError, match="language is None; give a string"):
            await NOTE_TEXTS.index(session, "one", None, title="Bread", body="")  # pyright: ignore[reportArgumentType] - the refusal of it
        with pytest.raises(SetupError, match=r"FullText\.search: an item of languages is None"):
            NOTE_TEXTS.search(session, "bread", [None])  # pyright: ignore[reportArgumentType] - the refusal of it
