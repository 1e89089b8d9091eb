"""The section templates of a new site. The same concept has the same field name in all of them."""

from __future__ import annotations

from typing import Final

from remit_cms.templates.slots import Row, Slot, SlotType, Structure, Template


def _build_structure(*rows: tuple[Slot, ...]) -> Structure:
    return Structure(rows=tuple(Row(slots=row) for row in rows))


DOCUMENT_TEMPLATES: Final = {
    "settings": Template(
        key="site-settings",
        name="Site settings",
        description="The settings of the site.",
        structure=_build_structure(),
    ),
    "navigation": Template(
        key="navigation-item",
        name="Item of the navigation",
        description="A link in the header or footer.",
        structure=_build_structure(),
    ),
    "redirects": Template(
        key="redirect-item",
        name="Redirect",
        description="An address without a page, and where it leads.",
        structure=_build_structure(),
    ),
    "entry": Template(
        key="posts",
        name="Posts",
        description="Articles with a date, such as news or a blog.",
        structure=_build_structure(
            (Slot(key="body", type=SlotType.RICH_TEXT, label="Text", required=True),),
            (Slot(key="excerpt", type=SlotType.TEXT, label="Summary"),),
            (Slot(key="cover", type=SlotType.IMAGE, label="Picture"),),
            (Slot(key="author", type=SlotType.TEXT, label="Author"),),
            (Slot(key="category", type=SlotType.TEXT, label="Category"),),
            (Slot(key="tags", type=SlotType.TEXT, label="Tags"),),
        ),
    ),
    "image": Template(
        key="image-texts",
        name="Texts of an image",
        description="What an image shows, and where that is in it.",
        structure=_build_structure(),
    ),
}
"""The templates of documents other than pages in a new site, by kind."""

_REQUIRED_HEADING: Final = Slot(key="heading", type=SlotType.TEXT, label="Heading", required=True)
_OPTIONAL_HEADING: Final = Slot(key="heading", type=SlotType.TEXT, label="Heading")
_SUBHEADING: Final = Slot(key="subheading", type=SlotType.TEXT, label="Subheading")
_OPTIONAL_TEXT: Final = Slot(key="content", type=SlotType.RICH_TEXT, label="Text")
_REQUIRED_TEXT: Final = Slot(key="content", type=SlotType.RICH_TEXT, label="Text", required=True)
_OPTIONAL_IMAGE: Final = Slot(key="image", type=SlotType.IMAGE, label="Image")
_REQUIRED_IMAGE: Final = Slot(key="image", type=SlotType.IMAGE, label="Image", required=True)
_OPTIONAL_BUTTON: Final = Slot(key="cta", type=SlotType.LINK, label="Button")
_REQUIRED_BUTTON: Final = Slot(key="cta", type=SlotType.LINK, label="Button", required=True)


def _list_of(key: str, label: str, *fields: Slot) -> tuple[Slot, ...]:
    return (Slot(key=key, type=SlotType.LIST, label=label, required=True, fields=fields),)


_TITLE: Final = Slot(key="title", type=SlotType.TEXT, label="Title", required=True)
_TEXT: Final = Slot(key="text", type=SlotType.RICH_TEXT, label="Text")
_AUTHOR: Final = Slot(key="author", type=SlotType.TEXT, label="Author")
_ROLE: Final = Slot(key="role", type=SlotType.TEXT, label="Role of the author")


BUILTIN_TEMPLATES: Final = (
    Template(
        key="hero",
        name="Hero",
        description="The opening of a page: a large heading, with a few words, an image and a button.",
        structure=_build_structure(
            (_REQUIRED_HEADING,), (_SUBHEADING,), (_OPTIONAL_TEXT,), (_OPTIONAL_IMAGE, _OPTIONAL_BUTTON)
        ),
    ),
    Template(
        key="text",
        name="Text",
        description="Running text in Markdown, with an optional heading.",
        structure=_build_structure((_OPTIONAL_HEADING,), (_REQUIRED_TEXT,)),
    ),
    Template(
        key="image-text",
        name="Image and text",
        description="An image beside a text.",
        structure=_build_structure(
            (_OPTIONAL_HEADING,),
            (_REQUIRED_IMAGE, _REQUIRED_TEXT),
            (
                Slot(key="imagePosition", type=SlotType.OPTION, label="Image stands", options=("left", "right")),
                _OPTIONAL_BUTTON,
            ),
        ),
    ),
    Template(
        key="features",
        name="Features",
        description="Features or services, each with a title and text.",
        structure=_build_structure(
            (_OPTIONAL_HEADING,), (_OPTIONAL_TEXT,), _list_of("features", "Features", _TITLE, _TEXT)
        ),
    ),
    Template(
        key="quote",
        name="Quote",
        description="A quotation with its author.",
        structure=_build_structure((_REQUIRED_TEXT,), (_AUTHOR, _ROLE)),
    ),
    Template(
        key="call-to-action",
        name="Call to action",
        description="One invitation with one button.",
        structure=_build_structure((_REQUIRED_HEADING,), (_OPTIONAL_TEXT,), (_REQUIRED_BUTTON,)),
    ),
    Template(
        key="faq",
        name="Questions and answers",
        description="Questions with their answers.",
        structure=_build_structure(
            (_OPTIONAL_HEADING,),
            _list_of(
                "questions",
                "Questions",
                Slot(key="question", type=SlotType.TEXT, label="Question", required=True),
                Slot(key="answer", type=SlotType.RICH_TEXT, label="Answer"),
            ),
        ),
    ),
    Template(
        key="steps",
        name="Steps",
        description="Steps in order, each with a title and text.",
        structure=_build_structure((_OPTIONAL_HEADING,), (_OPTIONAL_TEXT,), _list_of("steps", "Steps", _TITLE, _TEXT)),
    ),
    Template(
        key="quotes",
        name="Quotes",
        description="Several quotations with their authors. For one alone: quote.",
        structure=_build_structure(
            (_OPTIONAL_HEADING,),
            _list_of(
                "quotes",
                "Quotes",
                Slot(key="quote", type=SlotType.RICH_TEXT, label="Quote", required=True),
                _AUTHOR,
                _ROLE,
            ),
        ),
    ),
    Template(
        key="gallery",
        name="Gallery",
        description="Pictures of the site beside each other.",
        structure=_build_structure(
            (_OPTIONAL_HEADING,),
            _list_of("pictures", "Pictures", Slot(key="image", type=SlotType.IMAGE, label="Picture", required=True)),
        ),
    ),
    Template(
        key="entry-list",
        name="List of posts",
        description="The newest posts, or entries of another collection, each with a link to it.",
        structure=_build_structure(
            (_OPTIONAL_HEADING,),
            (_OPTIONAL_TEXT,),
            (Slot(key="entries", type=SlotType.COLLECTION_REF, label="Posts of", required=True),),
            (Slot(key="dates", type=SlotType.OPTION, label="Dates are", options=("shown", "hidden")),),
        ),
    ),
    Template(
        key="media",
        name="Film or sound",
        description="One film or sound with a caption.",
        structure=_build_structure(
            (_OPTIONAL_HEADING,), (Slot(key="media", type=SlotType.MEDIA, label="File", required=True),)
        ),
    ),
)
