#!/bin/sh
# Install Chromium and Node from Debian's packages if they are missing and this user may.
missing=""
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v node >/dev/null 2>&1 || missing="$missing nodejs"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing fonts-noto-color-emoji >/dev/null && exit 0
fi
echo "Not here, and not installed:$missing. The tests of the page need them and will fail." >&2
