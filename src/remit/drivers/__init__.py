"""The drivers that run agents with a vendor's library: PydanticAI's loop, on the chat port of the native driver."""
