"""When a trigger comes, and which editions there are to be made then."""
