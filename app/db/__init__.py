"""The database: tables, sessions, states, migrations."""
