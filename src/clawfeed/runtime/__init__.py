"""How work is stopped, repeated and retried: asyncio without anybody's rules."""
