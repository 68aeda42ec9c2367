"""The forms of rows, and their table; rows.py says what they are."""

from __future__ import annotations

GAP, ACROSS, SPAN, TIED = range(4)
ROW = [
    ("form", "i4"),
    ("first", "i4"), ("second", "i4"),  # frames
    ("of", "i4"),  # the frame in which a is fixed: the first, or 0
    ("signal", "i4"),  # s, or -1
    ("angle", "i4"),  # dimensionless rather than a length
    ("stage1", "i4"), ("stage2", "i4"),
    ("at1", "f8", (3,)), ("at2", "f8", (3,)),  # P from O, frame axes
    ("a", "f8", (3,)), ("b", "f8", (3,)),
    ("c", "f8"),
]  # fmt: skip
SOFT = [("v", "f8"), ("p", "f8")]  # how much a row gives way, system.regularisation

# the way of rows through the elimination; courses.py says where they go
COURSE = [
    ("nth", "i4"),  # the frame that is eliminated as this one in number, from 0
    ("passing", "i4"), ("passed", "i4"),  # rows that pass the joint of this frame
    ("bending", "i4"), ("bent", "i4"),  # rows that pass the modes of this part
    ("closing", "i4"), ("closed", "i4"),  # rows that are eliminated here
]  # fmt: skip
PASSING = [("row", "i4"), ("side", "i4"), ("late", "i4")]  # `late`: not if closed early
CLOSING = [("row", "i4"), ("side", "i4"), ("early", "i4"), ("until", "i4")]  # where those end that it may meet
PAIR = [("r", "i4"), ("q", "i4"), ("late", "i4")]  # rows that meet anywhere, q <= r; last those that do only if late

# what rubs; friction.py says how
AXLE, BALL, THREAD = range(3)
FRICTION = [
    ("form", "i4"),
    ("first", "i4"), ("last", "i4"),  # stages along which it slides
    ("axis", "i4"),  # the stage whose axis is that of the bearing
    ("row", "i4"),  # of a thread, or -1
    ("parent", "i4"), ("child", "i4"),  # frames before and behind the joint
    ("on", "i4"), ("at", "f8", (3,)),  # its point: the frame that it is fixed in, and where it is from O there
    ("radius", "f8"),
    ("over_length", "f8"),  # 1/length of the bearing, 0 without
    ("ends", "f8"),  # what turns loads along the axis into those of the surfaces: collar/radius, or of a thread
    ("arm", "f8"), ("mu", "f8"), ("more", "f8"), ("over_stribeck", "f8"), ("over_velocity", "f8"),  # of the law
    ("slip", "f8"),  # +-1: of a joint that sticks and slips so, along one stage
]  # fmt: skip
