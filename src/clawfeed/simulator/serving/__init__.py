"""HTTP as an origin speaks it, well or badly."""
