"""Whether the server lives, and whether it can work; for load balancers, which do not sign in."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from remit.server.documents.document import Document
from remit.server.responses import write_document
from remit.server.serving import Serving


class Health(Document):
    """``ok``: the process answers; ``stopping``: it takes no new work."""

    status: str


def health_routes(serving: Serving) -> list[Route]:
    """The routes ``/health`` and ``/ready``."""

    async def health(_request: Request) -> Response:
        return write_document(Health(status="ok"))

    async def ready(_request: Request) -> Response:
        if serving.stopping.is_set():
            return write_document(Health(status="stopping"), 503)
        return write_document(Health(status="ok"))

    return [Route("/health", health), Route("/ready", ready)]
