# shellcheck shell=bash
# Sourced by run and containers. A step says its name, what it printed, and how long it took.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export CI=true PYTHONUNBUFFERED=1

step() { # command ...
    local began=$SECONDS
    printf '\n== %s\n' "$*"
    "$@"
    printf '== %s: passed in %d s\n' "$*" $((SECONDS - began))
}
