"""API keys: what each opens, how they are issued, and how a request is let in."""
