"""The constants of contact: thresholds that several stages share, and those that set how well and how far each stage goes.

Each line gives the unit, what the value scales with, and why it is what it is; a share is of what it scales with. Thickness
is the distance that two surfaces keep. Constants that only say how a search is laid out in memory stay beside the search.
Kernels take these as compiled constants. Where one is a `float32`, so is the arithmetic around it.
"""

from __future__ import annotations

from ..device.cpu import f32

# ---- Distances ------------------------------------------------------------------------------------------------------------
#: Share of the thickness. Pairs nearer than this within a substep become contacts: a tenth more than is kept, so that a
#: contact is there before it pushes.
ACTIVATION = f32(1.1)
#: Share of the distance kept from a half-space, beside half of the substep's motion; as `ACTIVATION`, but a half-space
#: costs next to nothing, so it begins earlier.
HALF_SPACE_ACTIVATION = f32(1.5)
#: Share of the thickness that no pair may come nearer than: distances in single precision have rounding, and a gap that
#: only shrinks by shares goes to zero in the end.
LEAST_GAP = f32(0.03)
#: Share of a distance that motion may use up without a closer look, against rounding.
SAFE_SHARE = f32(0.9)
#: [m] Stands for the distance of a pair that is excluded from contact; larger than any scene in single precision.
EXCLUDED = f32(1e6)
#: Share of the thickness by which the elements of a pair that is near, but no local minimum of the distance, may move
#: against each other until the pair is measured again. Continuous collision detection goes on meanwhile.
REMEASURE = f32(0.08)
#: Share of what is missing to the kept distance that one substep makes up, at most: all of it at once throws up what lies
#: on each other.
APPROACH_SHARE = f32(0.2)
#: [m/s] Speed at which surfaces that are too near are moved apart, at most; an artist sees no jump at this speed.
RECOVERY_SPEED = 0.5

# ---- Surfaces and pairs of elements ---------------------------------------------------------------------------------------
#: Share of the shortest edge at a vertex that the thickness between bodies may take: with more, neighbours push each other.
SHORTEST_EDGE_SHARE = 0.45
#: Share of their distance at rest that two elements of one object may be made to keep, so that nothing pushes at rest.
REST_SHARE = f32(0.9)
#: Square of the sine of a triangle's corner below which it has no normal: in float32 a cross product is rounding then.
SLIVER = 1e-10
#: Square of the sine between two edges below which they are parallel: their determinant is rounding then.
PARALLEL = 1e-7
#: Share of an edge from its ends on, in which closest points belong to the corner there.
EDGE_END = 1e-4
#: Sine by which another element may lie nearer before a pair stops being a local minimum of the distance, against rounding.
LOCAL_MINIMUM_SINE = 0.02
#: Sine by which a face falls away from a contact of its edge, up to which faces count as flat, and share of the thickness
#: that edges that cross between flat faces keep: corners around hold such faces apart as well.
FLAT_SINE, FLAT_SHARE = 0.15, 0.5

# ---- Neighbour lists ------------------------------------------------------------------------------------------------------
#: Skin of a particle, as shares of its object's thickness and of its median edge, whichever is larger: more leaves more
#: pairs to be looked at, less makes more new lists.
SKIN_THICKNESS_SHARE, SKIN_EDGE_SHARE = 0.35, 0.15
#: Times as much that it is where there is room, at most, in sheets that have windows; elsewhere neighbours are always near.
THICKEST_SKIN = 2.0
#: Share of the bodies' median edge that particles may move against each other until lists are made anew.
LIST_MOTION = 4.0
#: The same where all is quiet, and lists last for more than a frame; and substeps that they last, at most.
QUIET_LIST_MOTION, LONGEST_LIFETIME = 0.25, 64
#: Share of the particles that fell freely, up to which none is expected to.
FREE_FALL_SHARE = 0.02
#: Share of particles with new paths from which on a new frame makes new lists.
RENEWED_SHARE = 0.1
#: Share of its skin, or of its time, that a particle may have used up when it gets a new path because others do. With 0.8
#: fewer do, but in a tenth more substeps of layers that fall on each other.
DRIFTED_SHARE = 0.65
#: Share of the particles that may be faster than a list's lifetime allows: these get new paths before it ends, instead of
#: all others with them.
FAST_SHARE = 0.05
#: Substeps that pairs of particles that left their paths are searched for, at least: their motion is hard to foresee.
RENEWED_LIFETIME = 2
#: Share of the particles up to which only the boxes of those with new paths are made anew.
PARTLY_FITTED_SHARE = 0.1

