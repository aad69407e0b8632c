"""Constants that steer contact, the global step and adaptive substeps: one table, with units, reasons and measured effects
of other values.

Units are in brackets: [thickness] is a share of the kept distance of two surfaces, [1] a share of the named quantity. The
scenes are those of `tests/gates`, `tests/scenes/stress` and `tests/scenes/intersecting.py`; docs/notes/contact.md has more.
Constants of memory layouts are beside these layouts. Kernels compile the values in; arithmetic with a `float32` constant is
in single precision.
"""

from __future__ import annotations

from .device.cpu import f32

# ---- Large and small shares -----------------------------------------------------------------------------------------------
#: [1] Share of a displacement, a gap or a room that may be used without another test; the rest covers rounding in single
#: precision.
SAFE_SHARE = f32(0.9)
#: [1] A negligible share: of the particles, outliers that do not renew the neighbour lists; of a step's error, the error of
#: soft bodies, which would continue to swing, and motion without a linear system (with the full error, drawstrings gain two
#: to four times the energy); of a stiffness, one that gets no unknown; of a motion, the deficit of contacts at rest; of the
#: memory of a clamp, the part that is forgotten.
SLIGHT = 0.1
#: Largest number of passes over all pairs, of advances along a motion, and of sweeps of rigid bodies; all usually end
#: earlier.
MOST_PASSES = 40

# ---- Distances ------------------------------------------------------------------------------------------------------------
#: [thickness] Pairs that come nearer within a substep become contacts: at a tenth more than the kept distance, before they
#: push.
ACTIVATION = f32(1.1)
#: [thickness] Least distance of a pair. Distances in single precision have rounding errors; a gap without a lower bound
#: would shrink to zero, and tunnel.
LEAST_GAP = f32(0.03)
#: [m/s] Largest speed at which surfaces recover their kept distance, and pins catch up: not visible as a jump.
RECOVERY_SPEED = 0.5
#: [edge] Distance from an end of an edge within which a closest point belongs to the corner; also the least difference of
#: lengths.
EDGE_END = 1e-4
#: [sine^2] Of a triangle's corner; below it the cross product is rounding in single precision, and there is no normal.
SLIVER = 1e-10
#: [sine^2] Between two edges. Below the first, their determinant loses digits, and the ends are tested too; below the
#: second, it is rounding.
NEARLY_PARALLEL, PARALLEL = 1e-3, 1e-7
#: [sine] Angle by which another element may be nearer while a pair counts as a local minimum of the distance: rounding.
LOCAL_MINIMUM_SINE = 0.02
#: [sine] Angle between a face and the contact plane of its edge from which on crossing edges keep the full thickness.
#: Between flat faces, whose corners are in contact too, they keep half. Without a transition, a pile trembles at 2.5 mm/s,
#: not 1.4.
FLAT_SINE = 0.15

# ---- Derived shares -------------------------------------------------------------------------------------------------------
#: [1] Share of half its gap that a clamped particle may move: the safe share of the safe share, so that rounding cannot
#: close the gap.
HALF_GAP_SHARE = float(SAFE_SHARE) ** 2
#: [shortest edge] Largest thickness at a vertex: half of the safe distance of two neighbours.
SHORTEST_EDGE_SHARE = 0.5 * float(SAFE_SHARE)
#: [thickness] Relative motion after which a near pair that is no local minimum of the distance is measured again: the margin
#: of `ACTIVATION`.
REMEASURE = ACTIVATION - f32(1)

# ---- Neighbour lists: cost ------------------------------------------------------------------------------------------------
#: [median edge] Skin of a particle: a larger one gives more candidate pairs, a smaller one more new lists.
SKIN_SHARE = 0.15
#: [median edge] Relative motion of particles after which lists are made again; the same at rest, where lists last for more
#: than a frame; and the largest lifetime of a list in substeps.
LIST_MOTION, QUIET_LIST_MOTION, LONGEST_LIFETIME = 4.0, 0.25, 64
#: [1] Used share of its skin, or of its time, from which a particle gets a new path together with others. With 0.8, fewer
#: particles do, in a tenth more substeps of falling layers.
DRIFTED_SHARE = 0.65
#: Mean number of edges in a cell of a smooth sheet: 8 x 8 squares. Larger cells have more room between spheres, smaller ones
#: may curve more. The same of the windows without a search for pairs: 2 x 2 squares, since folds are smooth in small windows
#: only.
CELL_SIZE, WINDOW_CELL_SIZE = 192, 12
#: Segments in a cell of a smooth rope. With 16, a window of two cells cannot bend to a small coil.
ROPE_CELL_SIZE = 8
#: Largest number of candidate pairs of lists for each particle, and least bound for all: 36 kB a particle, or 0.4 GB.
#: Tightly twisted sheets have 10 to 25 pairs a particle in the mean, 240 in a substep of violent motion.
MOST_PAIRS_A_PARTICLE, MOST_PAIRS_AT_LEAST = 200, 1 << 21

