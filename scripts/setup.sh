#!/bin/sh
# Make .venv from a hashed lock: `scripts/setup.sh requirements.lock`.
# Uses uv when it is present or can be installed (about ten times faster), plain pip otherwise.
set -eu
lock=$1
venv=.venv

python=
for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "ClawFeed needs Python 3.11 or newer; install it, or say PYTHON=/path/to/python make ..." >&2
    exit 1
fi

echo "Setting up $venv from $lock (once; a minute or two, and the network is needed)" >&2
# A virtual environment that was moved or half made is made again.
if ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
    echo "  1/3 making an environment with $("$python" --version)" >&2
    "$python" -m venv --clear "$venv"
fi

uv=$(command -v uv || true)
if [ -z "$uv" ]; then
    [ -x "$venv/bin/uv" ] || echo "  2/3 fetching uv, which installs faster than pip" >&2
    [ -x "$venv/bin/uv" ] || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv \
        >/dev/null 2>&1 || true
    [ -x "$venv/bin/uv" ] && uv="$venv/bin/uv"
fi

echo "  3/3 installing $(grep -c '^[a-z]' "$lock") packages, each checked by its hash" >&2
if [ -n "$uv" ]; then
    VIRTUAL_ENV=$PWD/$venv "$uv" pip install --quiet --require-hashes -r "$lock"
else
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
fi

sh scripts/install_command.sh "$venv" src
