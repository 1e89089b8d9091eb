"""Messages to put into the mailbox."""

from __future__ import annotations

from email.message import EmailMessage


def mail(
    *,
    subject: str = "hello",
    text: str = "a line\n",
    html: str = "",
    attached: dict[str, bytes] | None = None,
    message_id: str = "<one@example.com>",
) -> bytes:
    """A message from Ann."""
    message = EmailMessage()
    message["From"], message["To"] = "Ann <ann@example.com>", "me@example.com"
    message["Subject"], message["Message-ID"] = subject, message_id
    if text:
        message.set_content(text)
    if html and text:
        message.add_alternative(html, subtype="html")
    elif html:
        message.set_content(html, subtype="html")
    for name, content in (attached or {}).items():
        message.add_attachment(content, maintype="application", subtype="pdf", filename=name)
    return message.as_bytes()
