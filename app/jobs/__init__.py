"""Jobs: queued in the database, worked off elsewhere, watched and cancelled here."""
