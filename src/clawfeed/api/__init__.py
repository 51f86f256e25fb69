"""Reception for programs: the HTTP interface."""
