"""POST /models/{name}/versions/{version}/evaluate: a version on newly labelled rows."""
