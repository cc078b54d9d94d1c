"""The service from outside: an HTTP client, the commands built on it, the demo."""
