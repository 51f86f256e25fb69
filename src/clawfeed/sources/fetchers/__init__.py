"""One fetcher per type of source: ask, and hand the answer to a parse worker."""
