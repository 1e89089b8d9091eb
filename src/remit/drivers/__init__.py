"""The drivers of agents that a vendor's library runs: PydanticAI's loop, on the chat port of the native one."""
