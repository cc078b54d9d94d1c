"""POST /train: what may be asked for, what is refused before anything is queued."""
