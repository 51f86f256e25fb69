"""What there is to follow: lists, adding, one source."""
