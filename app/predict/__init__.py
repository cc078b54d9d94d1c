"""POST /predict: from the bytes of a request to decisions with their costs."""
