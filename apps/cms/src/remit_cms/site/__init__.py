"""The site that visitors see: live pages, images, previews by signed links, and a copy of it as files."""

from remit_cms.site.asgi import Site

__all__ = ["Site"]
