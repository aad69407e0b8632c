"""The end of a substep on a device: remainders and velocities (`stepping/integrate.py`, `end_substep`)."""

from __future__ import annotations

from ...device.cpu import f32
from ...device.cuda.body import body
from ...model.gpu.substep_motion import NOW
from ...model.motion_law import corrected_velocity, lost

ZERO = f32(0)


@body
def end(i, args):
    """Velocities and remainders, of x where `place` has it. args: `substep_motion.Motion`."""
    now, old = args.now[args.step], args.history[i]
    moves = args.x[i, 3] > ZERO
    for k in range(3):
        correction = args.correction[i, k]
        x = args.x[i, k]
        if moves:
            args.remainder[i, k] += lost(args.x_pred[i, k], correction, x)
            if args.second_order > 0:
                motion = args.motion[i, k] + correction
                args.motion[i, k] = motion
                v, inverse_h = args.v[i, k], now[NOW.inverse_h]
                args.v[i, k] = corrected_velocity(v, motion, correction, inverse_h, now[NOW.more], old)
            else:
                args.v[i, k] += correction * now[NOW.inverse_h]
        else:
            args.remainder[i, k] = ZERO
            motion = x - args.x0[i, k]
            if args.second_order > 0:
                args.motion[i, k] = motion
            args.v[i, k] = motion * now[NOW.inverse_h]
    if args.second_order > 0:
        args.history[i] = True
