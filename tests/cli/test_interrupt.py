"""Ctrl-C, as the signal that a process gets."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time

import pytest

from remit.chat.chat import decode_message
from remit.testing import calls
from tests.cli.kit import APP, PATIENCE, Cli, command


class Running:
    """A command whose stderr is read as it comes."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = b""

    def until(self, text: str) -> None:
        """Wait until ``text`` stands on stderr."""
        assert self.process.stderr is not None
        until = time.monotonic() + PATIENCE
        while text.encode() not in self.said:
            ready, _, _ = select.select([self.process.stderr], [], [], max(0.0, until - time.monotonic()))
            assert ready, f"no {text!r} in {self.said!r}"
            data = os.read(self.process.stderr.fileno(), 1 << 16)
            assert data, f"it ended without {text!r}: {self.said!r}"
            self.said += data

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> tuple[int, str]:
        """Wait for the end: exit status and the rest of stderr."""
        _, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, (self.said + err).decode()


@pytest.mark.process
def test_ctrl_c_ends_the_run_as_cancelled_with_a_valid_history(cli: Cli) -> None:
    cli.script(calls(("dawdle", {}), ("find", {"name": "bread"})), "Never.")
    running = Running("run", APP, "--ask", "go", "--conversation", "c")
    running.until("shop: dawdle")
    running.interrupt()
    status, err = running.end()
    assert (status, err.splitlines()[-1]) == (1, "remit: CANCELLED: stopped by Ctrl-C")
    (run,) = cli.runs()
    assert run.status == "cancelled"
    messages = [decode_message(text) for text in cli.history(run.run)]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool"]


@pytest.mark.process
@pytest.mark.parametrize("command", ["call", "resume"])
def test_ctrl_c_ends_a_run_of_one_tool_as_cancelled(cli: Cli, command: str) -> None:
    arguments = ("call", APP, "dawdle", "{}")
    if command == "resume":
        dying = Running(*arguments)
        dying.until("shop: dawdle")
        dying.process.kill()
        dying.end()
        run = cli.runs()[0].run
        cli.journal(lambda store: store.release(run, 1))
        arguments = ("resume", run, "--app", APP)
    running = Running(*arguments)
    running.until("shop: dawdle")
    running.interrupt()
    assert running.end()[0] == 1
    assert cli.runs()[0].status == "cancelled"


@pytest.mark.process
def test_a_second_ctrl_c_ends_the_process_at_once_and_the_run_can_be_resumed(cli: Cli) -> None:
    running = Running("call", APP, "linger", "{}")
    running.until("shop: linger")
    running.interrupt()
    running.until("shop: still here")
    running.interrupt()
    assert running.end()[0] == 130
    assert cli.runs()[0].status == "running"


@pytest.mark.process
def test_a_second_ctrl_c_ends_the_process_even_in_code_that_swallows_every_exception(cli: Cli) -> None:
    running = Running("call", APP, "cling", "{}")
    running.until("shop: cling")
    running.interrupt()
    assert running.end()[0] == 130
    assert cli.runs()[0].status == "running"
