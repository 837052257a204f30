#!/bin/sh
# A certificate for the mail server, made once: the key for it alone, the certificate for whoever checks it.
#   certificate.sh KEY_FOLDER CERTIFICATE_FOLDER
set -eu
umask 077
[ ! -s "$1/mail.key" ] || [ ! -s "$2/mail.pem" ] || exit 0
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
  -subj /CN=mail -addext subjectAltName=DNS:mail,DNS:mail.deskworld.example,DNS:localhost,IP:127.0.0.1 \
  -keyout "$1/mail.key" -out "$1/mail.pem" 2>/dev/null
cp "$1/mail.pem" "$2/mail.pem"
chmod 644 "$2/mail.pem"
