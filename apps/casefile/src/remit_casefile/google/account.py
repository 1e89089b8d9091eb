"""Google accounts, read from credentials files on first use."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from remit import Principal
from remit.errors import MissingCapabilityError, SetupError
from remit.secrets import Secret
from remit_casefile.google.session import Credentials
from remit_casefile.google.transport import Hosts, Transport, check_address

CREDENTIALS_VARIABLE: Final = "REMIT_GOOGLE_CREDENTIALS"
"""The environment variable that names the file with the credentials, or the folder with a file for each user."""
SUBJECT_VARIABLE: Final = "REMIT_GOOGLE_SUBJECT"
"""The environment variable that names the person as whom a service account acts."""
URL_VARIABLE: Final = "REMIT_GOOGLE_URL"
"""The environment variable that names another place for all three APIs: a proxy, or a server for tests."""

SCOPES: Final = (
    "https://www.googleapis.com/auth/gmail.readonly",
    "https://www.googleapis.com/auth/gmail.send",
    "https://www.googleapis.com/auth/drive.readonly",
    "https://www.googleapis.com/auth/drive.file",
    "https://www.googleapis.com/auth/spreadsheets",
)
"""What the operations need, and no more. Of an authorized user it is asked for when signing in."""

_FIX: Final = f"set {CREDENTIALS_VARIABLE} to the path of an authorized user's or a service account's JSON file"
_SecretText = Annotated[str, Field(min_length=8)]
"""A secret. A shorter one could not be kept out of texts."""


class _CredentialsFile(BaseModel):
    """Fields shared by both kinds of files."""

    model_config = ConfigDict(frozen=True)

    token_uri: str = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address


class _AuthorizedUser(_CredentialsFile):
    """A signed-in user, as written by `gcloud auth application-default login`."""

    type: Literal["authorized_user"]
    client_id: str
    client_secret: _SecretText
    refresh_token: _SecretText
    quota_project_id: str | None = None

    def build_credentials(self, subject: str | None) -> Credentials:
        """Credentials that renew themselves with the refresh token and act as this user only."""
        if subject is not None:
            raise MissingCapabilityError(
                f"{SUBJECT_VARIABLE} is for service accounts; these credentials are those of a person"
            )
        from google.oauth2.credentials import Credentials as UserCredentials  # noqa: PLC0415 - only signing in needs it

        return UserCredentials(
            None,
            refresh_token=_register_secret("refresh_token", self.refresh_token),
            token_uri=self.token_uri,
            client_id=self.client_id,
            client_secret=_register_secret("client_secret", self.client_secret),
            quota_project_id=self.quota_project_id,
        )


class _ServiceAccount(_CredentialsFile):
    """A service account, as exported by the Google Cloud console."""

    type: Literal["service_account"]
    client_email: str
    private_key: _SecretText

    def build_credentials(self, subject: str | None) -> Credentials:
        """Credentials that renew themselves with the key, for the account or the user it represents."""
        from google.oauth2.service_account import Credentials as ServiceCredentials  # noqa: PLC0415 - as above

        _register_secret("private_key", self.private_key)
        try:
            return ServiceCredentials.from_service_account_info(  # pyright: ignore[reportUnknownMemberType]  (untyped)
                self.model_dump(), scopes=SCOPES, subject=subject
            )
        except ValueError:
            # The error may quote the key.
            raise MissingCapabilityError(
                "the private_key of the credentials is not valid; download them again"
            ) from None


_CREDENTIALS_ADAPTER: Final[TypeAdapter[_AuthorizedUser | _ServiceAccount]] = TypeAdapter(
    Annotated[_AuthorizedUser | _ServiceAccount, Field(discriminator="type")]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The account that the Google tools of this process use: one for every caller, or one for each.

    Permissions such as `workspace:gmail:read` control its use.

    Args:
        file: the credentials file, or a folder with the files of users as ``TENANT/NAME.json``; None if not configured.
        subject: the user that a service account represents. A service account without one has no mailbox.
        hosts: the addresses of the APIs.
        owner: the user of a file in a folder, as told in errors; empty for an account of all.
    """

    file: Path | None = None
    subject: str | None = None
    hosts: Hosts = field(default_factory=Hosts)
    owner: str = ""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Account:
        """The account configured by environment variables. Nothing is read yet.

        Raises:
            SetupError: `REMIT_GOOGLE_URL` is not an address to which a token may be sent.
        """
        file, url = environ.get(CREDENTIALS_VARIABLE), environ.get(URL_VARIABLE)
        try:
            hosts = Hosts.all_at(url) if url else Hosts()
        except SetupError as error:
            raise SetupError(f"{URL_VARIABLE}: {error.message}") from error
        return cls(
            file=Path(file).expanduser() if file else None, subject=environ.get(SUBJECT_VARIABLE) or None, hosts=hosts
        )

    @property
    def is_folder(self) -> bool:
        """Whether each user has an account of their own."""
        return self.file is not None and self.file.is_dir()

    def of(self, principal: Principal) -> Account:
        """The account of a user, in a folder of accounts. Characters that a file name cannot hold are percent-encoded.

        Raises:
            MissingCapabilityError: a subject is configured, which would make all users one.
        """
        if self.subject is not None:
            raise MissingCapabilityError(
                f"{SUBJECT_VARIABLE} names one user for all, and {CREDENTIALS_VARIABLE} a folder with an account for "
                f"each; unset one"
            )
        if self.file is None or principal.is_anonymous:
            raise MissingCapabilityError(f"no Google account is connected: {_FIX}")
        file = self.file / _file_name(principal.tenant) / f"{_file_name(principal.name)}.json"
        return replace(self, file=file, owner=f"{principal.name} of {principal.tenant}")

    def transport(self) -> Transport:
        """A transport that signs in on first use."""
        return Transport(self.load_credentials, hosts=self.hosts)

    async def load_credentials(self) -> Credentials:
        """Load the credentials from their file, and register their secrets for redaction.

        Raises:
            MissingCapabilityError: there is no file, or it holds no usable credentials.
        """
        if self.file is None:
            raise MissingCapabilityError(f"no Google account is connected: {_FIX}")
        try:
            text = await asyncio.to_thread(self.file.read_text, encoding="utf-8")
        except (OSError, ValueError) as error:
            if self.owner and isinstance(error, FileNotFoundError):
                raise MissingCapabilityError(
                    f"no Google account for {self.owner}: put its credentials in {self.file}"
                ) from error
            raise MissingCapabilityError(
                f"{CREDENTIALS_VARIABLE}={self.file} cannot be read ({_describe_read_error(error)}): {_FIX}"
            ) from error
        try:
            read = _CREDENTIALS_ADAPTER.validate_json(text)
            check_address("token_uri", read.token_uri)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            problem = f"{where}: {first['msg']}" if where else first["msg"]
            raise MissingCapabilityError(
                f"{CREDENTIALS_VARIABLE}={self.file} holds no credentials ({problem}): {_FIX}"
            ) from None
        except SetupError as error:
            raise MissingCapabilityError(f"{CREDENTIALS_VARIABLE}={self.file}: {error.message}") from None
        return read.build_credentials(self.subject)


def _file_name(name: str) -> str:
    """A name as one part of a path."""
    quoted = quote(name, safe="@+ ")
    return quoted.replace(".", "%2E") if not quoted.strip(".") else quoted


def _register_secret(name: str, value: str) -> str:
    """Register a value as a secret, and return it."""
    return Secret(f"google:{name}", value).reveal()


def _describe_read_error(error: OSError | ValueError) -> str:
    return error.strerror or "an error" if isinstance(error, OSError) else "it is not text"
