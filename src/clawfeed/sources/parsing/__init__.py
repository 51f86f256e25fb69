"""The parse workers: processes that can be killed, and how to talk to them."""
