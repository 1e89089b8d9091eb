"""The section templates that a new site begins with. The same thing has the same field name in all of them."""

from __future__ import annotations

from typing import Final

from remit_cms.templates.slots import Row, Slot, SlotType, Structure, Template


def _form(*rows: tuple[Slot, ...]) -> Structure:
    return Structure(rows=tuple(Row(slots=row) for row in rows))


_HEADING: Final = Slot(key="heading", type=SlotType.TEXT, label="Heading", required=True)
_TITLE: Final = Slot(key="heading", type=SlotType.TEXT, label="Heading")
_SUBHEADING: Final = Slot(key="subheading", type=SlotType.TEXT, label="Subheading")
_CONTENT: Final = Slot(key="content", type=SlotType.RICH_TEXT, label="Text")
_BODY: Final = Slot(key="content", type=SlotType.RICH_TEXT, label="Text", required=True)
_IMAGE: Final = Slot(key="image", type=SlotType.IMAGE, label="Image")
_PICTURE: Final = Slot(key="image", type=SlotType.IMAGE, label="Image", required=True)
_CTA: Final = Slot(key="cta", type=SlotType.LINK, label="Button")
_BUTTON: Final = Slot(key="cta", type=SlotType.LINK, label="Button", required=True)


def _pairs(name: str, label: str, first: str, second: str) -> tuple[tuple[Slot, ...], ...]:
    """Three numbered pairs of a short and a long text, as features and questions have them."""
    return tuple(
        (
            Slot(key=f"{name}{n}{first}", type=SlotType.TEXT, label=f"{label} {n}", required=n == 1),
            Slot(key=f"{name}{n}{second}", type=SlotType.RICH_TEXT, label=f"{label} {n}, {second.lower()}"),
        )
        for n in (1, 2, 3)
    )


BUILTIN: Final = (
    Template(
        key="hero",
        name="Hero",
        description="The opening of a page: a large heading, with a few words, an image and a button.",
        structure=_form((_HEADING,), (_SUBHEADING,), (_CONTENT,), (_IMAGE, _CTA)),
    ),
    Template(
        key="text",
        name="Text",
        description="Running text in Markdown, with an optional heading.",
        structure=_form((_TITLE,), (_BODY,)),
    ),
    Template(
        key="image-text",
        name="Image and text",
        description="An image beside a text.",
        structure=_form(
            (_TITLE,),
            (_PICTURE, _BODY),
            (
                Slot(key="imagePosition", type=SlotType.OPTION, label="Image stands", options=("left", "right")),
                _CTA,
            ),
        ),
    ),
    Template(
        key="features",
        name="Features",
        description="Up to three features or services, each with a title and a text.",
        structure=_form((_TITLE,), (_CONTENT,), *_pairs("feature", "Feature", "Title", "Text")),
    ),
    Template(
        key="quote",
        name="Quote",
        description="What somebody said, with their name.",
        structure=_form(
            (_BODY,),
            (
                Slot(key="author", type=SlotType.TEXT, label="Who said it"),
                Slot(key="role", type=SlotType.TEXT, label="Who that is"),
            ),
        ),
    ),
    Template(
        key="call-to-action",
        name="Call to action",
        description="One invitation with one button.",
        structure=_form((_HEADING,), (_CONTENT,), (_BUTTON,)),
    ),
    Template(
        key="faq",
        name="Questions and answers",
        description="Up to three questions with their answers.",
        structure=_form((_TITLE,), *_pairs("faq", "Question", "Question", "Answer")),
    ),
    Template(
        key="media",
        name="Film or sound",
        description="One film or sound with a caption.",
        structure=_form((_TITLE,), (Slot(key="media", type=SlotType.MEDIA, label="File", required=True),)),
    ),
)
