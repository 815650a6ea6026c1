"""Records in plain arrays: how the belief search keeps its nodes, vectors and points.

Numba compiles slowly what is handed many arrays, and grows nothing by itself. So the model is two arrays and the
search four, and everything that comes into being is a record at an offset, taken from the end of `I` (integers) and
`F` (floats); an offset is also the record's name, and 0 means none. When the arrays are full the search
returns, Python makes larger ones, and it goes on.

    M  the model's integers (header, blocks, slots, branches, where entries start, where they lead)
    W  the model's floats (rewards, fast informed bound, corner values, weights)
    I  integers of nodes, kids, vectors and points      H  counters, and the lists of each block
    F  floats of the same                              T  the table of beliefs: hash -> first node
"""

from __future__ import annotations

import numpy as np

# typed, since a literal 0 or 1 as an argument is compiled as a type of its own
FIRST, LOWER, UPPER = np.int64(0), np.int64(0), np.int64(1)

# The model: M[...] holds where its tables begin; W is reached through offsets in the records.
BLOCKS_AT, SLOTS_AT, BRANCHES_AT, TO_WEIGHT, MODEL_HEADER = 0, 1, 2, 3, 8

# block: its size, first slot, number of slots, corner values (in W)
SIZE, FIRST_SLOT, SLOTS, CORNER, BLOCK_RECORD = 0, 1, 2, 3, 4
# slot: rewards (in W), fast informed bound (in W), first branch, number of branches
REWARD, INFORMED, FIRST_BRANCH, BRANCHES, SLOT_RECORD = 0, 1, 2, 3, 4
# branch: the block it leads to, where its entries start (in M, size + 1 offsets into M; weights at + TO_WEIGHT in W)
TARGET, ENTRIES, BRANCH_RECORD = 0, 1, 2

# H: counters, then a record for each block
USED_I, USED_F, VECTORS, POINTS, NODES, BACKUPS, TRIALS, WORK, ROOT, LIMIT_WORK = range(10)
IDLE, FINENESS, LIFTS, LIFTED_AT, HULL_AT = range(10, 15)
HEAD = 16
# of a block: newest vector, newest point, version of the corners, vectors, points, points when last pruned, usual
# vector
NEWEST_VECTOR, NEWEST_POINT, VERSION, VECTOR_COUNT, POINT_COUNT, PRUNED_AT, DEFAULT_VECTOR, LIST_RECORD = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    8,
)

# node: its block, bounds (in F: lower, upper), belief (in F), kids (in I), upper bounds of its actions (in F), best
# vector, last vector and point looked at, lifts and version of the corners then, mask of its support, next of equal
# hash
BLOCK, BOUNDS, BELIEF, KIDS, ACTION_UPPER, BEST, SAW_VECTOR, SAW_POINT, SAW_VERSION, MASK, CHAIN, SAW_LIFT = range(12)
NODE_RECORD = 12
# kids of one action: its expansion (0 = none yet), the backup in which it was last looked at
EXPANSION, LOOKED, KID_RECORD = 0, 1, 2
# expansion: floats (in F: what is surely had at least and at most, the weight that goes on, then that of each branch),
# then the child of each branch (0 = none)
FLOATS, CHILDREN = 0, 1
GOES_ON, WEIGHTS = 2, 3
# F itself begins with: how far apart values can be, and how close bounds must be to have met
SPREAD, CONVERGED = 1, 2

# vector: values (in F), slot, the next older vector of its block, number, the vector that replaced it, then its
# successors
ALPHA, SLOT, OLDER, NUMBER, REPLACED, SUCCESSORS = 0, 1, 2, 3, 4, 5
# point: floats (in F: value, excess over the corners, then weights, largest first), the next older point of its block,
# number, how many weights, mask of the support, then the local states of the weights
POINT_FLOATS, POINT_OLDER, POINT_NUMBER, COUNT, POINT_MASK, STATES = 0, 1, 2, 3, 4, 5
