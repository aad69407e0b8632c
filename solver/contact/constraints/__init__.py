"""Contact constraints: contacts of pairs, half-spaces, penetration, coupled vertices, friction."""
