"""What people do to sources: follow, edit, pause, merge, split, give up, poll now."""
