"""Data sets: uploaded files, kept as Parquet, described and read for training."""
