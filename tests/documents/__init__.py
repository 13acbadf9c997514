"""What in docs/ is made of the code, and how much is written by hand.

`python -m tests.documents` writes every part anew; tests/unit/test_documents_made.py compares them.
"""
