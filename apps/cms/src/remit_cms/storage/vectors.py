"""Vectors of the texts of pages, entries and images, for search by meaning. Derived: each can be computed anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple

from sqlalchemy import (
    ForeignKeyConstraint,
    Index,
    Select,
    String,
    and_,
    case,
    delete,
    func,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.orm import Mapped, QueryableAttribute, mapped_column

from remit_cms.storage.full_text import searchable_texts
from remit_cms.storage.images import Image, in_library
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import build_snapshot
from remit_cms.storage.tables import Base, Environment, Kind, Page, Scoped
from remit_cms.storage.translations import PageTexts
from remit_cms.storage.vector_bytes import VectorBytes

IMAGE: Final = "image"
"""The kind of an image, whose texts have no language: its ``locale`` is empty."""
DOCUMENTS: Final = (Kind.PAGE.value, Kind.ENTRY.value)
_MAX_TEXT: Final = 4000
"""Characters of a page that its vector is computed from: an average of more says little of any of it."""


def _environment_foreign_key() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE")


class Vector(Scoped, Base):
    """The vector of one of the texts of an object in one language. ``part`` counts these texts from 0.

    A language without texts has one row, without a vector; rows of a deleted object have none either. ``digest`` is
    that of all texts in the language, ``model`` what turned them into vectors, and ``version`` the count of the
    environment when they were written.
    """

    __tablename__ = "vectors"
    __table_args__ = (_environment_foreign_key(), Index("vectors_version", "site", "environment", "version"))
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    object: Mapped[str] = mapped_column(String(64), primary_key=True)
    locale: Mapped[str] = mapped_column(String(16), primary_key=True)
    part: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    digest: Mapped[str] = mapped_column(String(64))
    model: Mapped[str] = mapped_column(String(200))
    version: Mapped[int]
    vector: Mapped[bytes | None] = mapped_column(VectorBytes)


class Embedded(Scoped, Base):
    """The revision of an object whose texts have been turned into vectors, and by which model."""

    __tablename__ = "embedded"
    __table_args__ = (_environment_foreign_key(), Index("embedded_target", "site", "environment"))
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    object: Mapped[str] = mapped_column(String(64), primary_key=True)
    revision: Mapped[int]
    model: Mapped[str] = mapped_column(String(200))


@dataclass(frozen=True, slots=True)
class Pending:
    """An object whose vectors are missing or those of another revision or model, and its texts that need new ones.

    ``texts`` is by language, without any where there are none: each text gets a vector, and what is most like a query
    counts. ``digests`` names all of its languages, also those whose vectors are as they should be.
    """

    kind: str
    id: str
    revision: int
    texts: dict[str, tuple[str, ...]]
    digests: dict[str, str]


class VectorKey(NamedTuple):
    """Whose texts a vector is of, and in which language."""

    object: str
    locale: str
    kind: str


class StoredVector(NamedTuple):
    """A vector as bytes of float32, or None where there are no texts."""

    key: VectorKey
    content: bytes | None


async def count_pending(scope: Scope, model: str, most: int) -> int:
    """How many objects are to be embedded, counted up to ``most``."""
    found = 0
    for query in _pending_queries(scope, model):
        counted = select(func.count()).select_from(query.limit(most - found).subquery())
        found += await scope.session.scalar(counted) or 0
    return found


async def load_pending(scope: Scope, model: str, limit: int, *, anew: bool = False) -> list[Pending]:
    """Some of the objects that are to be embedded, with their texts; ``anew`` also those that have not changed."""
    rows: list[tuple[Page | Image, str]] = []
    for table, query in zip((Page, Image), _pending_queries(scope, model), strict=True):
        ids = [row.id for row in await scope.session.execute(query.limit(limit - len(rows)))]
        found = await scope.session.scalars(select(table).where(table.id.in_(ids)).order_by(table.id)) if ids else ()
        rows += [(row, row.kind if isinstance(row, Page) else IMAGE) for row in found]
    current = {} if anew else await _load_digests(scope, model, [(kind, row.id) for row, kind in rows])
    pending: list[Pending] = []
    for row, kind in rows:
        texts = await _page_texts(scope, row) if isinstance(row, Page) else {"": _image_texts(row)}
        digests = {locale: sha256("\0".join(each).encode()).hexdigest() for locale, each in texts.items()}
        changed = {
            locale: each for locale, each in texts.items() if current.get((kind, row.id, locale)) != digests[locale]
        }
        pending.append(Pending(kind, row.id, row.revision, changed, digests))
    return pending


async def store_vectors(scope: Scope, model: str, made: Sequence[tuple[Pending, dict[str, list[bytes]]]]) -> None:
    """Store the vectors of the texts of objects by language. Those that are gone by now are left out."""
    made = [each for each in made if each[0].id in await _list_existing(scope, [each[0] for each in made])]
    if not made:
        return
    version = await _count_change(scope)
    for pending, vectors in made:
        named = {**scope.target.row, "kind": pending.kind, "object": pending.id}
        former = and_(Vector.kind == pending.kind, Vector.object == pending.id)
        await scope.session.execute(delete(Vector).where(former, Vector.locale.in_(vectors)))
        await scope.session.execute(
            delete(Embedded).where(Embedded.kind == pending.kind, Embedded.object == pending.id)
        )
        for locale, contents in vectors.items():
            row = {**named, "locale": locale, "digest": pending.digests[locale], "model": model, "version": version}
            for part, content in enumerate(contents or [None]):
                scope.session.add(Vector(**row, part=part, vector=content))
        scope.session.add(Embedded(**named, revision=pending.revision, model=model))
    await scope.session.flush()


async def find_other_model(scope: Scope, model: str, objects: Collection[str] | None) -> str | None:
    """Another model by which texts of a site were embedded, if any; ``objects`` narrows whose texts."""
    query = select(Embedded.model).where(scope.target.row_filter(Embedded), Embedded.model != model)
    chosen = query if objects is None else query.where(Embedded.object.in_(objects))
    return await scope.session.scalar(chosen.limit(1))


async def forget_vectors(scope: Scope, kind: str, object_id: str) -> None:
    """Forget the vectors of an object that is deleted. Its rows stay, to tell processes that have them in memory."""
    version, mine = await _count_change(scope), and_(Vector.kind == kind, Vector.object == object_id)
    await scope.session.execute(update(Vector).where(mine).values(vector=None, digest="", version=version))
    await scope.session.execute(delete(Embedded).where(Embedded.kind == kind, Embedded.object == object_id))


async def forget_marks(scope: Scope) -> int:
    """Let everything of a site be embedded anew, and return how much that is. What there is serves until then."""
    await scope.session.execute(delete(Embedded).where(scope.target.row_filter(Embedded)))
    chosen = and_(scope.target.row_filter(Page), Page.kind.in_(DOCUMENTS))
    documents = await scope.session.scalar(select(func.count()).select_from(Page).where(chosen))
    images = await scope.session.scalar(select(func.count()).select_from(Image).where(in_library(scope.target)))
    return (documents or 0) + (images or 0)


async def load_counts(scope: Scope) -> tuple[int, int]:
    """The counts of the edits of a site and of the changes of its vectors."""
    query = select(Environment.edits, Environment.vectors).where(
        Environment.site == scope.target.site, Environment.name == scope.target.environment
    )
    row = (await scope.session.execute(query)).one()
    return row.edits, row.vectors


async def load_vectors(scope: Scope, model: str, after: int) -> list[StoredVector]:
    """The vectors of a site that were written after a version; those of another model count as none."""
    mine = case((Vector.model == model, Vector.vector))
    query = select(Vector.object, Vector.locale, Vector.kind, mine).where(
        scope.target.row_filter(Vector), Vector.version > after
    )
    return [StoredVector(VectorKey(*row[:3]), row[3]) for row in await scope.session.execute(query)]


async def _count_change(scope: Scope) -> int:
    """The next version of the vectors of a site."""
    here = (Environment.site == scope.target.site, Environment.name == scope.target.environment)
    counted = update(Environment).where(*here).values(vectors=Environment.vectors + 1).returning(Environment.vectors)
    return (await scope.session.scalars(counted)).one()


def _pending_queries(scope: Scope, model: str) -> tuple[Select[str], Select[str]]:
    """The ids of pages and entries to embed, and those of images."""

    def missing(table: type[Page | Image], kind: QueryableAttribute[str] | str) -> Select[str]:
        same = and_(Embedded.kind == kind, Embedded.object == table.id)
        other = or_(Embedded.object.is_(None), Embedded.revision != table.revision, Embedded.model != model)
        query = select(table.id).outerjoin(Embedded, same).where(scope.target.row_filter(table), other)
        return query.order_by(table.id)

    return missing(Page, Page.kind).where(Page.kind.in_(DOCUMENTS)), missing(Image, IMAGE).where(~Image.is_deleted)


async def _load_digests(
    scope: Scope, model: str, objects: Sequence[tuple[str, str]]
) -> dict[tuple[str, str, str], str]:
    query = select(Vector.kind, Vector.object, Vector.locale, Vector.digest).where(
        tuple_(Vector.kind, Vector.object).in_(objects), Vector.model == model
    )
    return {(row[0], row[1], row[2]): row[3] for row in await scope.session.execute(query)}


async def _list_existing(scope: Scope, objects: Iterable[Pending]) -> set[str]:
    query = select(Page.id).where(scope.target.id_filter(Page, Page.id, [each.id for each in objects]))
    return {*await scope.session.scalars(query)}


async def _page_texts(scope: Scope, page: Page) -> dict[str, tuple[str, ...]]:
    """All that a page says, and if it has a description for search engines, its outline: that and the title.

    What a page is about may be said by its description alone, such as "Opening hours" above a table of times. In the
    average of a whole page that is lost.
    """
    snapshot = await build_snapshot(scope, page)
    found: dict[str, tuple[str, ...]] = {}
    for locale in scope.locales:
        title, words = searchable_texts(snapshot, locale)
        texts = snapshot.texts.get(locale, PageTexts())
        whole = "\n".join(filter(None, (title, *words)))[:_MAX_TEXT]
        outline = ". ".join(filter(None, (title, texts.meta_description))) if texts.meta_description else ""
        found[locale] = (*filter(None, (whole, outline)),)
    return found


def _image_texts(image: Image) -> tuple[str, ...]:
    return ("\n".join(filter(None, (image.alt, image.caption, image.name)))[:_MAX_TEXT],)
