"""The store of models, data sets and the log: a folder, or an object store."""
