#!/bin/sh
# The recipients of the envelope, one a line in $1, as header lines for the top of the message.
printf '%s\n' "$1" | while IFS= read -r address; do
  [ -z "$address" ] || printf 'X-Envelope-To: %s\r\nDelivered-To: %s\r\n' "$address" "$address"
done
