#!/bin/bash
# Starts Keycloak on the realm of realm.json with this container's secrets. What the volume holds is kept as long as it was
# made from the same realm and the same secrets; else all is made anew (administrator, people, clients, keys; sessions end).
#   start         import if needed, then serve
#   import-only   when the image is built
#   healthy       the health check: ready, and the realm is served
set -euo pipefail
HERE=/opt/deskworld
KC=/opt/keycloak/bin/kc.sh
MADE_FROM=/opt/keycloak/data/made-from
WELL=/tmp/well
DESK=${DESKWORLD_SECRET_DESK_CLIENT:-desk-loopback-secret}
AGENT=${DESKWORLD_SECRET_AGENT_CLIENT:-agent-loopback-secret}
PEOPLE=${DESKWORLD_SECRET_PEOPLE:-deskworld-loopback}
export KC_BOOTSTRAP_ADMIN_USERNAME=admin KC_BOOTSTRAP_ADMIN_PASSWORD=${KC_BOOTSTRAP_ADMIN_PASSWORD:-loopback-keycloak-admin}

answers() { # port path
  local status
  exec 3<>"/dev/tcp/127.0.0.1/$1" && printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' "$2" >&3 &&
    read -r status <&3 && [[ $status == *' 200 '* ]]
}

realm() { # a secret holds no quote and no backslash: it is put between quotes of JSON as it is
  local text
  text=$(<"$HERE/realm.json")
  text=${text//\"desk-loopback-secret\"/\"$DESK\"}
  text=${text//\"agent-loopback-secret\"/\"$AGENT\"}
  printf '%s\n' "${text//\"deskworld-loopback\"/\"$PEOPLE\"}"
}

refuse() { echo "$1" >&2; exit 2; }

check_secrets() {
  local name
  for name in DESK AGENT PEOPLE; do
    [[ ${!name} =~ ^[A-Za-z0-9._~-]+$ ]] || refuse "the secret of $name holds more than letters, digits and . _ ~ -"
  done
  case ${DESKWORLD_PUBLISHED:-127.0.0.1} in 127.* | ::1 | localhost) return ;; esac
  for name in DESK AGENT PEOPLE KC_BOOTSTRAP_ADMIN_PASSWORD; do
    [[ ${!name:-} != *loopback* ]] ||
      refuse "the secret of $name is a default: for the loopback only, and $DESKWORLD_PUBLISHED is not"
  done
}

import() {
  local digest file
  digest=$(realm | cat - <(echo "$KC_BOOTSTRAP_ADMIN_PASSWORD") | sha256sum | cut -d' ' -f1)
  if [ -f "$MADE_FROM" ] && [ "$(<"$MADE_FROM")" = "$digest" ]; then return; fi
  file=$(mktemp)
  realm >"$file"
  # the administrator is made with the first realm of a database, and with this import if there is none
  rm -rf "$MADE_FROM" /opt/keycloak/data/h2
  "$KC" import --optimized --override true --file "$file"
  rm -f "$file"
  echo "$digest" >"$MADE_FROM"
}

case ${1:-start} in
  healthy)
    if [ -e "$WELL" ]; then sleep 20; fi # a look costs a twentieth of a second of a processor
    rm -f "$WELL"
    answers 9000 /health/ready && answers 8080 /realms/deskworld && : >"$WELL"
    ;;
  import-only) import ;;
  start)
    check_secrets
    import
    exec "$KC" start --optimized
    ;;
  *) refuse "start.sh knows start, import-only and healthy" ;;
esac
