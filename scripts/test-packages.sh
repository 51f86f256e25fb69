#!/bin/sh
# What some tests need from the machine's own packages: installed where that is allowed, else named.
set -eu

missing=""
command -v openssl >/dev/null || missing="$missing openssl"
command -v chromium >/dev/null || missing="$missing chromium"
{ command -v ip && command -v tc || [ -x /usr/sbin/tc ] || [ -x /sbin/tc ]; } >/dev/null ||
    missing="$missing iproute2"
ls /usr/lib*/faketime/libfaketime.so.1 /usr/lib/*/faketime/libfaketime.so.1 \
    /usr/local/lib/faketime/libfaketime.so.1 2>/dev/null | grep -q . || missing="$missing libfaketime"

[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "Some tests will fail for want of:$missing (names of Debian's packages)" >&2
    exit 0
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
# The list of packages may be missing or old, so it is fetched first.
apt-get -q -o DPkg::Lock::Timeout=300 update >/dev/null
# shellcheck disable=SC2086 -- one word for each package
apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing >/dev/null
