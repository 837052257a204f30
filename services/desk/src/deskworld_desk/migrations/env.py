"""Runs the revisions on the connection that `deskworld_desk.migrate` hands in."""

from alembic import context

from deskworld_desk.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
