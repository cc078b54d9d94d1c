"""What was answered, bucket by bucket, and alarms on it; no labels are needed."""
