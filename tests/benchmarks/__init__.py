"""How fast the product is, as ratios to floors that are measured beside it: `python -m tests.benchmarks`.

A floor is the least that the work could cost: the same files, requests or screens with nothing of ours around them.
Product and floor run in turn, so that a busy machine slows down both, and their medians are compared.
"""
