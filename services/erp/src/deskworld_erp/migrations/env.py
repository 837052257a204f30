"""Runs the revisions on the connection that `deskworld_erp.migrate` hands in."""

from alembic import context

from deskworld_erp.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
