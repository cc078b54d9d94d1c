"""Models and their versions: what was trained, and where its file is."""
