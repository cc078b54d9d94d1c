"""The prediction service: HTTP, jobs, models and the worker that trains them."""
