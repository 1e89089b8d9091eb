"""Any OpenAI-compatible endpoint, by raw chat completions through the official client.

The request body is spliced from the wire texts of the history: a client that serialises messages again would change
their bytes. The client's own retries are off; retry is a layer.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit

from pydantic import PositiveFloat

from remit.core.argument_types import UNCHECKED, Name
from remit.core.call_checks import callback, check_arguments
from remit.lazy_exports import require_extra

with require_extra(__name__, "openai"):
    import openai
    from openai._constants import RAW_RESPONSE_HEADER

from remit.call.transient import is_transient
from remit.chat.chat import ChatRequest, Completion
from remit.chat.settings import ModelSettings
from remit.chat.streaming import Delta, whole_answer
from remit.chat.wire import to_request_text
from remit.core.checks import as_text_tuple, check_name
from remit.core.deadline import Deadline
from remit.errors import (
    CompletionError,
    ModelError,
    ModelUnavailableError,
    SetupError,
)
from remit.models.answer_stream import STREAM_FIELDS, AnswerStream, refuses_streams
from remit.models.bounded_http import BoundedHttp, is_event_stream, trusted_certificates
from remit.models.chat_completion import UNREADABLE, shorten_said
from remit.models.chat_response import read_response
from remit.models.headers import resolve_headers
from remit.models.openai_api import list_unsupported_settings, reads_pdfs_at, small_window_at, takes_json_schema
from remit.models.secret_key import bare_address
from remit.schemas.jsontext import compact_json

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


@check_arguments()
class OpenAI:
    """The model named ``model`` at an OpenAI-compatible endpoint.

    Args:
        timeout: for one request and its whole answer, in seconds; a slow stream gets no more.
        trust_env: whether to use the proxy settings of the environment.
        rewrite_message: replaces wire texts that the endpoint cannot read, even if it sent them itself.
        vendor: the provider's name, for spans.
        reads_images: whether the model receives the images of its input, or only their references.
        reads_pdfs: the same for PDFs; None for the endpoint's known ability: OpenAI's and OpenRouter's take them.
        context_tokens: the most tokens of a request and its answer; None for the endpoint's known limit. An agent also
            applies the limit that the endpoint states when it refuses a request as too long.

    Raises:
        SetupError: the address or the key is not valid.
    """

    def __init__(
        self,
        model: Name,
        *,
        base_url: str | None = None,
        api_key: Annotated[str, UNCHECKED],
        timeout: PositiveFloat = 600.0,
        trust_env: bool = True,
        rewrite_message: Annotated[Callable[[str], str], callback("text", is_async=False)] | None = None,
        vendor: str = "openai",
        reads_images: bool = True,
        reads_pdfs: bool | None = None,
        context_tokens: int | None = None,
    ) -> None:
        check_name("OpenAI: api_key", api_key, remedy="give a key")
        _check_endpoint(base_url, api_key)
        self.model = model
        self.vendor = vendor
        self.reads_images = reads_images
        self._rewrite_message = rewrite_message
        self._refuses_streams = False
        self._timeout = timeout
        http = BoundedHttp(trust_env=trust_env, verify=trusted_certificates(trust_env=trust_env))
        self._client = openai.AsyncOpenAI(
            base_url=base_url, api_key=api_key, max_retries=0, timeout=None, http_client=http
        )
        host = self._client.base_url.host
        self.reads_pdfs = reads_pdfs_at(host, model) if reads_pdfs is None else reads_pdfs
        self.context_tokens = context_tokens or small_window_at(host, model)

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Send one request.

        Raises:
            ModelError: the endpoint is unreachable or busy, refuses the request, or its answer is not a completion.
        """
        try:
            headers = {"Content-Type": "application/json", **await resolve_headers(request.settings)}
            body = build_body(self.model, request, self._rewrite_message)
            with self._whole_answer():
                answer = await self._client.post(
                    "/chat/completions", cast_to=bytes, content=body, options={"headers": headers}
                )
        except openai.OpenAIError as error:
            return self._read_error(error)
        return self._read(answer)

    async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        """Send one request for a stream; see `remit.agent.model.StreamsAnswers`. An endpoint may answer in one piece.

        Raises:
            ModelError: as above, or the answer was cut off in transit.
        """
        if self._refuses_streams:
            return await self(request)
        stream = AnswerStream(on_delta)
        try:
            with self._whole_answer():
                async with self._open_stream(request) as response:
                    if not is_event_stream(response):
                        return self._read(await response.read())
                    async for data in response.iter_bytes():
                        stream.add_bytes(data)
            body = stream.body()
        except openai.APIStatusError as error:
            if refuses_streams(error.status_code, error.message):
                self._refuses_streams = True
                return await self(request)
            return self._read_error(error)
        except openai.OpenAIError as error:
            return self._read_error(error)
        except UNREADABLE as error:
            what = f"the answer is not a stream of a chat completion: {error}"
            raise CompletionError(f"{self._source}: {what}") from error
        except Exception as error:
            if not is_transient(error):
                raise
            reason = str(error) or type(error).__name__
            raise ModelUnavailableError(f"{self._source} broke off: {reason}") from error
        return read_response(body.encode(errors="surrogatepass"), source=self._source)

    def _read(self, body: bytes, status: int = 200, headers: Mapping[str, str] = _NO_HEADERS) -> Completion:
        """Read a response.

        Raises:
            ModelError: the response is not a completion, nor a refusal of the provider's content filter.
        """
        return read_response(body, status, headers, source=self._source)

    def _read_error(self, error: openai.OpenAIError) -> Completion:
        """The answer to a request that the provider's content filter blocks.

        Raises:
            ModelError: all other errors.
        """
        if isinstance(error, openai.APIStatusError):
            response = error.response
            try:
                return self._read(response.content, error.status_code, response.headers)
            except ModelError as told:
                raise told from error
        raise self._to_model_error(error) from error

    @property
    def _source(self) -> str:
        return f"{self.model} at {bare_address(str(self._client.base_url))}"

    def _whole_answer(self) -> Deadline:
        return whole_answer(self._timeout, self._source)

    @contextlib.asynccontextmanager
    async def _open_stream(self, request: ChatRequest) -> AsyncGenerator[openai.AsyncAPIResponse[bytes]]:
        headers = {"Content-Type": "application/json", **await resolve_headers(request.settings)}
        body = build_body(self.model, request, self._rewrite_message).removesuffix(b"}")
        posting: Any = self._client.post(
            "/chat/completions",
            cast_to=bytes,
            content=b"%b,%b}" % (body, STREAM_FIELDS.encode()),
            options={"headers": {**headers, RAW_RESPONSE_HEADER: "stream"}},
        )
        response: openai.AsyncAPIResponse[bytes] = await posting
        try:
            yield response
        finally:
            await response.close()

    def list_unsupported(self, settings: ModelSettings, /) -> list[str]:
        """The names of the settings that the model is known to refuse, at OpenAI's own endpoint."""
        return list_unsupported_settings(self.model, settings) if self._is_openai else []

    async def supports_json_schema(self) -> bool:
        """Whether the model is known to take the JSON schema of an answer, as newer OpenAI models do."""
        return self._is_openai and takes_json_schema(self.model)

    @property
    def _is_openai(self) -> bool:
        return self._client.base_url.host == "api.openai.com"

    @property
    def origin(self) -> str:
        """The model and the host of its endpoint; see `remit.agent.model.HasOrigin`."""
        return f"{self.model} at {self._client.base_url.host}"

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def embed_texts(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """The vectors of texts, one for each, if this is an embedding model; see `remit.embeddings`.

        Raises:
            ModelError: as above.
            CompletionError: the answer does not have a vector for each text.
        """
        given = [*as_text_tuple("OpenAI.embed_texts: texts", texts)]
        try:
            with self._whole_answer():
                answer = await self._client.embeddings.create(model=self.model, input=given, encoding_format="float")
            vectors = [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]
        except openai.OpenAIError as error:
            self._read_error(error)
            raise CompletionError(f"{self._source} returned no vectors: its filter blocked the texts") from error
        except UNREADABLE as error:
            raise CompletionError(f"the answer of {self.model} has no vectors: {error}") from error
        if len(vectors) != len(given):
            raise CompletionError(f"{self.model} gave {len(vectors)} vectors for {len(given)} texts")
        return vectors

    def _to_model_error(self, error: openai.OpenAIError) -> ModelError:
        """The error for a client's error that is not a response."""
        if isinstance(error, openai.APITimeoutError):
            return ModelUnavailableError(f"{self._source} did not answer in time")
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__
            reason = f"{cause or error}; is the endpoint running?"
            return ModelUnavailableError(f"{self._source} cannot be reached: {reason}")
        return ModelError(f"{self._source}: {shorten_said(str(error))}")

    def __repr__(self) -> str:
        return f"OpenAI({self.model!r} at {bare_address(str(self._client.base_url))})"


def read_endpoint(environ: Mapping[str, str] = os.environ) -> tuple[str | None, str]:
    """The address in ``OPENAI_BASE_URL`` (None for OpenAI's own) and the key in ``OPENAI_API_KEY``.

    Raises:
        SetupError: there is no key, or one of the two is not valid. For an endpoint without keys, set the key to
            "none".
    """
    base_url, key = environ.get("OPENAI_BASE_URL") or None, environ.get("OPENAI_API_KEY", "")
    if not key and base_url is None:
        raise SetupError("OPENAI_API_KEY is not set; set it, or OPENAI_BASE_URL for an endpoint that needs no key")
    key = key or "none"
    _check_endpoint(base_url, key)
    return base_url, key


def from_environment(model: str, environ: Mapping[str, str] = os.environ) -> OpenAI:
    """Make the model of that name at the endpoint that the environment names.

    Raises:
        SetupError: see `read_endpoint`.
    """
    base_url, key = read_endpoint(environ)
    return OpenAI(model, base_url=base_url, api_key=key)


def _check_endpoint(base_url: str | None, api_key: str) -> None:
    """Check address and key early. The client checks them late and with the errors of other libraries."""
    bare = bare_address(base_url or "")
    try:
        _ = urlsplit(base_url or "").port
    except ValueError as error:
        raise SetupError(f"{bare!r} is not the address of an endpoint: host or port cannot be read") from error
    if not (base_url or "").isprintable():
        raise SetupError(f"{bare!r} is not the address of an endpoint: it has a character that cannot be seen")
    if not (api_key.isascii() and api_key.isprintable()):
        raise SetupError(
            "the API key has a character that an HTTP header cannot contain; copy it again, as plain ASCII"
        )


def build_body(model: str, request: ChatRequest, rewrite_message: Callable[[str], str] | None = None) -> bytes:
    """Build the request body: unchanged wire texts, and only the settings that are set. Audio is sent as its id."""
    texts = map(to_request_text, request.history)
    if rewrite_message is not None:
        texts = map(rewrite_message, texts)
    parts = [f'"model":{json.dumps(model)}', f'"messages":[{",".join(texts)}]']
    if len(request.tools):
        parts.append(f'"tools":{request.tools.text}')
    parts += [f'"{name}":{compact_json(value)}' for name, value in _settings_fields(request).items()]
    return f"{{{','.join(parts)}}}".encode()


def _settings_fields(request: ChatRequest) -> dict[str, Any]:
    """The settings as fields of the body. Endpoints refuse settings of tools in a request without tools."""
    fields = {name: value for name, value in request.settings.values.items() if name != "extra_headers"}
    if request.settings.forced_tool:
        fields["tool_choice"] = {"type": "function", "function": {"name": request.settings.forced_tool}}
    if not len(request.tools):
        fields = {name: value for name, value in fields.items() if name not in ("tool_choice", "parallel_tool_calls")}
    return fields | fields.pop("extra_body", {})
