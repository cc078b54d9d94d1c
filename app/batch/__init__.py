"""POST /predict/batch: a file in, the same file with its decisions out."""
