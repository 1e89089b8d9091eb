"""Runs llama.cpp's HTTP server for one GGUF file on a free local port, for the duration of a block.

The server is a child process. So the threads, signals, output and memory of the native library stay out of this
process, and its OpenMP settings are set before it is loaded. The child exits when the pipe to its parent closes, so it
ends with the parent, however that ends.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final, Protocol, cast

from remit.errors import RemitError
from remit_local.gguf import GgufValue, read_metadata

_OPENMP_ENVIRONMENT: Final = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0"}
"""Threads that wait must sleep: spinning ones take the cores from the threads they wait for."""

_MAX_THREADS: Final = 8
"""Memory, not arithmetic, is what more threads would wait for."""

_AFTER_SUCCESS: Final = (
    "Do not call this again. If the user asked for something else too, make that call now. If all is done, tell the "
    "user the result in one sentence."
)
_AFTER_FAILURE: Final = (
    "This call failed. Read the error, correct the call, and make it once more. If it cannot be corrected, tell the "
    "user why in one sentence."
)
_HAS_FAILED: Final = """'"success":false' in message.content and 'REPEATED_CALL' not in message.content"""

_TEMPLATE_FIXES: Final = {
    "</tool_call>": "```",
    "<tool_call>": "```json",
    "</tool_response>": rf"</tool_response>\n' ~ ('{_AFTER_FAILURE}' if {_HAS_FAILED} else '{_AFTER_SUCCESS}') ~ '",
}
"""What to write in Qwen2.5-Coder's template for its own words: it puts calls in a JSON block whatever tags it is
shown. After a reply it repeats the call without end unless it is told not to, and gives up after an error."""

_SHUTDOWN_SECONDS: Final = 2.0
"""Seconds that a child is given to end by itself; one in the middle of an answer is then killed, and loses nothing."""


class ServingError(RemitError, code="SERVING_ERROR"):
    """A local model could not be served. The message is one line: problem, file and fix."""

    def __init__(self, what: str, *, where: object, fix: str) -> None:
        super().__init__(f"{what} ({where}): {fix}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """Address and key of the served model's OpenAI-compatible API."""

    base_url: str
    api_key: str = field(repr=False)
    model: str


CONTEXT_TOKENS: Final = 8192
"""The most tokens of a request, with its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options that are passed to the child process."""

    path: str
    model: str
    template: str
    """The chat template; empty for the file's own."""
    context: int
    threads: int


def choose_template(head: Mapping[str, GgufValue]) -> str:
    """The chat template that replaces the file's own; empty if the file's own is correct."""
    template = str(head.get("tokenizer.chat_template", ""))
    if head.get("general.basename") != "Qwen2.5-Coder" or "<tool_call>" not in template:
        return ""
    for own, better in _TEMPLATE_FIXES.items():
        template = template.replace(own, better)
    return template


def make_serve_options(path: Path, *, context: int, threads: int) -> ServeOptions:
    """Make the options for a file. Raises `GgufError` if the file is not a model."""
    head = read_metadata(path)
    trained = head.get(f"{head.get('general.architecture')}.context_length")
    return ServeOptions(
        path=str(path.absolute()),
        model=path.stem,
        template=choose_template(head),
        context=min(context, trained) if isinstance(trained, int) else context,
        threads=threads,
    )


@contextmanager
def serve(
    path: Path, *, context: int = CONTEXT_TOKENS, threads: int | None = None, load_timeout: float = 120.0
) -> Generator[ServedModel]:
    """Serve a GGUF file for the duration of the block. Entering it waits until the model is loaded.

    ``context`` is in tokens and limited to the model's own; ``load_timeout`` is in seconds. Raises `GgufError` if the
    file is not a model, `ServingError` if it cannot be served.
    """
    options = make_serve_options(path, context=context, threads=threads or min(os.cpu_count() or 1, _MAX_THREADS))
    if find_spec("xllamacpp") is None:
        how = "in a checkout of Remit, run: pip install ./packages/remit-local"
        raise ServingError("the runtime of local models is missing", where="xllamacpp", fix=how)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log, _start_child(options, log) as child:
        load_timer = threading.Timer(load_timeout, child.kill)
        load_timer.start()
        try:
            line = cast("IO[str]", child.stdout).readline()  # at the child's end, for whatever reason, an empty one
        finally:
            load_timer.cancel()
        if not line:
            raise _make_load_error(options, log, load_timeout)
        yield ServedModel(**cast("dict[str, str]", json.loads(line)))


