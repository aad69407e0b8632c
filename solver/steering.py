"""The numbers that steer contact, the global step and adaptive substeps: one table, with unit and reason, and with what goes
wrong without a number where that was measured.

Units stand in brackets: [thickness] is a share of the distance that two surfaces keep, [1] of what the line names. Scenes
are those of `tests/gates`, `tests/scenes/stress` and `tests/scenes/intersecting.py`; docs/notes/contact.md has more.
Numbers that say how something is laid out in memory stay beside it. Kernels take these as compiled constants; where one is a
`float32`, so is the arithmetic around it.
"""

from __future__ import annotations

from .device.cpu import f32

# ---- Large and small shares -----------------------------------------------------------------------------------------------
#: [1] Of a way, a gap or a room: what may be used up without a closer look, against rounding in single precision.
SAFE_SHARE = f32(0.9)
#: [1] A negligible share. Of particles, those that may do otherwise than all others before lists are made anew;
#: of a step's error, the rest in soft bodies, which swing on with it, and motion that needs no linear system (with all
#: of the error drawstrings gain two to four times the energy); of a stiffness, one worth no unknown; of a motion, the miss
#: of contacts at rest; of having been clamped, the forgotten part.
SLIGHT = 0.1
#: Steps at most of what ends by itself: passes over all pairs, advances along a motion, sweeps of rigid bodies.
MOST_PASSES = 40

# ---- Distances ------------------------------------------------------------------------------------------------------------
#: [thickness] Pairs nearer than this within a substep become contacts: a tenth more than is kept, so that a contact is there
#: before it pushes.
ACTIVATION = f32(1.1)
#: [thickness] No pair may come nearer: distances in single precision have rounding, and a gap that only shrinks by shares
#: goes to zero in the end, and tunnels.
LEAST_GAP = f32(0.03)
#: [m/s] Speed at which surfaces that are too near are moved apart, at most, and pins catch up: no jump is seen at it.
RECOVERY_SPEED = 0.5
#: [edge] From its ends on, closest points belong to the corner there; also the least difference between lengths.
EDGE_END = 1e-4
#: [sine^2] Of a triangle's corner below which it has no normal: in single precision a cross product is rounding then.
SLIVER = 1e-10
#: [sine^2] Between two edges, below which their determinant loses digits, so that the best of their ends is looked for too,
#: and below which it is all rounding.
NEARLY_PARALLEL, PARALLEL = 1e-3, 1e-7
#: [sine] By which another element may lie nearer before a pair stops being a local minimum of the distance: rounding.
LOCAL_MINIMUM_SINE = 0.02
#: [sine] By which a face falls away from a contact of its edge, from which on edges that cross keep all of the thickness;
#: between flat faces, which corners hold apart as well, half. Without a transition, a pile trembles at 2.5 mm/s, not 1.4.
FLAT_SINE = 0.15

# ---- Derived shares -------------------------------------------------------------------------------------------------------
#: [1] Of half its gap that a clamped particle may move: the safe share, such that rounding cannot use up the rest.
HALF_GAP_SHARE = float(SAFE_SHARE) ** 2
#: [shortest edge] Thickness at a vertex, at most: half of what two neighbours are safe with.
SHORTEST_EDGE_SHARE = 0.5 * float(SAFE_SHARE)
#: [thickness] By which the elements of a pair that is near, but no local minimum of the distance, may move against each
#: other until it is measured again: by what contacts begin before they push.
REMEASURE = ACTIVATION - f32(1)

# ---- Neighbour lists: cost ------------------------------------------------------------------------------------------------
#: [median edge] Skin of a particle: more leaves more pairs to be looked at, less makes more new lists.
SKIN_SHARE = 0.15
#: [median edge] That particles may move against each other until lists are made anew; the same where all is quiet, and lists
#: last for more than a frame; and substeps that they last, at most.
LIST_MOTION, QUIET_LIST_MOTION, LONGEST_LIFETIME = 4.0, 0.25, 64
#: [1] Of its skin, or of its time, that a particle may have used up when it gets a new path because others do. With 0.8
#: fewer do, but in a tenth more substeps of layers that fall on each other.
DRIFTED_SHARE = 0.65
#: Edges in a cell of a smooth sheet, in the mean: 8 x 8 squares. Larger cells have more room between spheres, smaller ones
#: may curve more. And in a cell of the windows in which no pairs are searched for: 2 x 2 squares, as folds are smooth in
#: small windows only.
CELL_SIZE, WINDOW_CELL_SIZE = 192, 12
#: Segments in a cell of a smooth rope. A window of two cells with 16 each may not bend as far as a small coil does.
ROPE_CELL_SIZE = 8
#: Candidate pairs for each particle, and at all, up to which lists may grow: 36 kB a particle, or 0.4 GB. Tightly twisted
#: sheets have 10 to 25 pairs a particle in the mean, 240 in a substep of violent motion.
MOST_PAIRS_A_PARTICLE, MOST_PAIRS_AT_LEAST = 200, 1 << 21

