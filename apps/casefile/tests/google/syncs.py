"""What the syncs of mail and of files have in common for a test: their side at the fake, and a keeper of copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.google.world import World
from remit_casefile.google.drive_sync import DriveSync
from remit_casefile.google.mailbox_sync import MailboxSync
from remit_casefile.google.payloads.sync import DriveSyncResult, MailboxSyncResult, SyncResult

S = TypeVar("S", bound=SyncResult)
Copied = dict[str, object]


class Side(Protocol[S]):
    """One kind of things at the fake, and the sync of them. ``start``, ``listing`` and ``changes`` are its methods."""

    start: str
    listing: str
    changes: str
    reads: Sequence[str]

    async def sync(self, token: str | None) -> S:
        """Sync."""
        ...

    def copied(self, synced: S) -> Copied:
        """What came, by id."""
        ...

    def there(self) -> Copied:
        """What there is, by id."""
        ...

    def put(self, count: int, *, scope: str = "") -> list[str]:
        """Put things in; their ids."""
        ...

    def change(self, key: str) -> None:
        """Change a thing, so that its copy is another."""
        ...

    def move(self, key: str, *, scope: str, into: bool) -> None:
        """Move a thing into a scope, or out of it."""
        ...

    def delete(self, key: str) -> None:
        """Delete a thing for good."""
        ...

    def forget(self) -> None:
        """Let every token be too old."""
        ...


class Mail:
    """Messages: copies hold their labels, and the scope is a label."""

    start, listing, changes = "gmail.users.getProfile", "gmail.users.messages.list", "gmail.users.history.list"
    reads: Sequence[str] = ("gmail.users.messages.get",)

    def __init__(self, world: World, *, scope: str | None = None, most: int | None = None) -> None:
        self._box = world.google.mailbox
        self._sync = MailboxSync(world.gmail, label_id=scope, max_messages=most, schedule=world.patience)

    async def sync(self, token: str | None) -> MailboxSyncResult:
        return await self._sync.sync(token)

    def copied(self, synced: MailboxSyncResult) -> Copied:
        return {message.id: message.label_ids for message in synced.messages}

    def there(self) -> Copied:
        return {key: stored.labels for key, stored in self._box.messages.items() if "TRASH" not in stored.labels}

    def put(self, count: int, *, scope: str = "") -> list[str]:
        labels = ["INBOX", *filter(None, [scope])]
        return [self._box.deliver(mail(subject=f"{number}"), *labels) for number in range(count)]

    def change(self, key: str) -> None:
        self._box.label(key, add="STARRED")

    def move(self, key: str, *, scope: str, into: bool) -> None:
        self._box.label(key, add=scope if into else "", remove="" if into else scope)

    def delete(self, key: str) -> None:
        self._box.delete(key)

    def forget(self) -> None:
        self._box.forget()


class Files:
    """Files: copies hold their names, and the scope is a folder."""

    start, listing, changes = "drive.changes.getStartPageToken", "drive.files.list", "drive.changes.list"
    reads: Sequence[str] = ()

    def __init__(self, world: World, *, scope: str | None = None) -> None:
        self._drive = world.google.drive
        self._sync = DriveSync(world.drive, folder_id=scope, schedule=world.patience)

    async def sync(self, token: str | None) -> DriveSyncResult:
        return await self._sync.sync(token)

    def copied(self, synced: DriveSyncResult) -> Copied:
        return {file.id: file.name for file in synced.files}

    def there(self) -> Copied:
        return {key: file["name"] for key, file in self._drive.files.items() if not file["trashed"]}

    def put(self, count: int, *, scope: str = "", trashed: bool = False) -> list[str]:
        parents = [scope or "root"]
        return [self._drive.put(f"file {each}", b"x", parents=parents, trashed=trashed) for each in range(count)]

    def change(self, key: str) -> None:
        self._drive.change(key, name="renamed")

    def move(self, key: str, *, scope: str, into: bool) -> None:
        self._drive.change(key, parents=[scope if into else "root"])

    def delete(self, key: str) -> None:
        self._drive.delete(key)

    def forget(self) -> None:
        self._drive.forget()


class Copies(Generic[S]):
    """A keeper of copies: it does what a sync tells it, and nothing else."""

    def __init__(self, side: Side[S]) -> None:
        self._side = side
        self.held: Copied = {}
        self.token: str | None = None

    async def update(self) -> S:
        """Sync, and keep what comes."""
        synced = await self._side.sync(self.token)
        self.token = synced.sync_token
        self.held |= self._side.copied(synced)
        gone = set(synced.removed)
        if synced.present is not None:
            gone |= set(self.held) - set(synced.present) - {each.what for each in synced.missing}
        self.held = {key: copy for key, copy in self.held.items() if key not in gone}
        return synced
