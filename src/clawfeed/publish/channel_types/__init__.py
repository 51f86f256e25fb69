"""One file per kind of channel; each has its `TYPE`."""
