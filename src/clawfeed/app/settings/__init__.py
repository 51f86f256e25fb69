"""Every setting: where it comes from, what it may hold, what it means to others."""
