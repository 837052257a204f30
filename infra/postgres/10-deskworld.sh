#!/bin/bash
# Roles and databases, when the data folder is new. The owner makes the tables; the service may do what the migrations
# grant it, and neither can open the other's database.
set -euo pipefail
: "${ERP_DATABASE_PASSWORD:?}" "${DESK_DATABASE_PASSWORD:?}"

database() { # name password-of-its-service
  psql -v ON_ERROR_STOP=1 --no-psqlrc -U "$POSTGRES_USER" -d postgres \
    -v name="$1" -v owner="$1_owner" -v service="$1_service" -v owner_password="$POSTGRES_PASSWORD" -v password="$2" <<'SQL'
SET scram_iterations = 1;
CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password';
CREATE ROLE :"service" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"owner" TEMPLATE template0 ENCODING 'UTF8'
  LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LC_COLLATE 'C' LC_CTYPE 'C';
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"name" TO :"service";
SQL
}

database erp "$ERP_DATABASE_PASSWORD"
database desk "$DESK_DATABASE_PASSWORD"
