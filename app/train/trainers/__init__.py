"""The trainers that a request may name: one file a family, one table of them all."""
