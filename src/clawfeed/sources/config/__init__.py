"""What a source's config may hold, and what of it is secret."""
