"""`python -m clawfeed.cli` is `clawfeed`."""

from __future__ import annotations

import sys

from clawfeed.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