# ---- Sweeps of contacts ---------------------------------------------------------------------------------------------------
#: Iterations from one sweep of the contacts of pairs to the next: they converge in fewer sweeps than the energies.
PAIR_INTERVAL = 2
#: Largest number of sweeps of contacts for one of the energies at rest; half as many in motion. With half of it, a pile at
#: rest moves at 0.7 mm/s, not 0.4.
MOST_SWEEPS = 16
#: [thickness] Deficit of a contact that needs no further sweep. With 0.05, the speed of a pile at rest depends on the
#: processor's rounding.
SWEEP_TOLERANCE = 0.015
#: [thickness] The same at rest, where a deficit becomes a speed. Without it, stacked cubes move at 1.7 mm/s.
LEAST_TOLERANCE = 0.001
#: [thickness] The same of rigid bodies: the last sweep leaves no more to the clamp.
COUPLED_TOLERANCE = 1e-4
#: [1] Share of a contact's force, and of the memory of a clamp, at the start of the next substep. With all of it, layers do
#: not come to rest (20 mm/s in a fold); with half, a fold keeps twice the stretch, and stalled sheets hop twice as fast.
WARM_START_SHARE = 0.8
#: [1] Largest share of the deficit of distance that one substep recovers: the lost share of the forces. The whole deficit at
#: once ejects stacked bodies: a pile moves at 10 mm/s in place of 2.5.
APPROACH_SHARE = f32(1 - WARM_START_SHARE)

# ---- Continuous collision detection ---------------------------------------------------------------------------------------
#: Passes in which an impact zone grows by the particles that it hits; later ones add all within the kept distance.
ZONE_PASSES = 8
#: Number of clamped vertices of a body, and [1] their share of it, up to which it does not stall.
STALL_COUNT, STALL_SHARE = 3, 1e-3

# ---- Intersections --------------------------------------------------------------------------------------------------------
#: [displacement of recovery in a substep] Displacement that moves surfaces apart. With 1, *cross* stays in short substeps.
SEPARATION_STEP = 1.5
#: [median edge] Upper bound of that; and [1] stretch of the cloth around it from which separation stops.
SEPARATION_SHARE = 0.3
#: [1] Largest displacement of the corners by a separation constraint, if they were free, over the required one.
SEPARATION_STRENGTH = 12.0
#: [1] Length of the sum of the slopes along a contour over the sum of their lengths: from this value on they may reverse its
#: direction, below half of it they do not decide the direction.
CERTAIN = 0.7
#: [1] Least sine between an edge and a triangle in slopes, so that a few shallow ones do not dominate; and cosine between
#: two directions below which they differ.
SHALLOW = 0.2
#: [1] Weight of the length of a part that is attached to something fixed, relative to a free one.
HUNG = 4.0

# ---- The step of a sheet or a soft body -----------------------------------------------------------------------------------
#: [m/s^2] Largest error of a step over h^2, with the length h of a substep: 0.035 mm in *Draft* and 0.006 mm in *Production*
#: at 24 frames a second. The errors of a frame's substeps then add up to a motion that does not depend on their number. With
#: half of it, there are a quarter more iterations; with twice, a drape at rest has an error of 0.9 mm, not 0.7.
TARGET = 2.0
#: Largest number of linear systems of a step for each iteration of *Keep Length*. With two in all, a landing sheet continues
#: to tremble, at the cost of search and contact.
SYSTEMS = 1.5
#: The same of ropes without contact, of one iteration each. With six, 5 kg that fall by a metre leave 15 kN in a rope of 1
#: MN, not 0.4.
SYSTEMS_OF_LINES = 8 * SYSTEMS
#: Largest number of conjugate gradient iterations of a system for each of the setting. Stiff sheets have as many as the
#: setting: with more, repeated evaluation of contacts topples standing bodies (standing cards).
ITERATIONS = 8
#: [1] Remaining share of the squared residual of a step's first system; with limits, also the accuracy of the predicted
#: first decrease of the potential. With 1e-3, denim gains 2 % of energy in ten swings; with 1e-4, a fifth more iterations.
LEFT = 3e-4
#: [1] The same of later systems and of responses to contacts, at most; and half of their squared share of the target. While
#: contacts change, each system halves the error. With 0.02, jelly takes 5 % more systems; with LEFT, a third more
#: iterations.
LATER_LEFT = 0.01
#: [1] Share of the decrease of the potential so far: with limits, a step ends at a system that brings less. With 0.02, a
#: limited trampoline gives its ball 55 J more.
LEAST_GAIN = 0.03
#: Largest number of halvings of a motion that raises the potential; and [1] share of the potential that counts as rounding.
HALVINGS, ROUNDING = 6, 1e-9
#: [1] Share of the squared residual: a system that leaves more has met a direction of negative curvature of a solid. Also
#: the summed friction beyond Coulomb's bounds, over these bounds, that later systems may leave. With 0, a block near the
#: friction angle continues to slip: each system clips friction at its bound, and friction below its bound grows little.
UNSOLVED = 0.25
#: Rings of neighbours whose mean motion a clamped vertex follows. With two, stalled sheets hop faster; with the mean of all
#: vertices, folds do not come to rest.
RINGS = 6
#: [1] Stiffness that fixes a vertex in place, over its own stiffness.
STAYS = 1e4
#: [1] Successive shifts of the diagonal of incomplete factors; they are computed again while a pivot is below the second
#: number times its diagonal entry.
CAREFUL, SMALLEST_PIVOT = (0.1, 0.3, 1.0), 2e-5

