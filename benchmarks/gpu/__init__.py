"""All that a GPU has to say, without a question: `python3 dev.py gpu`."""
