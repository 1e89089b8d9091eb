"""Reading a line in a real terminal, where Ctrl-C may come at any moment."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time

import pytest

from tests.cli.kit import TAKE_TERMINAL, Cli, Talk

READER = """
from remit.cli.prompt import read_line
while True:
    try:
        print("read:", read_line("> "))
    except KeyboardInterrupt:
        print("heard")
    except EOFError:
        break
"""
DELAYS = [step * 20e-6 for step in range(20)]
"""Seconds between a key and Ctrl-C: about as long as the line editing takes from hearing of a key to reading it."""


def reading() -> Talk:
    return Talk(program=[sys.executable, "-c", TAKE_TERMINAL + READER])


@pytest.mark.process
def test_ctrl_c_is_heard_however_soon_it_follows_the_prompt_and_the_keys(cli: Cli) -> None:
    with reading() as talk:
        for delay in itertools.islice(itertools.cycle(DELAYS), 200):
            talk.until("> ")
            talk.type("half a mess")
            until = time.perf_counter() + delay
            while time.perf_counter() < until:
                pass
            talk.type("\x03")
            talk.until("heard")


@pytest.mark.process
def test_a_line_and_the_end_are_read_as_they_are_typed(cli: Cli) -> None:
    with reading() as talk:
        talk.until("> ")
        talk.type("hello\n")
        talk.until("read: hello")
        talk.until("> ")
        talk.type("\x04")
        assert talk.status() == 0


@pytest.mark.process
def test_without_a_terminal_lines_are_read_all_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-c", READER], input="one\ntwo\n", capture_output=True, text=True, timeout=180, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"> read: one{os.linesep}> read: two{os.linesep}> ")
