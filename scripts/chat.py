"""Talks to the editor of the CMS, on a site that begins as the sample (``make chat``), or rehearses without a model.

Arguments are passed to ``remit run cms``. Without any, without ``REMIT_MODEL`` and without a terminal, or if the user
chooses so in one, a script takes the model's place. A model that is named is not asked without a message or a terminal.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which

from remit.home import data_folder
from remit.models.choice import REHEARSAL, ChoiceFile

ROOT = Path(__file__).parent.parent
REAL_MODEL = "OPENAI_API_KEY=… REMIT_MODEL=openai:gpt-5-mini make chat"
ASK_ONCE = "make chat ARGS='--ask \"Which pages are there?\"'"
FIND_REMIT = 'export PATH="$PWD/.venv/bin:$PATH"'
CHOICES = "d = download it, r = rehearse with a script, q = quit: "


def main(arguments: list[str]) -> int:
    """Talk, rehearse or quit; the exit status."""
    model = os.environ.get("REMIT_MODEL")
    if arguments or (model and sys.stdin.isatty()):
        return talk(*arguments)
    if model:
        print(f"There is no terminal to talk to {model} in. Ask it once: {ASK_ONCE}", file=sys.stderr)
        return 2
    if not sys.stdin.isatty():
        return rehearse("there is no terminal to talk in, and REMIT_MODEL names no model")
    return talk_or_offer()


def talk_or_offer() -> int:
    """Talk with the model that is chosen, or the local one; if its weights are missing, let the user choose."""
    weights = None if has_choice() else find_missing_weights()
    if weights is None:
        return talk()
    print(f"REMIT_MODEL names no model. With an API key: {REAL_MODEL}")
    print(f"Without one, the local model '{weights['name']}' ({weights['description']}) takes {weights['size']}, once.")
    match ask(CHOICES):
        case "d":
            return talk("--yes")
        case "r":
            return rehearse("REMIT_MODEL names no model")
        case _:
            return 0


def talk(*arguments: str) -> int:
    """Run ``remit run cms`` with the model that is set, or the local one."""
    status = remit("run", "cms", *arguments)
    print("See a page: make open PAGE=about", file=sys.stderr)
    if which("remit") is None:
        print(f"To run the commands above, which begin with remit: {FIND_REMIT}", file=sys.stderr)
    return status


def rehearse(reason: str) -> int:
    """Say first that it is a rehearsal and what to set for a model; then rehearse, in a folder of its own."""
    print(f"This is a rehearsal with a script: {reason}. For a real model: {REAL_MODEL}", file=sys.stderr, flush=True)
    return subprocess.call(["sh", str(ROOT / "scripts/rehearse")])


def has_choice() -> bool:
    """Whether a model is chosen in the console."""
    choice = ChoiceFile(data_folder(os.environ)).read()
    return choice is not None and choice.name != REHEARSAL


def find_missing_weights() -> dict[str, str] | None:
    """The local model that would be downloaded; None if it is here."""
    listed = subprocess.check_output([program(), "model", "list", "--json"], text=True)
    base = next(each for each in json.loads(listed)["models"] if each["name"] == "base")
    return None if base["path"] else {**base, "size": f"{base['bytes'] / 1e9:.1f} GB"}


def ask(question: str, letters: str = "drq") -> str:
    """One of ``letters``, asked for until it is typed; ``q`` at the end of the input."""
    try:
        while (letter := input(question).strip().lower()[:1]) not in tuple(letters):
            pass
    except EOFError:
        return "q"
    return letter


def remit(*arguments: str) -> int:
    """Run Remit's command line on a database whose first site is the sample."""
    return subprocess.call([program(), *arguments], env={**os.environ, "REMIT_CMS_SAMPLE": "1"})


def program() -> str:
    """The command line of the environment that runs this."""
    return str(Path(sys.executable).with_name("remit"))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
