"""Conversations: list, read, rename, share, delete."""

from __future__ import annotations

from typing import Final

from remit.server.documents.conversations import (
    ConversationDocument,
    ConversationFileDocument,
    ConversationHistory,
    ConversationsQuery,
    RememberedDocument,
    Renaming,
    Sharing,
)
from remit.server.documents.document import Done, Listed
from remit.server.rest.operation import NoQuery, Operation, Sent

_ONE: Final = "/api/conversations/{conversation}"


async def list_conversations(sent: Sent[ConversationsQuery, None]) -> Listed[ConversationDocument]:
    """List conversations, the most recently active first."""
    asked = sent.query
    page = await sent.client.conversations(
        title=asked.title, status=asked.status, owner=asked.owner, before=asked.before, limit=asked.limit
    )
    return Listed(items=tuple(map(ConversationDocument.of, page.items)), next=page.next)


async def read_conversation(sent: Sent[NoQuery, None]) -> ConversationHistory:
    """Read a conversation with its runs."""
    name = sent.path["conversation"]
    return ConversationHistory.of(await sent.client.conversation(name), await sent.client.conversation_runs(name))


async def list_files(sent: Sent[NoQuery, None]) -> Listed[ConversationFileDocument]:
    """List the files of a conversation, the newest first. Read one with its ``conversation``."""
    found = await sent.client.conversation_files(sent.path["conversation"])
    return Listed(items=tuple(map(ConversationFileDocument.of, found)))


async def read_memory(sent: Sent[NoQuery, None]) -> Listed[RememberedDocument]:
    """The objects that the agent of a conversation remembers, the most recent first."""
    found = await sent.client.working_memory(sent.path["conversation"])
    return Listed(items=tuple(map(RememberedDocument.of, found)))


async def rename_conversation(sent: Sent[NoQuery, Renaming]) -> ConversationDocument:
    """Rename a conversation."""
    name = sent.path["conversation"]
    await sent.client.rename_conversation(name, sent.body.title)
    return ConversationDocument.of(await sent.client.conversation(name))


async def share_conversation(sent: Sent[NoQuery, Sharing]) -> ConversationDocument:
    """Share a conversation with another person, or stop sharing it."""
    name, asked = sent.path["conversation"], sent.body
    if asked.access:
        await sent.client.share_conversation(name, asked.principal, asked.access)
    else:
        await sent.client.unshare_conversation(name, asked.principal)
    return ConversationDocument.of(await sent.client.conversation(name))


async def delete_conversation(sent: Sent[NoQuery, None]) -> Done:
    """Delete a conversation: cancel its runs, and erase what they have recorded."""
    await sent.client.delete_conversation(sent.path["conversation"])
    return Done()


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/conversations",
        handle=list_conversations,
        answer=Listed[ConversationDocument],
        query=ConversationsQuery,
    ),
    Operation(method="GET", path=_ONE, handle=read_conversation, answer=ConversationHistory),
    Operation(method="GET", path=f"{_ONE}/files", handle=list_files, answer=Listed[ConversationFileDocument]),
    Operation(method="GET", path=f"{_ONE}/memory", handle=read_memory, answer=Listed[RememberedDocument]),
    Operation(method="PATCH", path=_ONE, handle=rename_conversation, answer=ConversationDocument, body=Renaming),
    Operation(
        method="POST", path=f"{_ONE}/share", handle=share_conversation, answer=ConversationDocument, body=Sharing
    ),
    Operation(method="DELETE", path=_ONE, handle=delete_conversation, answer=Done),
)
