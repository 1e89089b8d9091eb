"""Guarded HTTP: requests to servers that others name, with limits on what may come back. Needs the extra ``http``."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.http.guarded import PUBLIC_ONLY as PUBLIC_ONLY
    from remit.http.guarded import GuardedHttp as GuardedHttp
    from remit.http.guarded import HttpLimits as HttpLimits
    from remit.http.guarded import HttpReply as HttpReply
else:
    __getattr__ = lazy_exports(__name__, extras={"remit.http.guarded": "http"})
