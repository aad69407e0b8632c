"""Contact on a device: what a thread does for one vertex, in the order of the CPU.

    planes.py    contacts with infinite planes, with friction, the way back in front of them, restitution

All of it is a vertex's own, so threads need nothing of one another, and a device gives what the CPU does but for rounding.
"""
