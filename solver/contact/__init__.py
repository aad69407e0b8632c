"""Contact and friction between surfaces, in stages: `contact.py` runs them."""