# ---- Sweeps of contacts ---------------------------------------------------------------------------------------------------
#: Iterations. Contacts of pairs are swept in every one of so many: they converge in fewer sweeps than the energies around.
PAIR_INTERVAL = 2
#: Sweeps of contacts for one of the energies, at most, where things come to rest, half as many where they move. With half of
#: them a pile at rest goes at 0.7 mm/s, not 0.4.
MOST_SWEEPS = 16
#: [thickness] That a contact may miss its target by without another sweep. With 0.05 the speed of a pile at rest depends on
#: the processor's rounding.
SWEEP_TOLERANCE = 0.015
#: [thickness] The same where things come to rest: a miss becomes a speed. Without: stacked cubes at 1.7 mm/s.
LEAST_TOLERANCE = 0.001
#: [thickness] The same of rigid bodies, of which the last sweep leaves no more to the clamp.
COUPLED_TOLERANCE = 1e-4
#: [1] Of a contact's force, and of having been clamped, that the next substep begins with. With all of it layers do not come
#: to rest (20 mm/s in a fold), with half twice as much stretch stays in a fold, and what stalls hops twice as fast.
WARM_START_SHARE = 0.8
#: [1] Of the deficit to the kept distance that one substep makes up, at most: the loss of forces. All of it at once ejects
#: bodies that lie on each other: a pile at 10 mm/s in place of 2.5.
APPROACH_SHARE = f32(1 - WARM_START_SHARE)

# ---- Continuous collision detection ---------------------------------------------------------------------------------------
#: Passes in which an impact zone takes in only particles that it hits, before it takes in all within the kept distance.
ZONE_PASSES = 8
#: Vertices of a body, and [1] their share of it, up to which being clamped is no sign of a stall.
STALL_COUNT, STALL_SHARE = 3, 1e-3

# ---- Intersections --------------------------------------------------------------------------------------------------------
#: [recovery's way in a substep] That surfaces are moved apart by. With once that way *cross* stays in short substeps.
SEPARATION_STEP = 1.5
#: [median edge] The same, at most; and [1] stretch of the cloth around at which it gives up.
SEPARATION_SHARE = 0.3
#: [1] Times the required motion that a separation constraint may move its corners by, if they were alone.
SEPARATION_STRENGTH = 12.0
#: [1] Of the slopes along a contour that add up, from which they may turn it round; below half of it they do not decide
#: the direction.
CERTAIN = 0.7
#: [1] Sine between an edge and a triangle below which their slope is that of this sine, else a few shallow ones decide all;
#: and cosine to the direction before, from which it is another.
SHALLOW = 0.2
#: [1] What the length of a part counts for that hangs on something fixed, against one that is free.
HUNG = 4.0

# ---- The step of a sheet or a soft body -----------------------------------------------------------------------------------
#: [m/s^2] A step's error at most is this times h^2, with the length h of a substep: 0.035 mm in *Draft* and 0.006 mm in
#: *Production* at 24 frames a second. So errors of a frame's substeps add up to a motion that does not depend on their
#: number. With half of it a quarter more iterations, with twice 0.9 mm of error in a drape at rest, not 0.7.
TARGET = 2.0
#: Linear systems of a step, at most, for each of the setting *Keep Length*. With two in all, a sheet that lands keeps
#: trembling, which search and contact pay for.
SYSTEMS = 1.5
#: The same of ropes that touch nothing, of one iteration each. With six, 5 kg that fall by a metre leave 15 kN in a rope of
#: 1 MN, not 0.4.
SYSTEMS_OF_LINES = 8 * SYSTEMS
#: Conjugate gradient iterations of a system, at most, for each of the setting. Stiff sheets have as many as the setting:
#: with more, contacts that are evaluated again and again topple standing bodies (standing cards).
ITERATIONS = 8
#: [1] Of its residual, squared, that the first system of a step leaves; with limits also how well the first fall of the
#: potential is to be predicted. With 1e-3 denim gains 2 % of energy in ten swings, with 1e-4 a fifth more iterations.
LEFT = 3e-4
#: [1] Residual of later systems, and of responses to contacts, at most; and half of their share of the target, squared.
#: Where contacts come and go each system halves the error. With 0.02 jelly takes 5 % more systems, with LEFT a third more
#: iterations.
LATER_LEFT = 0.01
#: [1] Of the potential's fall so far: with limits a step ends where a system brings less. With 0.02 a limited trampoline
#: gives its ball 55 J more.
LEAST_GAIN = 0.03
#: A motion that raises the potential is halved up to so many times; and [1] of the potential that counts as rounding.
HALVINGS, ROUNDING = 6, 1e-9
#: [1] Of its residual, squared: a system that leaves more has met a direction in which the second derivative of a solid is
#: negative. Of Coulomb's bounds: friction beyond them, in sum, that systems after the first may leave. With none a block
#: near the friction angle slips on: each system cuts what exceeds its bound, and friction within its bound grows little.
UNSOLVED = 0.25
#: Rings of neighbours to whose mean motion a vertex is held that the clamp has held. With two, sheets that stall hop faster;
#: held to the mean of all, folds do not come to rest.
RINGS = 6
#: [1] Times its own stiffness, a vertex is held that is to stay.
STAYS = 1e4
#: [1] Of how much incomplete factors add to their diagonal, in turn; they are made anew while a pivot is below a share of
#: its diagonal number.
CAREFUL, SMALLEST_PIVOT = (0.1, 0.3, 1.0), 2e-5

