# shellcheck shell=bash
# Sourced by the scripts of this folder. A step says its name, what it printed, and how long it took.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export CI=true PYTHONUNBUFFERED=1
unset PYTHONDONTWRITEBYTECODE # every process would compile our own sources again

step() { # command ...
    local began=$SECONDS
    printf '\n== %s\n' "$*"
    "$@"
    printf '== %s: passed in %d s\n' "$*" $((SECONDS - began))
}

# What runs beside this shell, and where each writes until it is joined.
lanes=() logs=()

beside() { # command ...
    local log
    log=$(mktemp)
    # a lane that has not ended by then never will
    timeout --kill-after=60 5000 "$@" >"$log" 2>&1 &
    lanes+=($!)
    logs+=("$log")
    trap leave EXIT
}

joined() { # fails when a lane failed
    local at failed=0
    for at in "${!lanes[@]}"; do
        wait "${lanes[at]}" || failed=1
        cat "${logs[at]}"
    done
    lanes=() logs=()
    return $failed
}

leave() { # nothing goes on when this shell ends
    kill "${lanes[@]}" 2>/dev/null || true
    joined || true
}

# A stack with a name and ports of its own, told to what is to meet it (`ours`) and to nothing else.
compose_project() { # name, first of ten ports
    local port=$2 door
    ours=(env COMPOSE_PROJECT_NAME="$1")
    for door in ERP ERP_STAGE DESK DESK_STAGE AGENT_DOOR IDENTITY POLICY SMTP SUBMISSION IMAP; do
        ours+=("DESKWORLD_PORT_$door=$((port++))")
    done
}

down() { "${ours[@]}" docker compose --profile agent --progress=quiet down -v --timeout 5; }
