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


def _numbered_pairs(name: str, label: str, first: str, second: str) -> tuple[tuple[Slot, ...], ...]:
    """Three numbered pairs of a short and a long text, for features and questions."""
    return tuple(
        (
            Slot(key=f"{name}{n}{first}", type=SlotType.TEXT, label=f"{label} {n}", required=n == 1),
            Slot(key=f"{name}{n}{second}", type=SlotType.RICH_TEXT, label=f"{label} {n}, {second.lower()}"),
        )
        for n in (1, 2, 3)
    )


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
        description="Up to three features or services, each with a title and text.",
        structure=_build_structure(
            (_OPTIONAL_HEADING,), (_OPTIONAL_TEXT,), *_numbered_pairs("feature", "Feature", "Title", "Text")
        ),
    ),
    Template(
        key="quote",
        name="Quote",
        description="A quotation with its author.",
        structure=_build_structure(
            (_REQUIRED_TEXT,),
            (
                Slot(key="author", type=SlotType.TEXT, label="Author"),
                Slot(key="role", type=SlotType.TEXT, label="Role of the author"),
            ),
        ),
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
        description="Up to three questions with their answers.",
        structure=_build_structure((_OPTIONAL_HEADING,), *_numbered_pairs("faq", "Question", "Question", "Answer")),
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
