"""Errors as providers, gateways and model servers report them, with the required results."""

from __future__ import annotations

from typing import Any, Final

from remit.testing.provider_suite.shape import GOOD, HttpAnswer, Shape, completion, nest, whole

_TEXT: Final = completion({"content": "all done"})
_PAGE: Final = "<html><head><title>400 Bad Request</title></head><body>nginx</body></html>"
_TOO_MANY: Final = {
    "message": "Rate limit reached for model `m` on tokens per minute (TPM): Limit 6000, Used 5000, Requested 1011.",
    "type": "tokens",
    "code": "rate_limit_exceeded",
}


def _rest(body: object, status: int = 200, requests: int = 3) -> Shape:
    """An error after which a run rests: it may pass, so the request is repeated, or a person corrects it."""
    return Shape(answers=(whole(body, status),), rests=True, requests=requests)


def _correct(error: dict[str, Any], status: int = 400) -> Shape:
    return _rest({"error": error}, status, requests=1)


def _hold_back(error: dict[str, Any], text: str, status: int = 400) -> Shape:
    return Shape(answers=(whole({"error": error}, status),), text=text, requests=1)


IN_A_SUCCESS: Final[dict[str, Shape]] = {
    "an error without a code": _rest({"error": {"message": "Provider returned error"}}),
    "an error of an unknown code": _rest({"error": {"message": "Provider returned error", "code": "weird"}}),
    "an error with a code of 5,000 digits": _rest(
        {"error": {"message": "Provider returned error", "code": "4" * 5000}}
    ),
    "an error that is a text": _rest({"error": "boom"}),
    "an error that is true": _rest({"error": True, "message": "boom"}),
    "an error of Anthropic's API": _rest(
        {"type": "error", "error": {"type": "api_error", "message": "Internal server error"}}
    ),
    "an overload of Anthropic's API": _rest(
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    ),
    "an error of the way": _rest({"error": {"message": "upstream connect error", "type": "upstream_error"}}),
    "an unavailable service of Google": _rest({"error": {"status": "UNAVAILABLE", "message": "overloaded"}}),
    "a deadline of Google": _rest({"error": {"status": "DEADLINE_EXCEEDED", "message": "too slow"}}),
    "a number of Z.AI": _rest({"error": {"code": "1302", "message": "rate limit reached for requests"}}),
    "an error of MiniMax": _rest({"choices": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}}),
    "a detail": _rest({"detail": "busy"}),
    "a warning beside the answer": Shape(
        answers=(whole({**_TEXT, "error": {"code": "warning", "message": "deprecated"}}),), requests=1
    ),
}

REFUSALS: Final[dict[str, Shape]] = {
    "a page with 400": Shape(answers=(HttpAnswer(_PAGE, 400, media_type="text/html"),), rests=True, requests=3),
    "nothing with 400": _rest("", 400),
    "an error without a word, with 400": _rest({"error": {"code": 400, "param": None}}, 400),
    "an error that is nested too deeply, with 400": _rest({"error": nest(900)}, 400),
    "a page in an unknown charset": Shape(
        answers=(HttpAnswer("<html>", 502, media_type="text/html; charset=undefined"),), rests=True, requests=3
    ),
    "an unknown status": _rest("I am a teapot", 418),
    "a failed dependency": _rest("no", 424),
    "no capacity": _rest("capacity exceeded", 498),
    "an overload as 400": _rest({"error": {"message": "The server is overloaded", "type": "server_error"}}, 400),
    "a rate limit as 400": _rest({"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, 400),
    "a rate limit as 413": _rest({"error": _TOO_MANY}, 413),
    "a wrong key as 400": _correct({"message": "API key not valid.", "status": "INVALID_ARGUMENT"}),
    "no credit as 400": _correct({"message": "Your credit balance is too low.", "type": "invalid_request_error"}),
    "no such model as 400": _correct({"message": "Invalid model: m", "code": "model_not_found"}),
    "a model that is gone": _correct({"message": "model m has been deprecated"}, 410),
    "a proxy that wants a password": _rest("no", 407, requests=1),
    "a country": _rest("unavailable for legal reasons", 451, requests=1),
    "a call that the provider could not read": Shape(
        answers=(
            whole(
                {
                    "error": {
                        "message": "Failed to call a function. Please adjust your prompt.",
                        "type": "invalid_request_error",
                        "code": "tool_use_failed",
                        "failed_generation": '<function=look>{"what":"a"}</function>',
                    }
                },
                400,
            ),
            GOOD,
        ),
        requests=2,
    ),
    "JSON that the provider could not read": Shape(
        answers=(whole({"error": {"message": "Failed to generate JSON.", "code": "json_validate_failed"}}, 400), GOOD),
        requests=2,
    ),
    "an inspection of Alibaba": _hold_back(
        {"message": "Output data may contain inappropriate content.", "code": "data_inspection_failed"}, "inappropriate"
    ),
    "a prompt that OpenAI holds back": _hold_back(
        {"message": "Invalid prompt: we've limited access to it for safety reasons.", "code": "invalid_prompt"},
        "safety",
    ),
    "a limit that links to policies": _rest(
        {"error": {"message": "You send too much; see our usage guidelines", "type": "requests"}}, 429
    ),
    "an account that is flagged": _correct({"message": "The organization was flagged for unpaid invoices"}, 403),
    "a key that is flagged": _correct({"message": "The token was flagged as potentially public; make another"}, 401),
    "a limit with an object for a type": _rest({"error": {"message": "slower", "type": {"kind": "tokens"}}}, 429),
    "a failure with a list for a code": _rest({"error": {"message": "oh", "code": ["internal"], "param": {}}}, 500),
    "a policy of Azure": _hold_back({"message": "held back", "code": "ResponsibleAIPolicyViolation"}, "held back"),
    "a moderation before the model": _hold_back(
        {"message": "m requires moderation. Your input was flagged for violence.", "code": 403}, "violence", 403
    ),
}

ERRORS: Final[dict[str, Shape]] = {**IN_A_SUCCESS, **REFUSALS}
"""Errors that are recognised by their message or by a specific status."""
