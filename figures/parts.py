"""The parts of `make figures`: what measures each, and the mutants that its figures must notice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from figures import (
    acl_figure,
    agui,
    api,
    approval,
    approved_state,
    attach,
    audit,
    bijection,
    budgets,
    client,
    cms,
    cms_promotion,
    cms_replies,
    cms_webhooks,
    combinations,
    commonmark,
    confirm,
    conversations,
    corruption,
    crash,
    door,
    drift,
    edges,
    engine,
    evals,
    four_eyes,
    fuzz,
    gateway_credentials,
    governed,
    history,
    html,
    ladder,
    limits,
    loop,
    narrowing,
    open_run,
    order,
    outage,
    pins,
    policy,
    policy_lost,
    policy_trial,
    quirks,
    race,
    replay,
    retry,
    rules,
    run_index,
    scheduled,
    schedules,
    schemas,
    seal,
    secrets,
    shown,
    sign_in,
    ssrf,
    stream,
    tiers,
    tools,
    tools_day,
    untyped,
    views,
    watch,
    wire,
    workers,
)
from figures.alone import run_alone
from figures.figure import Figure
from figures.mutants import access as acl_mutants
from figures.mutants import agui as agui_mutants
from figures.mutants import api as api_mutants
from figures.mutants import approval as approval_mutants
from figures.mutants import approved_state as approved_state_mutants
from figures.mutants import attach as attach_mutants
from figures.mutants import audit as audit_mutants
from figures.mutants import budgets as budgets_mutants
from figures.mutants import client as client_mutants
from figures.mutants import cms as cms_mutants
from figures.mutants import cms_promotion as cms_promotion_mutants
from figures.mutants import cms_replies as cms_replies_mutants
from figures.mutants import cms_webhooks as cms_webhooks_mutants
from figures.mutants import combinations as combinations_mutants
from figures.mutants import commonmark as commonmark_mutants
from figures.mutants import confirm as confirm_mutants
from figures.mutants import conversations as conversations_mutants
from figures.mutants import corruption as corruption_mutants
from figures.mutants import crash as crash_mutants
from figures.mutants import door as door_mutants
from figures.mutants import drift as drift_mutants
from figures.mutants import edges as edges_mutants
from figures.mutants import engine as engine_mutants
from figures.mutants import evals as evals_mutants
from figures.mutants import four_eyes as four_eyes_mutants
from figures.mutants import fuzz as fuzz_mutants
from figures.mutants import gateway_credentials as gateway_credentials_mutants
from figures.mutants import governed as governed_mutants
from figures.mutants import history as history_mutants
from figures.mutants import html as html_mutants
from figures.mutants import ladder as ladder_mutants
from figures.mutants import limits as limits_mutants
from figures.mutants import loop as loop_mutants
from figures.mutants import narrowing as narrowing_mutants
from figures.mutants import open_run as open_run_mutants
from figures.mutants import order as order_mutants
from figures.mutants import outage as outage_mutants
from figures.mutants import pins as pins_mutants
from figures.mutants import policy as policy_mutants
from figures.mutants import policy_lost as policy_lost_mutants
from figures.mutants import policy_trial as policy_trial_mutants
from figures.mutants import quirks as quirks_mutants
from figures.mutants import race as race_mutants
from figures.mutants import replay as replay_mutants
from figures.mutants import retry as retry_mutants
from figures.mutants import rules as rules_mutants
from figures.mutants import run_index as run_index_mutants
from figures.mutants import scheduled as scheduled_mutants
from figures.mutants import schedules as schedules_mutants
from figures.mutants import schemas as schemas_mutants
from figures.mutants import seal as seal_mutants
from figures.mutants import secrets as secrets_mutants
from figures.mutants import shown as shown_mutants
from figures.mutants import sign_in as sign_in_mutants
from figures.mutants import ssrf as ssrf_mutants
from figures.mutants import stream as stream_mutants
from figures.mutants import tiers as tiers_mutants
from figures.mutants import tools as tools_mutants
from figures.mutants import untyped as untyped_mutants
from figures.mutants import views as views_mutants
from figures.mutants import watch as watch_mutants
from figures.mutants import wire as wire_mutants
from figures.mutants import workers as workers_mutants
from figures.mutants.mutant import KillRate, Mutant


class MeasurePart(Protocol):
    """Measures the figures of one part."""

    def __call__(self, *, short: bool) -> Iterable[Figure]:
        """The figures, one after the other; ``short`` takes a sample."""
        ...


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the promises: how its figures are measured, and their mutants."""

    measure: MeasurePart
    mutants: tuple[Mutant, ...]

    def kill_mutants(self, *, short: bool) -> dict[str, KillRate]:
        """Plant each mutant in a process of its own and measure the short form; ``short`` plants the first one."""
        rates: dict[str, KillRate] = {}
        for mutant in self.mutants[:1] if short else self.mutants:
            rate = rates.setdefault(mutant.figure, KillRate())
            rate.planted += 1
            (survival,) = run_alone(lambda mutant=mutant: [mutant.find_survival(self._sample)])
            if survival:
                rate.survivors.append(f"{mutant.figure}: {mutant.defect} ({survival})")
        return rates

    def _sample(self) -> Iterable[Figure]:
        return self.measure(short=True)


