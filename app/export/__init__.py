"""A model that leaves the service with its reject on board: one file that decides.

artifact -> description (columns, steps over plain arrays) -> Python | C | ONNX
"""