@contextmanager
def _start_child(options: ServeOptions, log: IO[str]) -> Generator[subprocess.Popen[str]]:
    """Start the child process, which ends with the block."""
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "remit_local.serving", json.dumps(asdict(options))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        encoding="utf-8",
        env={**os.environ, **_OPENMP_ENVIRONMENT},
        start_new_session=True,  # the terminal's Ctrl-C is for us
    ) as child:
        try:
            yield child
            with suppress(subprocess.TimeoutExpired):
                child.communicate(timeout=_SHUTDOWN_SECONDS)  # closes the pipe, which is its sign to stop
        finally:
            child.kill()


def _make_load_error(options: ServeOptions, log: IO[str], load_timeout: float) -> ServingError:
    log.seek(0)
    words, _, _ = log.read().partition("Traceback (most recent call last)")
    output = " ".join(words[-400:].split()) or f"nothing was said within {load_timeout:g} s"
    how = "check that the file is whole and that there is memory for it"
    return ServingError(f"the model did not load: {output}", where=options.path, fix=how)


class _Threads(Protocol):
    n_threads: int


class _Sampling(Protocol):
    temp: float


class _Model(Protocol):
    path: str


class _Params(Protocol):
    """The parameters of llama.cpp that are set here."""

    model: _Model
    model_alias: set[str]
    hostnames: list[str]
    port: int
    api_keys: list[str]
    cors_origins: str
    ui: bool
    endpoint_slots: bool
    use_jinja: bool
    chat_template: str
    n_ctx: int
    n_parallel: int
    cache_ram_mib: int
    cpuparams: _Threads
    cpuparams_batch: _Threads
    sampling: _Sampling
    verbosity: int


class _Server(Protocol):
    listening_address: str


class _Runtime(Protocol):
    """The functions of the native library that are used here."""

    def CommonParams(self) -> _Params: ...  # noqa: N802
    def Server(self, params: _Params, /) -> _Server: ...  # noqa: N802


def make_parameters(runtime: _Runtime, options: ServeOptions, api_key: str) -> _Params:
    """The parameters of the server. Answers are repeatable: a request that wants others sets a temperature."""
    params = runtime.CommonParams()
    params.model.path = options.path
    params.model_alias = {options.model}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [api_key]  # other users of this machine, and pages in its browsers, can reach the port too
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.use_jinja = True
    params.chat_template = options.template
    params.n_ctx = options.context
    params.n_parallel = 1
    params.sampling.temp = 0.0
    params.cache_ram_mib = 512
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    params.verbosity = 1
    return params


def main(options: ServeOptions, output: IO[str], stop_stream: IO[str]) -> None:
    """Serve, write the address as one line to ``output``, and stop when ``stop_stream`` ends."""
    api_key = secrets.token_urlsafe()
    runtime = cast("_Runtime", import_module("xllamacpp"))
    server = runtime.Server(make_parameters(runtime, options, api_key))
    served = ServedModel(base_url=f"{server.listening_address}/v1", api_key=api_key, model=options.model)
    output.write(json.dumps(asdict(served)) + "\n")
    output.flush()
    stop_stream.read()
    del server


if __name__ == "__main__":
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as _report:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what the native library prints goes to the log
        main(ServeOptions(**json.loads(sys.argv[1])), _report, sys.stdin)
