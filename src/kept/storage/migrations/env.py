"""Alembic's entry point; it runs inside the transaction of `schema.migrate`, while the triggers are dropped."""

from alembic import context

from kept.storage.migrations.triggers import create_triggers, drop_triggers
from kept.storage.tables import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transactional_ddl=True,
    transaction_per_migration=False,
)
drop_triggers(connection)
with context.begin_transaction():
    context.run_migrations()
create_triggers(connection)
