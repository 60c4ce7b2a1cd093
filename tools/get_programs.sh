#!/bin/sh
# Install the programs that the tests use, from Debian's packages, if they are missing and this user may.
missing=""
command -v chromium >/dev/null 2>&1 || missing="$missing chromium fonts-noto-color-emoji"
command -v node >/dev/null 2>&1 || missing="$missing nodejs"
command -v redis-server >/dev/null 2>&1 || command -v valkey-server >/dev/null 2>&1 || missing="$missing redis-server"
command -v nginx >/dev/null 2>&1 || missing="$missing nginx-light"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    # in run level 1 the packages do not start their servers; the tests start their own
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    for attempt in 1 2 3; do
        apt-get update -qq &&
            apt-get install -y -qq -o DPkg::Lock::Timeout=120 --no-install-recommends $missing >/dev/null && exit 0
        # another program may hold the lock
        sleep 10
    done
fi
echo "Not here, and not installed:$missing. The tests that need them will fail." >&2
