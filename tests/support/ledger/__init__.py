"""A schema of one table, migrated as the services' are: the owner makes it and grants the service INSERT and SELECT."""
