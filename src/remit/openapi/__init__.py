"""OpenAPI documents as sources of tools. Needs the extra ``openapi``."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.openapi.origin import OpenApiOrigin as OpenApiOrigin
    from remit.openapi.tools import OpenApi as OpenApi
else:
    __getattr__ = lazy_exports(
        __name__, extras=dict.fromkeys(("remit.openapi.origin", "remit.openapi.tools"), "openapi")
    )
