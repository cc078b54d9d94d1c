"""POST /models/{name}/versions/{version}/reprice: other prices for the same scores."""
