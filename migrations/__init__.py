"""Alembic migrations of the service's database; ``demur migrate`` runs them."""
