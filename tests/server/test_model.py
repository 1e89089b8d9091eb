"""The operator chooses the model of a server while it runs; its key is in one private file and nowhere else."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from remit import Agent, App, Principal, Runtime
from remit.errors import ExternalError
from remit.export.jsonl import write_jsonl
from remit.models import Example, LocalModel
from remit.models.choice import ChoiceFile
from remit.server import build_server
from remit.server.model_switch import ModelSwitch
from remit.testing import Scripted, calls
from tests.cli.kit import PATIENCE
from tests.loopback import Answer, Endpoint, answering
from tests.server.shop import PEOPLE, Shop, authenticate, open_shop, refund

KEY = "canary-of-a-key"
HELLO = json.dumps({"choices": [{"message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}]})
REFUSED = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}})
OPERATOR = "olga"


@dataclass
class Weights:
    """Local models whose weights come in four pieces, from a source that a test releases piece by piece."""

    folder: Path
    released: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    pieces: int = 0
    failure: str = ""

    def downloadable(self) -> list[LocalModel]:
        path = self.folder / "base.gguf"
        return [LocalModel(name="base", description="small", size=4, path=path, is_downloaded=path.exists())]

    def download(self, name: str, on_progress: Callable[[int], object]) -> Path:
        while self.pieces < 4:
            on_progress(self.pieces)
            if not self.released.acquire(timeout=0.01):
                continue
            if self.failure:
                raise ExternalError(self.failure)
            self.pieces += 1
        (self.folder / f"{name}.gguf").touch()
        return self.folder / f"{name}.gguf"

    def check(self, name: str) -> None:
        """It is here."""

    @asynccontextmanager
    async def open(self, name: str) -> AsyncGenerator[Scripted]:
        yield Scripted([f"From {name}."])


@pytest.fixture(autouse=True)
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    found = Weights(tmp_path)
    for module in ("remit.server.weights", "remit.models.resolve"):
        monkeypatch.setattr(f"{module}.find_local_models", lambda: found)
    monkeypatch.setitem(PEOPLE, OPERATOR, Principal(OPERATOR, "bakery", frozenset({"*"})))
    monkeypatch.delenv("REMIT_MODEL", raising=False)
    return found


@contextmanager
def serve(
    folder: Path, model: Scripted | None = None, examples: Sequence[Example] = (), **environ: str
) -> Generator[Shop]:
    """A server whose agent has a model of its own, or asks the one that is chosen."""
    clerk = Agent("clerk", instructions="Help customers.", tools=[refund], model=model)
    runtime = Runtime(App(name="shop", agents=[clerk], examples=examples))
    runtime.add_principals(*PEOPLE.values())
    switch = ModelSwitch(runtime, ChoiceFile(folder), environ, tenant="bakery")
    with TestClient(build_server(runtime, authenticate, models=switch)) as browser:
        yield Shop(runtime, browser)


@contextmanager
def endpoint(shop: Shop, answer: Answer) -> Generator[Endpoint]:
    """An OpenAI-compatible endpoint on this machine."""
    portal = shop.browser.portal
    assert portal is not None
    with portal.wrap_async_context_manager(Endpoint(answer)) as found:
        yield found


def choose(shop: Shop, by: str = OPERATOR, **body: str) -> Any:
    return shop.ask("POST", "/api/model", by=by, json=body)


def read(shop: Shop) -> dict[str, Any]:
    return shop.ask("GET", "/api/model").json()


def ask(shop: Shop) -> str:
    run = shop.ask("POST", "/api/runs", json={"prompt": "Hello?"}).json()["run"]
    shop.settle(run)
    return run


def wait_for(look: Callable[[], dict[str, Any]], is_ready: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Look at a document until it is ready."""
    until = time.monotonic() + PATIENCE
    while not is_ready(found := look()):
        assert time.monotonic() < until, found
    return found


def finish(shop: Shop, run: str) -> dict[str, Any]:
    """The document of a run that goes on, when it has ended."""
    return wait_for(lambda: shop.ask("GET", f"/api/runs/{run}").json(), lambda found: found["status"] == "done")


def items(shop: Shop, run: str) -> str:
    portal = shop.browser.portal
    assert portal is not None
    return write_jsonl(portal.call(shop.runtime.store.read, run))


