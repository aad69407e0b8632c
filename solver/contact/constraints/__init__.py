"""What pushes: contacts of pairs, half-spaces, penetration, coupled vertices, friction."""