# ---- How stiff contacts are in the step -----------------------------------------------------------------------------------
#: [trace of their vertices' own blocks] Contacts of sheets with immovable objects and with each other. With half of it, a
#: tightly twisted rope stores 7 % of the work of the contact sweeps, and gains 41 mJ; with five times as much, crossing
#: ribbons tremble at 80 mm/s, not 15.
STIFFNESS = 0.06
#: [the same] Contacts of sheets below rigid bodies, whose weight crosses all layers, of soft bodies, and ties of ropes. With
#: that of sheets alone, a block of 2 kg on eight of them hops at 0.3 m/s without end, not at 0.1, and an impact crushes a
#: soft body's elements at single vertices; with three times as much, jelly takes a fifth more iterations, dominoes an
#: eighth.
STIFFNESS_BELOW_BODIES = 1.0
#: [the same] Contacts of sheets with rigid bodies, and with soft bodies before their compliance: stiffer than the sheet
#: around a vertex. With a third of it, a ball of 2 kg sinks in by 2 mm; with ten times as much, few systems find the contact
#: forces.
STIFFNESS_WITH_BODIES = 3.0

#: [mu times the normal force] Friction below it sticks; that of a sliding contact is at the bound, up to rounding.
STUCK = 1 - LEAST_TOLERANCE

#: [stiffness that moves their bodies by a metre] Contacts of rigid bodies with each other, with colliders and planes: nearly
#: without compliance.
STIFFNESS_OF_RIGID_CONTACTS = 1 / SLIGHT
#: Largest number of rigid bodies that are eliminated together: they propagate the weight of a pile as far as this number of
#: sweeps. The cost of their factors grows with the cube.
MOST_CLUSTERED = MOST_SWEEPS

# ---- Stiff sheets: they move as a whole -----------------------------------------------------------------------------------
#: [h^2 k / m] Bending stiffness from which on a sheet is stiff: in contact it is integrated at first order as a whole, and
#: clamped as a whole. Without, standing cards tremble at 3 to 4 mm/s, not 0.4, and a ball gives a fine house 6 mJ, not 0.01.
BOARD = 3.0

# ---- Left to sweeps -------------------------------------------------------------------------------------------------------
#: [h^2 k / m, for each sweep of a substep] Stiffness up to which sweeps alone solve a solid.
REACH = 0.75
#: [the same] Stiffness up to which sweeps absorb motion since a solution: at 12 they do, at 90 the sweeps of an impact make
#: a jelly unstable. Of bending: sweeps start from the whole last displacement up to it, and from a decreasing share beyond.
GOES_ON = 15.0
#: [1] Strain that sweeps may add to that of a hung sheet before a warning.
MOST_ADDED = 0.01

# ---- Shorter substeps -----------------------------------------------------------------------------------------------------
#: [median edge] Motion of more than a few vertices that the clamp may remove; beyond it the substep is repeated in shorter
#: ones. Below it surfaces only stop against each other, beyond it a sheet is strained.
STALLED = 0.125
#: [median edge] The same of any vertex of a sheet that is stiff or has limits: a vertex that stays behind stretches it by a
#: percentage point. With an eighth of an edge, a card house receives 5.5 mJ of the ball, not 1, and trampolines exceed a
#: limit by up to 10 points, not 1.
STALLED_INEXTENSIBLE = 0.01
#: Largest number of substeps over the setting.
MOST_TIMES = 8
