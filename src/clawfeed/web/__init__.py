"""Reception for people: the pages."""
