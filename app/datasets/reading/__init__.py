"""Uploaded files, read in bounded memory: CSV, Parquet, Arrow stream and svmlight.

A file is read twice. The first pass gathers facts on every column (``facts``), the
second converts each batch to the types that the whole column allows (``convert``); what
lies between the two is on disk. Whatever is wrong with a file is an ``ApiError`` that
names line, row and column, and never a value.
"""
