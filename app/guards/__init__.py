"""Guards: rows that are rejected whatever their score, in front of any rule."""
