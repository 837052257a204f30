#!/bin/sh
# Renders maddy.conf, makes the three mailboxes, runs maddy. Needs no root: it writes to MAIL_STATE and to /tmp alone.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
STATE=${MAIL_STATE:-/data}
RUN=/tmp/maddy
mkdir -p "$RUN" "$STATE/mail"

for secret in "${MAIL_DESK:?}" "${MAIL_STAFF:?}" "${MAIL_COUNTERPARTIES:?}"; do
  case ${DESKWORLD_PUBLISHED:-127.0.0.1}/$secret in
    127.*/* | ::1/* | localhost/*) ;;
    *loopback*)
      echo "a default secret of the mail server is for the loopback only, and $DESKWORLD_PUBLISHED is not: set another" >&2
      exit 2 ;;
  esac
done

# cost 4: a login takes 1 ms instead of 60; a campaign logs in often, and the secrets are long and random
hash() { maddy hash --hash bcrypt --bcrypt-cost 4 --password "$1"; }
sed -e "s|@STATE@|$STATE/mail|; s|@RUN@|$RUN|; s|@HERE@|$HERE|" \
    -e "s|@CERTIFICATE@|${MAIL_CERTIFICATE:?}|; s|@KEY@|${MAIL_KEY:?}|" \
    -e "s|@DESK@|$(hash "$MAIL_DESK")|; s|@STAFF@|$(hash "$MAIL_STAFF")|; s|@COUNTERPARTIES@|$(hash "$MAIL_COUNTERPARTIES")|" \
    -e "s|@SMTP_PORT@|${MAIL_SMTP_PORT:-2525}|; s|@SUBMISSION_PORT@|${MAIL_SUBMISSION_PORT:-5587}|; s|@IMAP_PORT@|${MAIL_IMAP_PORT:-1143}|" \
    "$HERE/maddy.conf.in" >"$RUN/maddy.conf"

have=$(maddy -config "$RUN/maddy.conf" imap-acct list 2>/dev/null || true)
for mailbox in ap@deskworld.example staff@mailbox.invalid counterparties@mailbox.invalid; do
  printf '%s\n' "$have" | grep -qix "$mailbox" ||
    maddy -config "$RUN/maddy.conf" imap-acct create --no-specialuse "$mailbox" >/dev/null
done
exec maddy -config "$RUN/maddy.conf" run
