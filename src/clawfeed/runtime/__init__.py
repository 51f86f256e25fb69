"""How work is stopped, repeated, retried and shared: asyncio without anybody's rules."""