# ---- How stiff contacts are in the step -----------------------------------------------------------------------------------
#: [trace of their vertices' own blocks] Contacts of sheets, with what no force moves and with each other. With half of it a
#: rope that is twisted tight stores 7 % of what sweeps of contacts push apart again, and gains 41 mJ; with five times as
#: much ribbons that lie across each other tremble by 80 mm/s, not 15.
STIFFNESS = 0.06
#: [the same] Contacts of sheets below rigid bodies, whose weight crosses all layers, of soft bodies, and ties of ropes. With
#: that of sheets alone a block of 2 kg on eight of them hops at 0.3 m/s for ever, not at 0.1, and an impact crushes a soft
#: body's elements at single vertices; with three times as much jelly takes a fifth more iterations, dominoes an eighth.
STIFFNESS_BELOW_BODIES = 1.0
#: [the same] Contacts of sheets with rigid bodies, and with soft bodies before their compliance: stiffer than the sheet
#: around a vertex. With a third of it a ball of 2 kg sinks in by 2 mm, at ten times few systems find what pushes.
STIFFNESS_WITH_BODIES = 3.0

#: [mu times the normal force] Friction below it sticks: a sliding contact has all of it, but for rounding.
STUCK = 1 - LEAST_TOLERANCE

#: [stiffness that moves their bodies by a metre] Contacts of rigid bodies with each other, with colliders and planes: their
#: compliance is next to nothing of it.
STIFFNESS_OF_RIGID_CONTACTS = 1 / SLIGHT
#: Rigid bodies that are eliminated together, at most: so many hand the weight of a pile down, as so many sweeps do. The work
#: of their factors grows with the cube.
MOST_CLUSTERED = MOST_SWEEPS

# ---- Stiff sheets: they move as a whole -----------------------------------------------------------------------------------
#: [h^2 k / m] Of bending, from which on a sheet is stiff: of first order as a whole where contact may push any vertex, and
#: clamped as a whole. Without, standing cards tremble at 3 to 4 mm/s, not 0.4, and a ball gives a fine house 6 mJ, not 0.01.
BOARD = 3.0

# ---- Left to sweeps -------------------------------------------------------------------------------------------------------
#: [h^2 k / m, for each sweep of a substep] Up to which a solid is left to the sweeps.
REACH = 0.75
#: [the same] Up to which sweeps take up motion since a solution: at 12 they do, at 90 the sweeps of an impact blow up
#: a jelly. Of bending, sweeps start from all of the last displacement up to it, and from a share that falls beyond.
GOES_ON = 15.0
#: [1] Strain that sweeps may add to that of a hung sheet before a warning.
MOST_ADDED = 0.01

# ---- Shorter substeps -----------------------------------------------------------------------------------------------------
#: [median edge] That the clamp may take away from the motion of more than a few vertices in a substep, before that is done
#: again in shorter ones: below it surfaces only stop against each other, beyond it a sheet is torn.
STALLED = 0.125
#: [median edge] The same of any vertex of a sheet that is stiff or has limits: a vertex that stays behind stretches it, by
#: a point. With an eighth of an edge a card house gets 5.5 mJ of the ball that hits it, not 1, and trampolines go up to 10
#: points beyond a limit, not 1.
STALLED_INEXTENSIBLE = 0.01
#: Times the substeps of the setting, at most.
MOST_TIMES = 8
