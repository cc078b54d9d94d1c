"""Is it alive, is it ready, what is it doing."""
