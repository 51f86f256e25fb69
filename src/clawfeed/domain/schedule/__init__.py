"""When to poll a source again, and by which rule."""
