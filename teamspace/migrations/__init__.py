"""The schema, as numbered SQL files that both databases understand; see `teamspace.core.db.migrate`."""
