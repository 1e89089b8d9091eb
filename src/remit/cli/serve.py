"""``remit serve``: serves an application over HTTP."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import Struct

from remit.cli.client import LocalClient, open_client
from remit.cli.engine import ENGINE_VARIABLE, LOCAL_DATA_HELP, choose_engine, find_executed_app, make_engine
from remit.cli.provider import find_provider
from remit.cli.status import ExitStatus, UsageError
from remit.lazy_exports import require_extra

if TYPE_CHECKING:
    from remit.app import App
    from remit.engine.port import Engine
    from remit.runtime import Runtime
    from remit.server.guard import GuardSettings
    from remit.server.model_switch import ModelInUse
    from remit.server.people.provider_client import ProviderClient

_LOOPBACK: Final = "127.0.0.1"
_PORTS: Final = range(8420, 8440)


class _Options(Struct, frozen=True, kw_only=True):
    engine: str
    concurrency: int
    tls_files: tuple[Path | None, Path | None]
    console: Path | None


def serve(
    app: Annotated[str, typer.Argument(metavar="APP", help="The application, or package.module:attribute.")],
    *,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = _LOOPBACK,
    port: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=65535, help="The port; 0 for any free one. The first free one from 8420."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option("--host-name", metavar="NAME", help="The name under which browsers reach it, without the port."),
    ] = None,
    certificate: Annotated[Path | None, typer.Option(metavar="FILE", help="A certificate in PEM, for TLS.")] = None,
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="The key of the certificate, in PEM.")] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="The address or network of a proxy with TLS before this server."),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="An origin whose scripts may use API tokens: https://app.example."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many runs to execute at once; 0 leaves them to executors.")
    ] = 8,
    engine: Annotated[
        str, typer.Option(metavar="NAME", envvar=ENGINE_VARIABLE, help="local or dbos; see the guide on scaling out.")
    ] = "local",
    local_data: Annotated[bool, typer.Option("--local-data", help=LOCAL_DATA_HELP)] = False,
    console: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The built web console; that of the package by default.")
    ] = None,
) -> int:
    """Serve an application over HTTP, and execute its runs.

    By default it listens on this machine alone and prints a link that signs you in once. For other machines it needs
    people, TLS or a proxy that has it, and the name of the host. It runs until Ctrl-C or SIGTERM. A run that does not
    finish or suspend within ten seconds is released for another process. A second Ctrl-C exits at once.
    """
    with require_extra("remit serve", "server"):
        from remit.server.guard import GuardSettings
    if (certificate is None) != (key is None):
        raise UsageError("a certificate and its key belong together; give --certificate FILE and --key FILE")
    guard = GuardSettings(
        hosts=GuardSettings().hosts | frozenset([*(name or ()), host]),
        tls=certificate is not None or bool(proxy),
        proxies=tuple(proxy or ()),
        origins=frozenset(origin or ()),
    )
    with open_client() as client:
        found = find_executed_app(client, app, local_data=local_data)
        _check_host(client, host, guard, has_name=bool(name))
        serving = _Options(
            engine=choose_engine(engine), concurrency=concurrency, tls_files=(certificate, key), console=console
        )
        _serve_app(client, found, (host, _PORTS if port is None else [port]), guard, serving)
    return ExitStatus.DONE


def _serve_app(
    client: LocalClient, app: App, address: tuple[str, Sequence[int]], guard: GuardSettings, options: _Options
) -> None:
    """Serve an application until a signal. On this machine alone, print a link for its user."""
    from remit.cli.state_key import find_state_key
    from remit.mcp.settings import McpSettings
    from remit.server.app import build_server
    from remit.server.binding import is_loopback
    from remit.server.console import check_console
    from remit.server.listening import listen, serve_until_stopped
    from remit.server.model_switch import ModelSwitch
    from remit.server.people.access import build_access
    from remit.server.people.sign_in import SignIn
    from remit.server.serving import ServerSettings

    console = check_console(options.console)
    sign_in = SignIn(client.people, client.store, clock=client.clock)
    access = build_access(sign_in, guard, _make_provider_client(client))
    runtime = client.runtime(app)
    models = ModelSwitch(runtime, client.model_choice, client.environ, tenant=client.principal.tenant)
    server = build_server(
        runtime,
        access.authenticate,
        ServerSettings(concurrency=options.concurrency),
        engine=_make_engine(client, runtime, options),
        routes=access.routes,
        middleware=access.middleware,
        operations=access.operations,
        console=options.console,
        models=models,
        mcp=McpSettings(key=find_state_key(client)),
    )
    certificate, key = options.tls_files
    with listen(*address) as socket:
        url = f"{'https' if certificate else 'http'}://{_in_url(address[0])}:{socket.getsockname()[1]}"
        print(f"serving {app.name} on {url}", file=sys.stderr)
        if is_loopback(address[0]) and not guard.proxies:
            secret = client.wait(sign_in.make_link(client.principal))
            print(f"sign in once, within 15 minutes: {url}/login/link?secret={secret}", file=sys.stderr, flush=True)
        print(_describe_model(models.in_use, url), file=sys.stderr)
        print(console, file=sys.stderr, flush=True)
        client.wait(serve_until_stopped(server, socket, certificate=certificate, key=key))


def _make_engine(client: LocalClient, runtime: Runtime, options: _Options) -> Engine | None:
    """The engine of an application's server; None for the local one, which the server makes itself."""
    from remit.server.app import ErrorLog

    if options.engine == "local":
        return None
    return make_engine(
        client,
        options.engine,
        runtime.resume,
        applications=[runtime.app.name],
        concurrency=options.concurrency or 1,
        report=ErrorLog(),
    )


def _make_provider_client(client: LocalClient) -> ProviderClient | None:
    """The client of the OpenID provider of ``config.toml``; None if it names none.

    Raises:
        SetupError: its secret is not set.
    """
    provider = find_provider(client.users)
    if provider is None:
        return None
    with require_extra("[sign_in] of config.toml", "oidc"):
        from remit.server.people.provider_client import ProviderClient
    return ProviderClient(provider)


def _check_host(client: LocalClient, host: str, guard: GuardSettings, *, has_name: bool) -> None:
    """Refuse to serve other machines without people, TLS and a name.

    Raises:
        SetupError: says what is missing. UsageError: the name is missing.
    """
    from remit.server.binding import check_binding, is_loopback

    people = client.wait(client.people.directory.list_people(client.principal.tenant))
    has_people = any(each.password for each in people) or client.users.sign_in is not None
    check_binding(host, tls=guard.tls and not guard.proxies, proxy=bool(guard.proxies), has_people=has_people)
    if not is_loopback(host) and not has_name:
        raise UsageError("give the name under which browsers reach the server: --host-name remit.example")


def _describe_model(used: ModelInUse, url: str) -> str:
    """Which model answers, or where to choose one."""
    problem = used.find_problem()
    if not problem:
        return f"the model: {used.description}"
    return problem if used.source == "environment" else f"no model answers yet; choose one: {url}/settings/model"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
