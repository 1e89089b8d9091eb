"""Distinguishes transient errors, such as a lost connection, from permanent ones."""

from __future__ import annotations

import errno
import socket
import ssl
from typing import Final, cast

_TRANSIENT_TYPES: Final = (ConnectionError, TimeoutError, socket.gaierror)
_TRANSIENT_ERRNOS: Final = frozenset({errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTUNREACH})
_HTTPX: Final = frozenset({"NetworkError", "TimeoutException", "RemoteProtocolError", "ProxyError"})
_TRANSIENT_NAMES: Final = {
    "httpx": _HTTPX,
    "httpx2": _HTTPX,
    "httpcore": _HTTPX,
    "requests": frozenset({"ConnectionError", "Timeout", "ChunkedEncodingError"}),
    "urllib3": frozenset({"ProtocolError", "TimeoutError", "NewConnectionError"}),
    "aiohttp": frozenset({"ClientConnectionError", "ClientPayloadError"}),
    "http": frozenset({"IncompleteRead", "BadStatusLine"}),
    "ssl": frozenset({"SSLError"}),
}
"""Base classes by top-level module. Most belong to libraries that Remit does not import."""


def is_transient(error: BaseException) -> bool:
    """Whether ``error`` comes from a connection, a name server or a time limit, so that another attempt may succeed.

    A group is transient if all of its errors are. A rejected certificate stays rejected.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_transient, cast("BaseExceptionGroup[BaseException]", error).exceptions))
    if isinstance(error, ssl.SSLCertVerificationError):
        return False
    if isinstance(error, _TRANSIENT_TYPES) or (isinstance(error, OSError) and error.errno in _TRANSIENT_ERRNOS):
        return True
    for each in type(error).__mro__:
        if each.__name__ in _TRANSIENT_NAMES.get(each.__module__.partition(".")[0], ()):
            return True
    reason: object = vars(error).get("reason")  # errors of urllib and urllib3 wrap the connection's error
    return isinstance(reason, BaseException) and is_transient(reason)
