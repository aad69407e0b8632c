"""A frame on a GPU: the stages of `stepping/step.py` as launches of thread bodies (`device/cuda/`).

    frame.py       all substeps of a frame; what the CPU has to do instead, and why
    arrays.py      the state and the model's arrays on the device
    predict.py     prediction, pins, what keeps its place
    rigid.py       rigid bodies, in double precision; `rigid_fields.py`: what fields do to them
    acting.py      what acts beside gravity, in its order:
    air.py         drag and lift
    fields.py      force fields and bodies' own gravity
    pressure.py    what fills cloths
    stitches.py    lengths and weights of stitches
    strains.py     what elements keep of a substep's start
    gpbd.py        sweeps of generalized position-based dynamics
    pbng.py        sweeps of position-based nonlinear Gauss-Seidel
    integrate.py   the end of a substep
    quasi_static.py  start and end of one without inertia
    samples.py     positions within a frame
    sleep.py       who wakes and sleeps, between frames
    report/        what a frame's report tells
    uploads.py     what goes up once a frame
    kept.py        copies that stay there
    memory.py      what all of it takes

Element functions are those of `energies/`; arrays are laid out as on the CPU, so that a frame begins and ends with the same
`State`, whichever device it ran on.
"""
