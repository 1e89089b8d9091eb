"""PydanticAI's Tool, called by an agent of PydanticAI."""

import asyncio
from typing import Any

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, Tool, ToolCallPart
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from neighbours.governed import DESCRIPTIONS, SCHEMAS, call, check_tool


def build(name: str) -> Tool:
    """The tool for PydanticAI."""

    async def run(**arguments: Any) -> str:
        return await call(name, arguments)

    return Tool.from_schema(run, name=name, description=DESCRIPTIONS[name], json_schema=SCHEMAS[name])


async def invoke(name: str, arguments: dict[str, Any]) -> object:
    """Let an agent call it, and say what it returned."""

    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        found = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        return ModelResponse([TextPart(found[0].content) if found else ToolCallPart(name, arguments)])

    return (await Agent(FunctionModel(answer), tools=[build(name)]).run("Go.")).output


if __name__ == "__main__":
    asyncio.run(check_tool(invoke))
