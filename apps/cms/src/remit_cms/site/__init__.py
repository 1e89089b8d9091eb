"""The site that visitors see: live pages, images, previews by signed links, and a copy of it as files."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from remit_cms.site.asgi import Site

__all__ = ["Site"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name != "Site":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from remit_cms.site.asgi import Site  # noqa: PLC0415 - tools need its neighbours, and not the whole site

        return Site
