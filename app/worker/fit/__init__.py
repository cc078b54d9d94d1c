"""From a training request to a served model: what the worker's child process runs."""
