"""Prints the secret of a webhook, for the server that checks its signatures: ``python -m remit_cms.webhooks ID``."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence

from remit.errors import ExternalError
from remit_cms.webhooks.signing import WebhookKey, write_secret


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the secret. It is derived from the operator's key, so that no database and no journal holds it."""
    parser = argparse.ArgumentParser(prog="python -m remit_cms.webhooks", description=__doc__)
    parser.add_argument("webhook", help="the id of the webhook, which cms_listWebhooks gives")
    given = parser.parse_args(arguments)
    try:
        print(write_secret(asyncio.run(WebhookKey().derive(given.webhook))))  # noqa: T201 - a command
    except ExternalError as error:
        raise SystemExit(error.message) from None


if __name__ == "__main__":
    main()
