"""What an endpoint sends is read as far as a limit, over each of the ways to ask it."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from remit.chat.chat import ChatRequest, History
from remit.errors import CompletionError, ModelError, ModelRefusedError, ModelUnavailableError
from remit.models import PydanticAIModel
from remit.models.bounded_http import BoundedHttp, trusted_certificates
from remit.models.openai import OpenAI
from remit.record.arguments import Limits
from remit.record.current_run import CURRENT_RUN, CurrentRun
from remit.testing import read_only_ledger
from tests.loopback import Endpoint, answering, serve

LIMIT = 2 * Limits().reply_bytes
SPACES = " " * 65_536


def request() -> ChatRequest:
    text = '{"role":"user","content":"hi"}'
    return ChatRequest(agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=History([text]))


class EndlessAnswer:
    """An answer that would never end; ``sent`` counts its bytes."""

    def __init__(self, status: int = 200, **headers: str) -> None:
        self.sent = 0
        self.accepted: list[str] = []
        self._status, self._headers = status, {name.replace("_", "-"): value for name, value in headers.items()}

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.accepted.append(request.headers["accept-encoding"])
        return httpx2.Response(self._status, headers=self._headers, content=self._iterate())

    async def _iterate(self) -> AsyncIterator[bytes]:
        while True:
            self.sent += len(SPACES)
            yield SPACES.encode()


def client_of(answer: EndlessAnswer) -> BoundedHttp:
    return BoundedHttp(transport=httpx2.MockTransport(answer))


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_without_end_is_read_up_to_the_limit_and_closed(stream: bool) -> None:
    answer = EndlessAnswer()
    async with client_of(answer) as client:
        asked = client.build_request("POST", "http://model/v1")
        with pytest.raises(ModelError, match=f"longer than {LIMIT:,} bytes; it is not read further"):
            await client.send(asked, stream=stream)
    assert answer.sent <= LIMIT + 2 * len(SPACES)
    assert answer.accepted == ["identity"]


async def test_the_limit_is_that_of_the_run() -> None:
    token = CURRENT_RUN.set(CurrentRun(limits=Limits(reply_bytes=100)))
    try:
        async with client_of(answer := EndlessAnswer()) as client:
            with pytest.raises(ModelError, match="longer than 200 bytes"):
                await client.post("http://model/v1")
    finally:
        CURRENT_RUN.reset(token)
    assert answer.sent == len(SPACES)


async def test_an_error_without_end_keeps_its_status_and_its_beginning() -> None:
    async with client_of(answer := EndlessAnswer(400)) as client:
        response = await client.post("http://model/v1")
    assert (response.status_code, len(response.content)) == (400, 65_536)
    assert answer.sent <= 3 * len(SPACES)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_an_answer_that_is_compressed_unasked_is_refused(kind: str) -> None:
    def answer(_request: httpx2.Request) -> httpx2.Response:
        packed = gzip.compress(bytes(100_000_000), compresslevel=1)
        headers = {"content-encoding": "gzip", "content-type": kind}
        return httpx2.Response(200, headers=headers, stream=httpx2.ByteStream(packed))

    async with BoundedHttp(transport=httpx2.MockTransport(answer)) as client:
        with pytest.raises(CompletionError, match="compressed"):
            await client.send(client.build_request("POST", "http://model/v1"), stream=True)


async def test_a_stream_of_events_is_left_to_its_reader() -> None:
    async with client_of(answer := EndlessAnswer(content_type="text/event-stream")) as client:
        response = await client.send(client.build_request("POST", "http://model/v1"), stream=True)
        assert answer.sent == 0
        assert await anext(response.aiter_raw())
        await response.aclose()


async def ask_openai(url: str) -> None:
    async with OpenAI("m", base_url=url, api_key="k") as model:
        await model(request())


async def stream_openai(url: str) -> None:
    async with OpenAI("m", base_url=url, api_key="k") as model:
        await model.stream(request(), lambda _delta: None)


async def embed(url: str) -> None:
    async with OpenAI("m", base_url=url, api_key="k") as model:
        await model.embed_texts(["a"])


async def ask_pydantic(url: str, kind: Any) -> None:
    async with AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
        await PydanticAIModel(kind("m", provider=OpenAIProvider(openai_client=client)))(request())


async def ask_chat(url: str) -> None:
    await ask_pydantic(url, OpenAIChatModel)


async def ask_responses(url: str) -> None:
    await ask_pydantic(url, OpenAIResponsesModel)


@pytest.mark.parametrize("ask", [ask_openai, stream_openai, embed, ask_chat, ask_responses])
async def test_each_way_to_ask_reads_at_most_the_limit(ask: Any) -> None:
    body = json.dumps({"choices": [{"message": {"role": "assistant", "content": "x" * (LIMIT + 1)}}]})
    async with Endpoint(answering(200, body)) as endpoint:
        with pytest.raises(ModelError, match="it is not read further"):
            await ask(endpoint.url)


async def test_an_error_beyond_the_limit_is_still_that_of_its_status() -> None:
    async with Endpoint(answering(400, f"no such field{SPACES * 40}")) as endpoint:
        with pytest.raises(ModelRefusedError, match="400"):
            await ask_openai(endpoint.url)
        with pytest.raises(ModelRefusedError, match="400"):
            await ask_chat(endpoint.url)


@pytest.mark.parametrize("charset", ["undefined", "idna", "zip", "utf-16"])
@pytest.mark.parametrize("ask", [ask_openai, stream_openai, embed, ask_chat])
async def test_an_error_in_a_charset_that_no_page_has_is_still_that_of_its_status(ask: Any, charset: str) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 502 X\r\ncontent-type: text/html; charset={charset}\r\ncontent-length: 2\r\nconnection: close"
        writer.write(f"{head}\r\n\r\n".encode() + b"\xff\xfe")
        await writer.drain()

    async with serve(refuse) as port:
        with pytest.raises(ModelUnavailableError, match="502"):
            await ask(f"http://127.0.0.1:{port}/v1")


@pytest.mark.parametrize("ask", [ask_openai, stream_openai, embed, ask_chat])
async def test_a_redirect_is_refused_and_no_other_host_is_sent_anything(ask: Any) -> None:
    async with Endpoint(answering(200, "{}")) as elsewhere:

        async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            head = f"HTTP/1.1 307 X\r\nlocation: {elsewhere.url}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            writer.write(head.encode())
            await writer.drain()

        async with serve(redirect) as port:
            with pytest.raises(ModelError, match="307"):
                await ask(f"http://127.0.0.1:{port}/v1")
    assert elsewhere.heads == []


def test_clients_share_the_certificates_until_the_environment_names_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    usual = trusted_certificates(trust_env=True)
    assert trusted_certificates(trust_env=True) is usual
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert trusted_certificates(trust_env=True) is not usual
    assert trusted_certificates(trust_env=False) is trusted_certificates(trust_env=False)