PARTS: Final = {
    "bijection": Part(bijection.figures, history_mutants.BIJECTION),
    "history": Part(history.figures, history_mutants.HISTORY),
    "seal": Part(seal.figures, seal_mutants.MUTANTS),
    "approval": Part(approval.figures, approval_mutants.MUTANTS),
    "approved-state": Part(approved_state.figures, approved_state_mutants.MUTANTS),
    "confirm": Part(confirm.figures, confirm_mutants.MUTANTS),
    "four-eyes": Part(four_eyes.figures, four_eyes_mutants.MUTANTS),
    "replay": Part(replay.figures, replay_mutants.MUTANTS),
    "views": Part(views.figures, views_mutants.MUTANTS),
    "run-index": Part(run_index.figures, run_index_mutants.MUTANTS),
    "schedules": Part(schedules.figures, schedules_mutants.MUTANTS),
    "order": Part(order.figures, order_mutants.MUTANTS),
    "conversations": Part(conversations.figures, conversations_mutants.MUTANTS),
    "scheduled": Part(scheduled.figures, scheduled_mutants.MUTANTS),
    "sign-in": Part(sign_in.figures, sign_in_mutants.MUTANTS),
    "ssrf": Part(ssrf.figures, ssrf_mutants.MUTANTS),
    "agui": Part(agui.figures, agui_mutants.MUTANTS),
    "api": Part(api.figures, api_mutants.MUTANTS),
    "stream": Part(stream.figures, stream_mutants.MUTANTS),
    "watch": Part(watch.figures, watch_mutants.MUTANTS),
    "edges": Part(edges.figures, edges_mutants.MUTANTS),
    "shown": Part(shown.figures, shown_mutants.MUTANTS),
    "evals": Part(evals.figures, evals_mutants.MUTANTS),
    "tools": Part(tools.figures, tools_mutants.MUTANTS),
    "tools-day": Part(tools_day.figures, tools_mutants.DAY),
    "outage": Part(outage.figures, outage_mutants.MUTANTS),
    "quirks": Part(quirks.figures, quirks_mutants.MUTANTS),
    "wire": Part(wire.figures, wire_mutants.MUTANTS),
    "limits": Part(limits.figures, limits_mutants.MUTANTS),
    "loop": Part(loop.figures, loop_mutants.MUTANTS),
    "budgets": Part(budgets.figures, budgets_mutants.MUTANTS),
    "retry": Part(retry.figures, retry_mutants.MUTANTS),
    "rules": Part(rules.figures, rules_mutants.MUTANTS),
    "race": Part(race.figures, race_mutants.MUTANTS),
    "audit": Part(audit.figures, audit_mutants.MUTANTS),
    "corruption": Part(corruption.figures, corruption_mutants.MUTANTS),
    "secrets": Part(secrets.figures, secrets_mutants.MUTANTS),
    "drift": Part(drift.figures, drift_mutants.MUTANTS),
    "governed": Part(governed.figures, governed_mutants.MUTANTS),
    "policy": Part(policy.figures, policy_mutants.MUTANTS),
    "policy-lost": Part(policy_lost.figures, policy_lost_mutants.MUTANTS),
    "policy-trial": Part(policy_trial.figures, policy_trial_mutants.MUTANTS),
    "acl": Part(acl_figure.figures, acl_mutants.MUTANTS),
    "client": Part(client.figures, client_mutants.MUTANTS),
    "open-run": Part(open_run.figures, open_run_mutants.MUTANTS),
    "attach": Part(attach.figures, attach_mutants.MUTANTS),
    "gateway-credentials": Part(gateway_credentials.figures, gateway_credentials_mutants.MUTANTS),
    "ladder": Part(ladder.figures, ladder_mutants.MUTANTS),
    "schemas": Part(schemas.figures, schemas_mutants.MUTANTS),
    "pins": Part(pins.figures, pins_mutants.MUTANTS),
    "cms": Part(cms.figures, cms_mutants.MUTANTS),
    "cms-promotion": Part(cms_promotion.figures, cms_promotion_mutants.MUTANTS),
    "cms-replies": Part(cms_replies.figures, cms_replies_mutants.MUTANTS),
    "cms-webhooks": Part(cms_webhooks.figures, cms_webhooks_mutants.MUTANTS),
    "tiers": Part(tiers.figures, tiers_mutants.MUTANTS),
    "html": Part(html.figures, html_mutants.MUTANTS),
    "commonmark": Part(commonmark.figures, commonmark_mutants.MUTANTS),
    "fuzz": Part(fuzz.figures, fuzz_mutants.MUTANTS),
    "untyped": Part(untyped.figures, untyped_mutants.MUTANTS),
    "combinations": Part(combinations.figures, combinations_mutants.MUTANTS),
    "door": Part(door.figures, door_mutants.MUTANTS),
    "narrowing": Part(narrowing.figures, narrowing_mutants.MUTANTS),
    "crash": Part(crash.figures, crash_mutants.MUTANTS),
    "engine": Part(engine.figures, engine_mutants.MUTANTS),
    "workers": Part(workers.figures, workers_mutants.MUTANTS),
}
