"""HTTP itself: the application, problems, headers, limits, what a request may hold."""
