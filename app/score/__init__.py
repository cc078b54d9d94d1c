"""Files too large for a request: decided by workers, a part at a time, as a job."""