def test_a_run_without_a_model_rests_and_goes_on_when_one_is_chosen(tmp_path: Path) -> None:
    with serve(tmp_path) as shop:
        before = read(shop)
        run = ask(shop)
        rests = shop.ask("GET", f"/api/runs/{run}").json()
        with endpoint(shop, answering(200, HELLO)) as found:
            chosen = choose(shop, name="openai:tiny", key=KEY, address=found.url)
            assert chosen.status_code == 200, chosen.text
            done = finish(shop, run)
            assert f"authorization: bearer {KEY}" in found.heads[0]
    assert (before["source"], before["name"], before["mayChoose"], before["fixed"]) == ("none", "", False, "")
    assert rests["status"] == "stalled"
    assert "no model is chosen; choose one in the console" in json.dumps(rests)
    assert (chosen.json()["name"], chosen.json()["source"], chosen.json()["problem"]) == ("openai:tiny", "chosen", "")
    assert (done["status"], done["text"]) == ("done", "Hello.")


def test_the_key_is_in_its_file_and_nowhere_else(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serve(tmp_path) as shop:
        with endpoint(shop, answering(200, HELLO)) as found:
            told = [choose(shop, name="openai:tiny", key=f" {KEY}\n", address=found.url).text]
            told.append(items(shop, ask(shop)))
        with endpoint(shop, answering(401, REFUSED)) as found:
            told.append(choose(shop, name="openai:other", key=KEY, address=found.url).text)
        told += [json.dumps(read(shop)), shop.ask("GET", "/openapi.json").text, caplog.text]
    assert [KEY in each for each in told] == [False] * len(told)
    assert [each.name for each in tmp_path.iterdir() if KEY in each.read_text()] == ["model.json"]


def test_a_provider_that_repeats_the_key_later_does_not_bring_it_into_the_journal(tmp_path: Path) -> None:
    answers = iter([(200, HELLO), (401, REFUSED)])
    with serve(tmp_path) as shop, endpoint(shop, lambda _body: next(answers)) as found:
        assert choose(shop, name="openai:tiny", key=KEY, address=found.url).status_code == 200
        run = ask(shop)
        written = items(shop, run)
        assert shop.ask("GET", f"/api/runs/{run}").json()["status"] == "stalled"
    assert "Incorrect API key provided: [key]" in written
    assert KEY not in written


def test_a_model_that_does_not_answer_is_not_taken_and_the_reason_is_told(tmp_path: Path) -> None:
    with serve(tmp_path) as shop:
        with endpoint(shop, answering(401, REFUSED)) as found:
            refused = choose(shop, name="openai:tiny", key=KEY, address=found.url)
        others = [
            choose(shop, name="openai:tiny"),
            choose(shop, name="nonsense:tiny"),
            choose(shop, name="openai:tiny", key="env:REMIT_DATABASE"),
            choose(shop, name="rehearsal"),
            choose(shop, name=""),
        ]
        assert read(shop)["source"] == "none"
    assert (refused.status_code, refused.json()["code"]) == (400, "BAD_REQUEST")
    assert "Incorrect API key provided: [key]" in refused.json()["error"]
    assert [each.status_code for each in others] == [400] * 5
    assert "OPENAI_API_KEY is not set" in others[0].json()["error"]
    assert "there is no such provider" in others[1].json()["error"]
    assert "the application shop has no rehearsal" in others[3].json()["error"]
    assert not (tmp_path / "model.json").exists()


def test_a_choice_is_kept_for_the_next_start_until_it_is_forgotten(tmp_path: Path) -> None:
    with serve(tmp_path) as shop, endpoint(shop, answering(200, HELLO)) as found:
        choose(shop, name="openai:tiny", key=KEY, address=found.url)
    with serve(tmp_path) as shop:
        again = read(shop)
        gone = shop.ask("DELETE", "/api/model", by=OPERATOR).json()
    assert (again["name"], again["address"], again["keySource"]) == ("openai:tiny", found.url, "kept on the server")
    assert (gone["source"], gone["keySource"]) == ("none", "")
    assert not (tmp_path / "model.json").exists()


def test_a_choice_whose_key_is_gone_says_so(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text('{"name": "openai:tiny", "key": "env:OPENAI_API_KEY"}')
    (tmp_path / "model.json").chmod(0o600)
    with serve(tmp_path) as shop:
        found = read(shop)
    assert (found["name"], found["source"]) == ("openai:tiny", "none")
    assert "OPENAI_API_KEY, which is not set" in found["problem"]


def test_secrets_in_an_address_and_keys_for_a_typed_address_are_refused_and_told_nobody(tmp_path: Path) -> None:
    served = serve(tmp_path, STRIPE_API_KEY=KEY, OPENAI_API_KEY=KEY)
    with served as shop, endpoint(shop, answering(200, HELLO)) as found:
        with_user = found.url.replace("://", f"://user:{KEY}@")
        refused = [
            choose(shop, name="openai:tiny", key="sk-12345678", address=with_user),
            choose(shop, name="openai:tiny", key="sk-12345678", address=f"{found.url}?api-key={KEY}"),
            choose(shop, name="openai:tiny", key="env:OPENAI_API_KEY", address=found.url),
            choose(shop, name="openai:tiny", key="env:STRIPE_API_KEY"),
            choose(shop, name="rehearsal", key="env:STRIPE_API_KEY"),
        ]
        assert found.heads == []
    assert [each.status_code for each in refused] == [400] * 5
    assert not any(KEY in each.text for each in refused)
    assert not (tmp_path / "model.json").exists()


def test_a_choice_of_old_with_a_password_in_its_address_is_not_used_and_not_shown(tmp_path: Path) -> None:
    old = {"name": "openai:tiny", "address": f"http://user:{KEY}@two.example/v1?key={KEY}"}
    (tmp_path / "model.json").write_text(json.dumps(old))
    (tmp_path / "model.json").chmod(0o600)
    with serve(tmp_path) as shop:
        found = read(shop)
    assert (found["source"], found["address"]) == ("none", "http://two.example/v1")
    assert KEY not in json.dumps(found)


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/api/model"), ("DELETE", "/api/model"), ("DELETE", "/api/model/weights")]
)
def test_only_who_may_choose_models_does(tmp_path: Path, method: str, path: str) -> None:
    body = {"json": {"name": "openai:tiny"}} if method == "POST" else {}
    with serve(tmp_path) as shop:
        # Grace has no such permission, and Eve owns another tenant, whose prompts all others would see.
        denied = [shop.ask(method, path, by=name, **body) for name in ("grace", "eve")]
    assert [each.status_code for each in denied] == [403, 403]
    assert "needs the permission models:choose, in the operator's tenant" in denied[0].json()["error"]


def test_where_the_environment_names_the_model_nobody_chooses(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"script": ["Scripted."]}')
    with serve(tmp_path, REMIT_MODEL=f"scripted:{script}") as shop:
        assert shop.ask("GET", f"/api/runs/{ask(shop)}").json()["text"] == "Scripted."
        found, refused = read(shop), choose(shop, name="openai:tiny", key=KEY)
        fetched = shop.ask("POST", "/api/model/weights", by=OPERATOR, json={"name": "base"})
    assert (found["source"], found["isScript"], found["weights"]) == ("environment", True, [])
    assert found["fixed"] == f"REMIT_MODEL names the model scripted:{script}; unset it to choose one here"
    assert (refused.status_code, refused.json()["error"]) == (409, found["fixed"])
    assert fetched.status_code == 409


def test_where_agents_have_their_own_models_nobody_chooses(tmp_path: Path) -> None:
    with serve(tmp_path, model=Scripted(["Mine."])) as shop:
        assert shop.ask("GET", f"/api/runs/{ask(shop)}").json()["text"] == "Mine."
        assert (read(shop)["source"], read(shop)["fixed"]) == ("application", "the application sets its models")
        (agent,) = shop.ask("GET", "/api/me").json()["application"]["agents"]
        assert agent["model"] == "scripted:scripted (no model)"
        assert choose(shop, name="openai:tiny").status_code == 409
    with open_shop() as mounted:
        assert (read(mounted)["source"], choose(mounted, name="openai:tiny").status_code) == ("application", 409)


def fetch(shop: Shop, method: str = "POST", name: str = "base") -> Any:
    body = {"json": {"name": name}} if method == "POST" else {}
    return shop.ask(method, "/api/model/weights", by=OPERATOR, **body)


def until(shop: Shop, state: str) -> dict[str, Any]:
    """The weights when they are in that state."""
    return wait_for(lambda: read(shop)["weights"][0], lambda found: found["state"] == state)


def wait_for_bytes(shop: Shop, done: int) -> dict[str, Any]:
    """The weights when that many bytes are here."""
    return wait_for(lambda: read(shop)["weights"][0], lambda found: found["done"] >= done)


def test_weights_are_fetched_and_answer_when_they_are_here(tmp_path: Path, weights: Weights) -> None:
    with serve(tmp_path) as shop:
        assert read(shop)["weights"] == [
            {"name": "base", "description": "small", "size": 4, "done": 0, "state": "absent", "problem": ""}
        ]
        assert fetch(shop).status_code == 202
        assert fetch(shop).status_code == 202, "it is being fetched"
        weights.released.release(2)
        assert wait_for_bytes(shop, 2)["state"] == "fetching"
        weights.released.release(2)
        assert until(shop, "here")["done"] == 4
        wait_for(lambda: read(shop), lambda found: found["source"] != "none")
        assert (read(shop)["source"], read(shop)["name"], read(shop)["problem"]) == ("weights", "local:base", "")
    with serve(tmp_path) as shop:
        assert read(shop)["name"] == "local:base", "the next start finds them"


def test_a_fetch_is_stopped_and_continued(tmp_path: Path, weights: Weights) -> None:
    with serve(tmp_path) as shop:
        fetch(shop)
        weights.released.release(3)
        wait_for_bytes(shop, 3)
        stopped = fetch(shop, "DELETE").json()["weights"][0]
        assert (stopped["state"], stopped["done"]) == ("stopped", 3)
        fetch(shop)
        weights.released.release()
        assert until(shop, "here")["done"] == 4
        assert fetch(shop, name="none").status_code == 404


def test_a_fetch_that_fails_says_why_and_is_tried_again(tmp_path: Path, weights: Weights) -> None:
    weights.failure = "no space left"
    with serve(tmp_path) as shop:
        fetch(shop)
        weights.released.release()
        assert until(shop, "failed")["problem"] == "no space left"
        weights.failure = ""
        fetch(shop)
        weights.released.release(4)
        assert until(shop, "here")["problem"] == ""


def test_a_server_that_ends_ends_its_fetch(tmp_path: Path, weights: Weights) -> None:
    with serve(tmp_path) as shop:
        fetch(shop)
        wait_for_bytes(shop, 0)
    assert weights.pieces == 0


def test_chosen_weights_are_loaded_before_they_are_taken(tmp_path: Path, weights: Weights) -> None:
    (tmp_path / "base.gguf").touch()
    with serve(tmp_path) as shop:
        assert choose(shop, name="local:base").status_code == 200
        assert read(shop)["source"] == "chosen"
        assert shop.ask("GET", f"/api/runs/{ask(shop)}").json()["text"] == "From base."


REFUND = Example(
    prompt="Refund order A-7.",
    note="Asks first",
    script=(calls(("refund", {"order": "A-7"})), {"ifDone": "It is refunded.", "ifRefused": "It stays."}),
)


@pytest.mark.parametrize(("approved", "said"), [(True, "Script: It is refunded."), (False, "Script: It stays.")])
def test_the_rehearsal_is_played_over_http_to_its_end(tmp_path: Path, approved: bool, said: str) -> None:
    with serve(tmp_path, examples=[REFUND]) as shop:
        (example,) = shop.ask("GET", "/api/me").json()["application"]["examples"]
        assert read(shop)["hasRehearsal"]
        chosen = choose(shop, name="rehearsal").json()
        run = shop.ask("POST", "/api/runs", json={"prompt": example["prompt"]}).json()["run"]
        shop.settle(run)
        (question,) = shop.ask("GET", "/api/questions", by="grace").json()["items"]
        assert "A script makes the calls here" in shop.ask("GET", f"/approvals/{question['id']}", by="grace").text
        answer = shop.ask("POST", f"/api/questions/{question['id']}/decision", by="grace", json={"approved": approved})
        assert answer.status_code == 200
        seen = finish(shop, run)
        other = shop.ask("GET", f"/api/runs/{ask(shop)}").json()
    assert (chosen["name"], chosen["source"], chosen["isScript"]) == ("rehearsal", "rehearsal", True)
    assert chosen["description"] == "a script, not a model"
    assert (seen["status"], seen["text"]) == ("done", said)
    assert (other["status"], other["text"].partition(".")[0]) == (
        "done",
        "Script: I am not a model, and know only these sentences",
    )
    with serve(tmp_path, examples=[REFUND]) as shop:
        assert read(shop)["source"] == "rehearsal", "the next start goes on with it"
    with serve(tmp_path) as shop:
        assert read(shop)["source"] == "none", "another application has none"
