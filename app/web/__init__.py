"""HTTP words that belong to no resource: problems, the gate, limits, documentation."""
