"""The site that visitors see: live pages, images, previews by signed links, and a copy of it as files."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit_cms.site.asgi import Site

__all__ = ["Site"]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(__name__, {"remit_cms.site.asgi": ("Site",)})
