"""The papers' experiments, and a comparison of everything the service offers.

    python -m experiments --data FOLDER [--quick] [--only NAME ...] [--publish]

One module per paper. Each names its repetitions, runs one of them through the public
Python API, and turns the results into tables with the paper's value beside ours.
"""
