"""A frame on a GPU: the stages of `stepping/step.py` as launches of thread bodies (`device/cuda/`).

    frame.py           all substeps of a frame, and the reasons for which the CPU computes a frame instead
    state_arrays.py    the state and the model's arrays on the device
    predict.py         prediction, pins, fixed vertices
    rigid_bodies.py    rigid bodies, in double precision; `rigid_fields.py`: force fields on them
    loads.py           external loads beside gravity, in their order:
    drag.py            drag and lift
    vertex_fields.py   force fields and bodies' own gravity
    pressure_loads.py  pressure in cloths
    stitch_lengths.py  lengths and weights of stitches
    strains.py         strains at substep start
    gpbd_sweeps.py     sweeps of generalized position-based dynamics
    pbng_sweeps.py     sweeps of position-based nonlinear Gauss-Seidel
    substep_end.py     the end of a substep
    substep_motion.py  arrays of a substep's motion, and numbers that change from substep to substep
    placing.py         positions from predictions and corrections
    quasi_static.py    start and end of a substep without inertia
    samples.py         positions within a frame
    sleep_on_host.py   waking and falling asleep, between frames
    report/            measurements for a frame's report
    uploads.py         inputs that are uploaded once a frame
    array_copies.py    copies of arrays that stay on the device
    memory.py          required device memory

Element functions are those of `energies/`; arrays are laid out as on the CPU, so that a frame begins and ends with the same
`State` on every device.
"""
