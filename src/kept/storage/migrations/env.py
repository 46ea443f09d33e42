"""Alembic's entry: runs inside the transaction that `storage.schema.migrate` opened, then lays the triggers anew."""

from alembic import context

from kept.storage.tables import metadata
from kept.storage.triggers import lay_triggers

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transactional_ddl=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
lay_triggers(connection)
