"""Protocols of other servers, so that their clients predict here unchanged."""
