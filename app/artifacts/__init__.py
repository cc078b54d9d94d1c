"""Model artifacts: plain arrays in files, named by the digest of their bytes."""
