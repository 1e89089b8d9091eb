"""The tokens of a request's messages, estimated before it is sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from remit.core.patterns import lazy_pattern
from remit.record.current_run import CURRENT_RUN

PDF: Final = "application/pdf"
_BYTES_PER_TOKEN: Final = 4
_FILE_TOKENS: Final = 1_000
"""The tokens of a base64 file that is not an image, since providers do not count its letters."""
_IMAGE_TOKENS: Final = (
    ("claude", 4_784),  # the most that its models of high resolution count, after scaling
    ("gemini", 2_240),  # at the highest resolution
    ("gpt-4o-mini", 48_169),  # 8 tiles of 5,667, and 2,833
    ("gpt-4o", 1_445),  # 8 tiles of 170, and 85
    ("gpt-4.1-mini", 2_489),  # 1,536 patches at 1.62
    ("gpt-4.1-nano", 3_779),  # 1,536 patches at 2.46
    ("gpt-4.1", 1_536),
    ("mistral", 4_160),  # 64 by 64 patches of 16 pixels, and the ends of rows
    ("pixtral", 4_160),
    ("", 15_000),  # a photo of 12 megapixels in patches of 32 pixels at 1.2, as the newest models of OpenAI count it
)
"""The maximum tokens of an image by a part of the model's name; the first match applies. See compose-agents.md."""
_MIN_PDF_TOKENS: Final = 3_000
_BYTES_PER_PDF_TOKEN: Final = 8
"""A page is sent as text and as an image: at most 3,000 tokens for about 25 KB of an illustrated document."""
_EMBEDDED: Final = lazy_pattern(
    r'(data:image/[\w.+-]+;base64,)?[A-Za-z0-9+/_=-]{2000,}(?:",[^{}]{0,300}?"media_type":"(image/))?'
)
"""A Base64 file. If a group matched, it is an image in a URL or in PydanticAI's binary content."""
_LINKED: Final = lazy_pattern(r'"image_url":\{"url":"http|"kind":"image-url"')
_REFERENCE: Final = lazy_pattern(
    r'"digest\\*":\\*"(sha256:[0-9a-f]{64})\\*",\\*"size\\*":(\d+),\\*"media_type\\*":\\*"image/(?:png|jpeg|gif|webp)\b'
)


_PDF_REFERENCE: Final = lazy_pattern(_REFERENCE.pattern.replace("image/(?:png|jpeg|gif|webp)", PDF))


class Reads(NamedTuple):
    """The kinds of files that are sent to a model."""

    images: bool = True
    pdfs: bool = False
    others: bool = False


READS_IMAGES: Final = Reads()
"""The content that is sent to an unknown model."""


def image_tokens(model: str) -> int:
    """The maximum number of tokens of an image for the model with this name."""
    return next(tokens for part, tokens in _IMAGE_TOKENS if part in model.lower())


def estimate_tokens(texts: Iterable[str], model: str, *, reads: Reads = READS_IMAGES) -> int:
    """Estimate the tokens of texts, of files in them, and of images and PDFs that they reference or link to."""
    size = files = images = 0
    named: set[str] = set()
    pdfs: dict[str, int] = {}
    limit = CURRENT_RUN.get().limits.image_bytes
    for text in texts:
        embedded = _EMBEDDED.findall(text)
        files += embedded.count(("", ""))
        images += len(embedded) - embedded.count(("", "")) + len(_LINKED.findall(text))
        size += len(_EMBEDDED.sub("", text).encode(errors="replace"))
        named.update(digest for digest, length in _REFERENCE.findall(text) if int(length) <= limit)
        pdfs.update((digest, int(length)) for digest, length in _PDF_REFERENCE.findall(text) if reads.pdfs)
    tokens = -(-size // _BYTES_PER_TOKEN) + _FILE_TOKENS * files
    tokens += sum(max(_MIN_PDF_TOKENS, length // _BYTES_PER_PDF_TOKEN) for length in pdfs.values())
    return tokens + image_tokens(model) * (images + len(named)) if reads.images else tokens + _FILE_TOKENS * images
