"""A frame on a GPU: the stages of `stepping/step.py` as launches of thread bodies (`device/cuda/`).

    on_device.py       frames of a simulation on its device, and the fallback to the CPU
    frame.py           all substeps of a frame, and the reasons for which the CPU computes a frame instead
    device_stages.py   the stages of a substep
    predict.py         prediction, pins, fixed vertices
    loads.py           external loads beside gravity, in their order:
    drag.py            drag and lift
    vertex_fields.py   force fields and bodies' own gravity; `rigid_fields.py`: on rigid bodies
    pressure_loads.py  pressure in cloths
    stitch_lengths.py  lengths and weights of stitches
    substep_end.py     the end of a substep
    quasi_static.py    start and end of a substep without inertia
    samples.py         positions within a frame
    sleep_on_host.py   waking and falling asleep, between frames
    memory.py          required device memory
    choice.py          choice of the device

Arrays are laid out as on the CPU, so that a frame begins and ends with the same `State` on every device. Other rooms have
their part beside their CPU files: `model/gpu/`, `methods/gpu/`, `contact/gpu/`, `global_step/gpu/`, `report/gpu/`.
"""