#: Edges in a cell of a smooth sheet, in the mean; 192 are 8 x 8 squares. Larger cells have more room between spheres,
#: smaller ones may curve more within a window of two.
CELL_SIZE = 192
#: Edges in a cell of the windows in which no pairs are searched for, in the mean: 2 x 2 squares. Few, since folds are smooth
#: in small windows only, and no more than fill the 16 lanes of a block in a tree.
WINDOW_CELL_SIZE = 12
#: By which the eigenvalues that say how smooth a window is have to be above what is asked for when it is taken for smooth.
SMOOTH_MARGIN = 0.15
#: Share of its smallest triangle by which the area of a sheet at rest may differ from that of a convex region, against
#: rounding.
CONVEX_SHARE = 0.02
#: Times what smooth sheets have to keep, against rounding and what the last share allows.
SMOOTH_SHARE = 1.1

#: Candidate pairs for each particle, and at all, up to which lists may grow; a pair takes up to 180 bytes, a particle 36 kB.
#: Tightly twisted sheets have 10 to 25 pairs a particle in the mean, 240 in a substep in which they are thrown about.
MOST_PAIRS_A_PARTICLE, MOST_PAIRS_AT_LEAST = 200, 1 << 21

# ---- Sweeps of constraints ------------------------------------------------------------------------------------------------
#: Iterations. Contacts of pairs are swept in every one of so many: they converge in fewer sweeps than the energies around
#: them.
PAIR_INTERVAL = 2
#: Sweeps of the constraints for one sweep of the energies, at most: so many hand the weight of a pile down.
MOST_SWEEPS = 8
#: Share of the smallest thickness that a contact may miss its target by without another sweep. At 0.05 the speed of a pile
#: at rest depends on the processor's rounding.
SWEEP_TOLERANCE = 0.015
#: Where things come to rest: share of the way that contacts' vertices went in the last substep, instead, and at least of the
#: thickness; and sweeps at most. What is missed becomes a speed: at rest piles would tremble by 1.5 % of it a substep.
RESTING_TOLERANCE, LEAST_TOLERANCE, MOST_RESTING_SWEEPS = 0.1, 0.001, 16
#: Sweeps of contacts of coupled vertices for each sweep of the others; forwards and backwards.
COUPLED_SWEEPS = 2
#: Sweeps more of contacts between rigid bodies alone, at most: no elements wait in between, and heavy bodies on light ones
#: need many.
MOST_COUPLED_SWEEPS = 40
#: Share of the distance that coupled vertices keep, by which one of their contacts may be off after the last sweep.
COUPLED_TOLERANCE = 1e-4
#: Share of a pair's force that the next substep begins with. With all of it layers do not come to rest (20 mm/s in a
#: fold), since what pushed too much for a substep throws them; with half, twice as much stretch stays in a fold.
WARM_START_SHARE = 0.8

# ---- Continuous collision detection ---------------------------------------------------------------------------------------
#: Passes over all pairs at the end of a substep; each clamps more, and all levels are used up before.
CCD_PASSES = 40
#: Levels of the clamp: the safe share of the own motion, half of the gap beside the motion of what is nearest, an eighth
#: of it, the motion common to all.
CCD_LEVELS = 4
#: The level of what moves in an impact zone, beyond all others; and passes in which a zone takes in only what it hits,
#: before it takes in all that is nearer to it than is kept.
IN_ZONE, ZONE_PASSES = CCD_LEVELS + 1, 8
#: Share of half its gap that a clamped particle may move, from the second level on.
HALF_GAP_SHARE = 0.8
#: Steps of conservative advancement along a motion before it counts as failed.
CCD_STEPS = 48
#: Share of what is left of having been clamped that the next substep begins with, as of a contact's force; at half of it
#: what stalls hops twice as fast. Below the second number nothing is left.
HELD_SHARE, LEAST_HELD = 0.8, 0.05
#: Vertices of a body, and their share of it, up to which being clamped is no sign of a stall.
STALL_COUNT, STALL_SHARE = 3, 1e-3

# ---- Intersections --------------------------------------------------------------------------------------------------------
#: Times the distance that surfaces are moved apart by in a substep (short substeps left the X crossing of two sheets
#: standing).
SEPARATION_STEP = 1.5
#: Share of the bodies' median edge that a separation constraint asks for in a substep, at most.
SEPARATION_EDGE_SHARE = 0.3
#: Times what is asked for that a separation constraint may move its corners by, if they were alone.
SEPARATION_STRENGTH = 12.0
#: Stretch [1] of the cloth around at which a separation constraint gives up.
SEPARATION_STRETCH = 0.3
#: Share of its speed against its surroundings that what is separated loses in a substep.
SEPARATION_DAMPING = 0.5
