#!/bin/sh
# What some tests need beside Python: installed where that is allowed, else named.
set -eu

# Looks at pages for what shuts people out. A tool of the tests (MPL-2.0), fetched by name and
# version and never part of what we ship; its folder goes with the environment.
AXE=axe-core@4.14.0
axe_folder=.venv/node

axe() {
    grep -q '"version": "'"${AXE#*@}"'"' "$axe_folder/node_modules/axe-core/package.json" 2>/dev/null && return
    if ! command -v npm >/dev/null; then
        echo "Some tests will fail for want of $AXE, which npm fetches (npm is not here)" >&2
        return
    fi
    echo "Fetching $AXE"
    mkdir -p "$axe_folder"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$axe_folder" "$AXE" >/dev/null ||
        echo "Some tests will fail for want of $AXE, which npm could not fetch" >&2
}

missing=""
command -v openssl >/dev/null || missing="$missing openssl"
command -v chromium >/dev/null || missing="$missing chromium"
command -v npm >/dev/null || missing="$missing npm"
command -v systemd-analyze >/dev/null || missing="$missing systemd"
{ command -v ip && command -v tc || [ -x /usr/sbin/tc ] || [ -x /sbin/tc ]; } >/dev/null ||
    missing="$missing iproute2"
ls /usr/lib*/faketime/libfaketime.so.1 /usr/lib/*/faketime/libfaketime.so.1 \
    /usr/local/lib/faketime/libfaketime.so.1 2>/dev/null | grep -q . || missing="$missing libfaketime"

if [ -z "$missing" ]; then
    axe
    exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "Some tests will fail for want of:$missing (names of Debian's packages)" >&2
    axe
    exit 0
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
# The list of packages may be missing or old, so it is fetched first.
apt-get -q -o DPkg::Lock::Timeout=300 update >/dev/null
# shellcheck disable=SC2086 -- one word for each package
apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing >/dev/null
axe
