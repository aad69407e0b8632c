"""A model and its state on a GPU.

state_arrays.py    arrays of the state and of the model
substep_motion.py  arrays of a substep's motion, and the numbers that change from substep to substep
placing.py         positions from predictions and corrections
rigid_bodies.py    rigid bodies, in double precision
cpu_reason.py      reasons for a frame on the CPU
"""
