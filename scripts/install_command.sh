#!/bin/sh
# The project itself in an environment, without a build backend: `scripts/install_command.sh .venv src`
# writes a path file, and the command `clawfeed` of three lines.
set -eu
venv=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)

site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$source" > "$site/clawfeed.pth"
cat > "$venv/bin/clawfeed" <<COMMAND
#!$venv/bin/python
import sys
from clawfeed.cli.main import main
if __name__ == "__main__":  # worker processes read this file, too
    sys.exit(main())
COMMAND
chmod +x "$venv/bin/clawfeed"
# Whoever runs it as a service may not write beside the code, and would compile it at every start.
"$venv/bin/python" -m compileall -q "$source"
