"""Messages of real providers, as their documents and issue threads show them, each with where its shape comes from.

Texts are JSON as providers write it: the order of keys, the spelling of numbers and escapes are theirs.
"""

from __future__ import annotations

from typing import Final, NamedTuple

CALL: Final = '"function":{"name":"look","arguments":"{\\"page\\": \\"about\\"}"}'


class Shape(NamedTuple):
    """A message, other fields of its choice and of the response around it, and where the shape comes from.

    ``legal`` is what goes back where a strict endpoint would refuse the message.
    """

    message: str
    source: str
    choice: str = '"logprobs":null'
    response: str = '"object":"chat.completion"'
    legal: str = ""


def _called(fields: str, call_fields: str = '"id":"call_1","type":"function"', function: str = CALL) -> str:
    """A message that calls ``look``, with ``fields`` of its own."""
    return f'{{"role":"assistant",{fields}"tool_calls":[{{{call_fields},{function}}}]}}'


SHAPES: Final[dict[str, Shape]] = {
    "openai, text": Shape(
        '{"role":"assistant","content":"Hello, caf\\u00e9!","refusal":null,"annotations":[]}',
        "https://platform.openai.com/docs/api-reference/chat/object",
        response='"service_tier":"default","system_fingerprint":null',
    ),
    "openai, a call": Shape(
        _called('"content":null,"refusal":null,"annotations":[],'),
        "https://platform.openai.com/docs/guides/function-calling?api-mode=chat",
    ),
    "openai, parallel calls": Shape(
        '{"role":"assistant","content":null,"tool_calls":['
        f'{{"id":"call_1","type":"function",{CALL}}},{{"id":"call_2","type":"function",{CALL}}}],"refusal":null}}',
        "https://platform.openai.com/docs/guides/function-calling?api-mode=chat#parallel-function-calling",
    ),
    "openai, a refusal": Shape(
        '{"role":"assistant","content":null,"refusal":"I\'m sorry, I cannot assist with that.","annotations":[]}',
        "https://platform.openai.com/docs/guides/structured-outputs?api-mode=chat#refusals",
    ),
    "openai, web search": Shape(
        '{"role":"assistant","content":"See [the page](https://example.com/a).","refusal":null,"annotations":'
        '[{"type":"url_citation","url_citation":{"end_index":37,"start_index":4,"title":"A","url":'
        '"https://example.com/a"}}]}',
        "https://platform.openai.com/docs/guides/tools-web-search?api-mode=chat#output-and-citations",
    ),
    "openai, speech": Shape(
        '{"role":"assistant","content":null,"refusal":null,"audio":{"id":"audio_1","data":"UklGRgA=","expires_at":'
        '1729018505,"transcript":"A golden retriever is a family dog."}}',
        "https://platform.openai.com/docs/guides/audio?api-mode=chat#multi-turn-conversations (sent back as its id)",
    ),
    "openai, a custom tool": Shape(
        _called(
            '"content":null,',
            '"id":"call_1","type":"custom"',
            '"custom":{"name":"look","input":"anything, not JSON"}',
        ),
        "openai-python, types/chat/chat_completion_message_custom_tool_call.py",
        legal=_called(
            '"content":null,',
            function='"function":{"name":"look","arguments":"{\\"input\\":\\"anything, not JSON\\"}"}',
        ),
    ),
    "openai, log probabilities": Shape(
        '{"role":"assistant","content":"Hi","refusal":null}',
        "https://platform.openai.com/docs/api-reference/chat/create#chat-create-logprobs",
        choice='"logprobs":{"content":[{"token":"Hi","logprob":-0.31725305,"bytes":[72,105],"top_logprobs":[]}],'
        '"refusal":null}',
    ),
    "deepseek": Shape(
        _called(
            '"content":"","reasoning_content":"The user wants a page.",', '"index":0,"id":"call_00","type":"function"'
        ),
        "https://api-docs.deepseek.com/guides/thinking_mode (400 without the field after a call)",
        response='"system_fingerprint":"fp_1"',
    ),
    "deepseek, text": Shape(
        '{"role":"assistant","content":"9.8 is greater.","reasoning_content":"Compare 9.80 and 9.11."}',
        "https://api-docs.deepseek.com/guides/thinking_mode",
    ),
    "gemini": Shape(
        '{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"CpcHAdHtim9+q/4="}},'
        f'{CALL},"id":"function-call-1","type":"function"}}]}}',
        "https://ai.google.dev/gemini-api/docs/thought-signatures; openai/openai-agents-python#2137 (400 without)",
    ),
    "gemini, text": Shape(
        '{"content":"Hello.","extra_content":{"google":{"thought_signature":"AbCd/+=="}},"role":"assistant"}',
        "https://ai.google.dev/gemini-api/docs/openai",
    ),
    "openrouter": Shape(
        _called(
            '"content":"","refusal":null,"reasoning":"Let me look.","reasoning_details":[{"type":'
            '"reasoning.text","text":"Let me.","signature":"sig+/=","format":"anthropic-claude-v1","index":0},{"type":'
            '"reasoning.encrypted","data":"gAAAAA==","id":"rs_1","format":"openai-responses-v1","index":1}],',
            '"index":0,"id":"toolu_1","type":"function"',
        ),
        "https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning",
        choice='"logprobs":null,"native_finish_reason":"tool_use"',
        response='"provider":"Anthropic"',
    ),
    "anthropic's openai endpoint": Shape(
        _called('"content":"I\'ll look.","refusal":null,"annotations":null,"audio":null,"function_call":null,'),
        "https://docs.anthropic.com/en/api/openai-sdk#response-fields",
    ),
    "mistral, thinking": Shape(
        '{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}],"closed":true},'
        '{"type":"text","text":"Done."}],"tool_calls":null,"prefix":false}',
        "https://docs.mistral.ai/capabilities/reasoning; spring-projects/spring-ai#5020",
    ),
    "mistral, references": Shape(
        '{"role":"assistant","tool_calls":null,"content":[{"type":"text","text":"Paris"},{"type":"reference",'
        '"reference_ids":[0,1]},{"type":"text","text":"."}]}',
        "https://docs.mistral.ai/capabilities/citations",
    ),
    "ollama, arguments as an object": Shape(
        _called(
            '"content":"","thinking":"Hm.",', '"id":"call_1"', '"function":{"name":"look","arguments":{"page":"a"}}'
        ),
        "https://github.com/ollama/ollama/blob/main/docs/api.md; ollama/ollama#6155",
        legal=_called(
            '"content":"","thinking":"Hm.",',
            '"id":"call_1"',
            '"function":{"name":"look","arguments":"{\\"page\\":\\"a\\"}"},"type":"function"',
        ),
    ),
    "ollama, one id for all calls": Shape(
        '{"role":"assistant","content":"","tool_calls":['
        f'{{"id":"call_1","index":0,"type":"function",{CALL}}},{{"id":"call_1","index":1,"type":"function",{CALL}}}]}}',
        "ollama/ollama#6155 and servers built on it",
    ),
    "llama.cpp": Shape(
        _called(
            '"reasoning_content":"Hm.","content":null,',
            '"type":"function"',
            '"function":{"name":"look","arguments":{"page":"a","scale":1.50}},"id":"AbC1"',
        ),
        "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md; ggml-org/llama.cpp#20198",
        response='"timings":{"prompt_n":25,"predicted_ms":1.5e+03,"cache_n":236}',
        legal=_called(
            '"reasoning_content":"Hm.","content":null,',
            '"type":"function"',
            '"function":{"name":"look","arguments":"{\\"page\\":\\"a\\",\\"scale\\":1.5}"},"id":"AbC1"',
        ),
    ),
    "vllm": Shape(
        _called(
            '"content":null,"refusal":null,"annotations":null,"audio":null,"function_call":null,"reasoning":"Hm.",',
            '"id":"chatcmpl-tool-1","type":"function"',
        ),
        "https://docs.vllm.ai/en/stable/features/reasoning_outputs/",
        choice='"logprobs":null,"stop_reason":null,"token_ids":null',
        response='"prompt_logprobs":null,"kv_transfer_params":null',
    ),
    "vllm, no calls": Shape(
        '{"role":"assistant","content":"Hi","reasoning_content":null,"tool_calls":[]}',
        "https://docs.vllm.ai/en/v0.8.3/features/reasoning_outputs.html",
        choice='"logprobs":null,"stop_reason":151645',
    ),
    "azure": Shape(
        '{"annotations":[],"content":"Hi","refusal":null,"role":"assistant","context":{"citations":[{"title":"A",'
        '"score":0.10}]}}',
        "https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter; @azure/openai, ChatChoice",
        choice='"logprobs":null,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}',
        response='"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"jailbreak":{"detected":false,'
        '"filtered":false}}}]',
    ),
    "groq": Shape(
        _called('"reasoning":"Hm.",', '"id":"fc_1","type":"function"'),
        "https://console.groq.com/docs/reasoning; groq/groq-python#185",
        response='"usage_breakdown":null,"x_groq":{"id":"req_1"},"service_tier":"on_demand"',
    ),
    "xai": Shape(
        _called('"content":"","reasoning_content":"Thinking... ","refusal":null,'),
        "https://docs.x.ai/docs/guides/function-calling; /docs/guides/live-search (citations beside the choices)",
        response='"citations":["https://x.ai/news"],"system_fingerprint":"fp_1"',
    ),
    "together": Shape(
        _called('"content":null,', '"index":0,"id":"call_1","type":"function"'),
        "https://docs.together.ai/docs/function-calling",
        choice='"logprobs":null,"seed":10899782334862823000,"text":null',
        response='"prompt":[]',
    ),
    "qwen": Shape(
        _called('"content":"","reasoning_content":"\\u597d\\u7684",', '"index":0,"id":"call_1","type":"function"'),
        "https://help.aliyun.com/zh/model-studio/deep-thinking (Model Studio, OpenAI-compatible)",
    ),
    "half a surrogate pair": Shape(
        '{"role":"assistant","content":"cut \\ud83d","tool_calls":[{"id":"call_1","type":"function","function":'
        '{"name":"look","arguments":"{\\"page\\": \\"\\ud83d\\"}"}}]}',
        "servers that cut between two tokens of an emoji; RFC 8259, section 8.2",
        legal='{"role":"assistant","content":"cut \\ufffd","tool_calls":[{"id":"call_1","type":"function","function":'
        '{"name":"look","arguments":"{\\"page\\": \\"\\ufffd\\"}"}}]}',
    ),
    "null arguments, no id": Shape(
        _called('"content":null,', '"id":null,"type":"function"', '"function":{"name":"look","arguments":null}'),
        "https://docs.together.ai/docs/function-calling and servers for local models, for tools without parameters",
        legal=_called('"content":null,', '"id":null,"type":"function"', '"function":{"name":"look","arguments":"{}"}'),
    ),
    "empty arguments": Shape(
        _called('"content":null,', function='"function":{"name":"look","arguments":""}'),
        "https://docs.vllm.ai/en/latest/features/tool_calling.html: tools that are called without arguments",
        legal=_called('"content":null,', function='"function":{"name":"look","arguments":"{}"}'),
    ),
    "no content": Shape(_called(""), "https://platform.openai.com/docs/api-reference/chat: `content` is optional"),
    "empty content": Shape(_called('"content":"",'), "https://docs.mistral.ai/capabilities/function_calling"),
    "an escaped a lone surrogate": Shape(
        _called('"content":null,', function='"function":{"name":"look","arguments":"{\\"page\\":\\"\\\\ud83d\\"}"}'),
        "models that escape an emoji by halves; RFC 8259, section 8.2",
        legal=_called(
            '"content":null,', function='"function":{"name":"look","arguments":"{\\"page\\":\\"\\\\ufffd\\"}"}'
        ),
    ),
    "escapes alone": Shape('{"role":"assistant","content":"caf\\u00e9"}', "writers of JSON that keep to ASCII"),
    "numbers and escapes": Shape(
        '{"role":"assistant","content":"a\\/b","scores":[1.10,1e-07,1E5,-0.0,12345678901234567890123],"z":{},"a":[]}',
        "RFC 8259, sections 6 and 7: spellings that other writers choose",
    ),
}
