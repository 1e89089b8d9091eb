"""Checks the facts of a tool against the signature of its function."""

from __future__ import annotations

from typing import Any

from remit.call.contract import InputSchema
from remit.call.facts import Effect, Facts
from remit.call.sentence_checks import check_sentences
from remit.call.signature import Signature
from remit.call.typed_schema import contracts_are_checked
from remit.errors import ContractError


def check_facts(name: str, signature: Signature, facts: Facts) -> None:
    """Refuse facts that the signature of a tool's function contradicts.

    Raises:
        ContractError: says which, and what to write.
    """
    if signature.makes_calls and facts.effect is not Effect.COMPOSED:
        raise ContractError(
            f"{name} asks for a Context, to call other tools, so its effect is COMPOSED; ask for a LeafContext if it "
            f"touches the world itself"
        )
    if facts.effect is Effect.KEYED and not signature.wants_context:
        raise ContractError(
            f"{name} is KEYED but cannot see its key: take `ctx: LeafContext` first and write under ctx.key, or "
            "declare another effect"
        )
    if contracts_are_checked():
        return
    check_sentences(name, facts, signature.schema_in, signature.schema_out)
    if facts.confirm is not None and not _is_flag(signature.schema_in, facts.confirm):
        raise ContractError(f"{name}: confirm={facts.confirm!r} must name a boolean parameter whose default is False")


def _is_flag(schema: InputSchema[Any], name: str) -> bool:
    """Whether a parameter is a boolean that is False by default. Models need not be told of it."""
    told = schema.json_schema.get("properties", {}).get(name)
    if told is not None:
        return told.get("type") == "boolean" and told.get("default") is False
    fields = schema.model.model_fields.items()
    return any(name in (key, each.alias) and each.annotation is bool and each.default is False for key, each in fields)
