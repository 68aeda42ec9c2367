"""Faults in files of mechanisms in space and what their message must hold; all one change away from GOOD."""

from __future__ import annotations

GOOD = """\
format = 1
kind = "spatial"
name = "Workshop"
about = "A crank drives a rocker through a rod with balls; beside it a press, a shaft and a lid."
units = "kg-mm"
gravity = [0.0, 0.0, -9810.0]

[points]
A = [0.0, 0.0, 0.0]
B = [100.0, 0.0, 0.0]
C = [300.0, 200.0, 100.0]
D = [300.0, 0.0, 100.0]
tip = [0.0, 500.0, 0.0]
loose = [7.0, 7.0, 7.0]

[bodies.crank]
points = ["A", "B"]
mass = 0.8
com = [40.0, 0.0, 0.0]
inertia = [100.0, 700.0, 750.0]

[bodies.coupler]
points = ["B", "C"]
mass = 0.5

[bodies.rocker]
points = ["C", "D"]
mass = 0.6

[bodies.ram]
points = ["tip"]
mass = 2.0
com = [0.0, 500.0, 20.0]
inertia = [[400.0, 0.0, 0.0], [0.0, 400.0, 0.0], [0.0, 0.0, 400.0]]

[bodies.nut]
mass = 0.1
com = [0.0, 500.0, 90.0]
inertia = [20.0, 20.0, 30.0, 0.0, 0.0, 0.0]

[bodies.sleeve]
mass = 0.2
com = [0.0, 0.0, -50.0]
inertia = [20.0, 20.0, 30.0]

[bodies.float]
mass = 0.2
com = [-400.0, 0.0, 0.0]
inertia = [20.0, 20.0, 30.0]

[joints.A]
type = "revolute"
bodies = ["ground", "crank"]
point = "A"
axis = [0.0, 0.0, 1.0]

[joints.B]
type = "spherical"
bodies = ["crank", "coupler"]
point = "B"

[joints.cross]
type = "universal"
bodies = ["coupler", "rocker"]
point = "C"
axes = [[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]]

[joints.D]
type = "revolute"
bodies = ["ground", "rocker"]
point = "D"
axis = [1.0, 0.0, 0.0]

[joints.slide]
type = "prismatic"
bodies = ["ground", "ram"]
point = "tip"
axis = [0.0, 0.0, 2.0]

[joints.thread]
type = "screw"
bodies = ["ram", "nut"]
point = [0.0, 500.0, 90.0]
axis = [0.0, 0.0, 1.0]
pitch = 0.5

[joints.bush]
type = "cylindrical"
bodies = ["ground", "sleeve"]
point = [0.0, 0.0, -50.0]
axis = [0.0, 0.0, 1.0]

[joints.stay]
type = "distance"
bodies = ["ground", "sleeve"]
points = ["loose", [10.0, 0.0, -50.0]]
length = 60.0

[joints.glue]
type = "weld"
bodies = ["rocker", "float"]

[joints.gear]
type = "coupling"
joints = ["thread", "bush"]
coordinates = ["angle", "travel"]
ratio = 2.0

[joints.afar]
type = "free"
bodies = ["crank", "nut"]

[drivers.motor]
joint = "A"
motion = { type = "linear", rate = 20.0 }

[drivers.lift]
type = "coordinate"
joint = "slide"
coordinate = "travel"
motion = { type = "cycloid", end = 30.0, duration = 1.0 }

[drivers.ram]
type = "distance"
points = ["loose", "B"]
motion = 2.0

[drivers.held]
type = "position"
point = "C"
axis = "y"
body = "rocker"
motion = { type = "sine", amplitude = 3.0, frequency = 2.0 }

[forces.push]
type = "load"
body = "coupler"
point = "C"
force = [1.0, 0.0, { type = "sine", amplitude = 1.0, frequency = 2.0 }]

[forces.wind]
type = "torque"
bodies = ["ground", "float"]
torque = [0.0, 0.0, 2.0]

[forces.band]
type = "spring"
bodies = ["ground", "rocker"]
points = ["loose", "C"]
stiffness = 2.0
length = 70.0

[forces.coil]
type = "torsion"
joint = "D"
stiffness = 3.0
angle = 0.5

[forces.servo]
type = "motor"
joint = "bush"
coordinate = "travel"
effort = 1.0

[initial]
position = { D = 0.1, cross = [0.1, 0.2], bush = { angle = 0.2 } }
rate = { D = 3.0 }
omega = { crank = [0, 0, 20.0] }
velocity = { B = [0, 2000.0, 0] }

[run]
duration = 1.0
cut = ["B"]

[check]
dof = 4
"""

MOTOR = '[drivers.motor]\njoint = "A"\n'
LIFT = '[drivers.lift]\ntype = "coordinate"\njoint = "slide"\ncoordinate = "travel"\n'
HELD = '[drivers.held]\ntype = "position"\npoint = "C"\naxis = "y"\n'
LINEAR = 'type = "linear", rate = 20.0'
BUSH = 'joint = "bush"\ncoordinate = "travel"'
GEAR = 'joints = ["thread", "bush"]\ncoordinates = ["angle", "travel"]\n'
CROSS = "axes = [[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]]"
BALL = 'type = "spherical"\nbodies = ["crank", "coupler"]\npoint = "B"\n'
Case = tuple[str, str, str, tuple[str, ...]]  # id, passage, what stands there instead, words


def case(name: str, old: str, new: str, *words: str) -> Case:
    """Return one change of the good file, at the first place where the passage stands."""
    assert old in GOOD, old
    return name, old, new, words


SHAPE = (
    case("kind misspelt", '"spatial"', '"spacial"', 'key "kind"', '"spacial" unknown', '"spatial"'),
    case("kind a number", '"spatial"', "3", 'key "kind"', "3 unknown", "planar, spatial"),
    case("kind forgotten", 'kind = "spatial"\n', "", "got 3", 'kind = "spatial"'),
    case("planar gravity", "[0.0, 0.0, -9810.0]", "[0.0, -9810.0]", '"gravity"', "three numbers", "got 2"),
    case("units misspelt", '"kg-mm"', '"kg-m"', 'key "units"', "'kg-m' unknown", '"kg-mm"'),
    case("reserved", "[points]", "[sensors]\n[points]", 'key "sensors"', "reserved"),
    case("impulse on nothing", "[run]", '[impulses.hit]\nbody = "crnk"\n[run]', 'impulse "hit"', '"crnk" unknown'),
    case("point in the plane", "tip = [0.0, 500.0, 0.0]", "tip = [0.0, 500.0]", 'point "tip"', "three numbers"),
    case("point not a number", "A = [0.0, 0.0, 0.0]", "A = [nan, 0.0, 0.0]", 'point "A"', "finite"),
    case("point twice", "A = [0.0, 0.0, 0.0]", "A = [0, 0, 0]\nA = [0, 0, 0]", "repeated name", "A"),
    case("joint twice", "[joints.D]", "[joints.A]", "repeated name", "joints.A"),
    case("name with a dot", "[bodies.float]", '[bodies."flo.at"]', 'section "bodies"', '"flo.at"', "rename"),
    case("body called ground", "[bodies.float]", "[bodies.ground]", 'body "ground"', "rename"),
    case("body named like a point", "[bodies.float]", "[bodies.tip]", 'body "tip"', "a point has the same name"),
    case("body named like a joint", "[joints.glue]", "[joints.float]", 'body "float"', "a joint has the same name"),
    case("driver named like a joint", "[drivers.lift]", "[drivers.bush]", 'driver "bush"', "rename"),
    case("cut of nothing", 'cut = ["B"]', 'cut = ["ball"]', 'section "run"', 'no joint "ball"'),
)

BODIES = (
    case("mass negative", "mass = 0.8", "mass = -1.0", 'body "crank"', '"mass"', "negative"),
    case("mass endless", "mass = 0.8", "mass = inf", 'body "crank"', '"mass"', "finite"),
    case("length of the plane", "mass = 0.8", "mass = 0.8\nlength = 3.0", 'body "crank"', 'key "length" unknown'),
    case("com in the plane", "com = [40.0, 0.0, 0.0]", "com = [40.0, 0.0]", 'body "crank"', '"com"', "three numbers"),
    case("com missing", "com = [0.0, 500.0, 20.0]\n", "", 'body "ram"', '"com" is required', "1 point"),
    case("com missing, no points", "com = [0.0, 500.0, 90.0]\n", "", 'body "nut"', '"com" is required', "0 point"),
    case("inertia missing", "inertia = [20.0, 20.0, 30.0]\n", "", 'body "sleeve"', '"inertia" is required', "0 point"),
    case(
        "three points without inertia", '["B", "C"]', '["B", "C", "loose"]', 'body "coupler"', "required", "3 point(s)"
    ),
    case("inertia of four", "[100.0, 700.0, 750.0]", "[1, 1, 1, 0]", 'body "crank"', '"inertia"', "got 4"),
    case("inertia a number", "[100.0, 700.0, 750.0]", "100.0", 'body "crank"', '"inertia"', "list"),
    case("inertia skew", "[0.0, 400.0, 0.0]", "[2.0, 400.0, 0.0]", 'body "ram"', "xy is 0", "2 below"),
    case("inertia negative", "[100.0, 700.0, 750.0]", "[-1, 1, 1]", 'body "crank"', "-1, 1 and 1", "negative"),
    case("triangle", "[100.0, 700.0, 750.0]", "[100, 700, 900]", 'body "crank"', "100, 700 and 900", "triangle"),
    case("unknown point", '["B", "C"]', '["B", "CC"]', 'body "coupler"', '"CC" unknown', '"C"'),
    case("point listed twice", '["B", "C"]', '["B", "B"]', 'body "coupler"', '"B"', "twice"),
    case("no rod", "C = [300.0, 200.0, 100.0]", "C = [100.0, 0.0, 0.0]", 'body "coupler"', '"B" and "C"', "no rod"),
    case("key misspelt", "mass = 0.8", "mas = 0.8", 'body "crank"', 'key "mas" unknown', '"mass"'),
    case("not joined", 'points = ["tip"]', 'points = ["tip", "C"]', 'point "C"', '"coupler" and "ram"', "spherical"),
    case(
        "joined elsewhere",
        'bodies = ["crank", "coupler"]\npoint = "B"',
        'bodies = ["crank", "coupler"]\npoint = "loose"',
        'point "B"',
        '"crank" and "coupler"',
        "no joint keeps it common",
    ),
    case(
        "joined by what slides",
        BALL,
        BALL.replace("spherical", "cylindrical") + "axis = [0, 0, 1]\n",
        'point "B"',
        '"crank" and "coupler"',
        "revolute, spherical, universal or weld",
    ),
)

JOINTS = (
    case("unknown type", '"spherical"', '"sperical"', 'joint "B"', '"sperical" unknown', '"spherical"'),
    case("type of a tree", '"spherical"', '"ball"', 'joint "B"', '"ball" is called "spherical"'),
    case("type missing", 'type = "spherical"\n', "", 'joint "B"', 'key "type" is missing', "universal"),
    case("axis missing", "axis = [0.0, 0.0, 1.0]\n", "", 'joint "A"', 'key "axis" is missing'),
    case("axis zero", "axis = [0.0, 0.0, 1.0]", "axis = [0, 0, 0]", 'joint "A"', '"axis"', "not be [0, 0, 0]"),
    case("axis in the plane", "axis = [0.0, 0.0, 1.0]", "axis = [0, 1]", 'joint "A"', '"axis"', "three numbers"),
    case("axis not a number", "axis = [0.0, 0.0, 1.0]", "axis = [0, 0, nan]", 'joint "A"', '"axis"', "finite"),
    case("axis of a ball", BALL, BALL + "axis = [0, 0, 1]\n", 'joint "B"', 'key "axis" unknown'),
    case("point missing", 'point = "A"\n', "", 'joint "A"', 'key "point" is missing'),
    case("point unknown", 'point = "A"', 'point = "Aa"', 'joint "A"', 'point "Aa" unknown', '"A"'),
    case("point a number", 'point = "A"', "point = 3", 'joint "A"', '"point"', "name of a point or three"),
    case("body unknown", '["ground", "crank"]', '["ground", "crnk"]', 'joint "A"', '"crnk" unknown', '"crank"'),
    case("three bodies", '["ground", "crank"]', '["ground", "crank", "ram"]', 'joint "A"', "2 names", "got 3"),
    case("on itself", '["ground", "crank"]', '["crank", "crank"]', 'joint "A"', '"crank"', "twice"),
    case("axes parallel", CROSS, "axes = [[0, 1, 0], [0, -2, 0]]", 'joint "cross"', '"axes"', "parallel", "revolute"),
    case("three axes", CROSS, "axes = [[0, 1, 0], [1, 0, 0], [0, 0, 1]]", '"axes"', "two directions", "got 3"),
    case("an axis for axes", CROSS, "axis = [0, 0, 1]", 'joint "cross"', '"axis" unknown', '"axes"'),
    case("pitch zero", "pitch = 0.5", "pitch = 0", 'joint "thread"', '"pitch"', "is a revolute"),
    case("pitch missing", "pitch = 0.5\n", "", 'joint "thread"', 'key "pitch" is missing', "length per rad"),
    case("weld at nothing", 'type = "weld"', 'type = "weld"\npoint = "tp"', 'joint "glue"', '"tp" unknown', '"tip"'),
    case("rod between one point", '["loose", [10.0', '["loose", "A", [10.0', 'joint "stay"', "two places", "got 3"),
    case("rod not on its body", "[10.0, 0.0, -50.0]]", '"tip"]', 'joint "stay"', '"tip" is not on body "sleeve"'),
    case("rod at nothing", "[10.0, 0.0, -50.0]]", '"tipp"]', 'joint "stay"', '"tipp" unknown', '"tip"'),
    case("rod without length", "[10.0, 0.0, -50.0]]", "[7, 7, 7]]", 'joint "stay"', "[7.0, 7.0, 7.0]", "no direction"),
    case("gear of one", GEAR, 'joints = ["thread"]\n', 'joint "gear"', '"joints"', "2 names", "got 1"),
    case("gear of nothing", GEAR, 'joints = ["thread", "E"]\n', 'joint "gear"', 'joint "E" unknown'),
    case("gear of two", GEAR, 'joints = ["thread", "bush"]\n', 'joint "gear"', "several coordinates", "travel, angle"),
    case(
        "gear of a ball", GEAR, GEAR.replace("bush", "B").replace("travel", "angle1"), 'joint "gear"', "of a spherical"
    ),
    case("gear that holds", "ratio = 2.0", "ratio = 0.0", 'joint "gear"', '"ratio"', "weld"),
    case("rod of length zero", "length = 60.0", "length = 0.0", 'joint "stay"', '"length"', "above zero"),
)

DRIVERS = (
    case("unknown driver", '"coordinate"', '"coordinat"', 'driver "lift"', '"coordinat" unknown', '"coordinate"'),
    case("bodies of the plane", 'joint = "A"', 'bodies = ["ground", "crank"]', 'driver "motor"', '"bodies" unknown'),
    case("joint unknown", 'joint = "A"', 'joint = "AA"', 'driver "motor"', 'joint "AA" unknown'),
    case("turned ball", 'joint = "A"', 'joint = "B"', 'driver "motor"', "several", "angle1, angle2, angle3"),
    case("pushed hinge", LIFT, LIFT.replace("slide", "D"), 'driver "lift"', 'no coordinate "travel"', "known: angle"),
    case("pushed screw", LIFT, LIFT.replace("slide", "thread"), 'driver "lift"', '"thread" has no coordinate "travel"'),
    case("driven weld", 'joint = "A"', 'joint = "glue"', 'driver "motor"', "is a weld", "no coordinate"),
    case("one body", '["loose", "B"]', '["B", "A"]', 'driver "ram"', "both points", "points of two bodies"),
    case("distance of nothing", '["loose", "B"]', '["loose", "BB"]', 'driver "ram"', '"BB" unknown'),
    case("distance of no bodies", '["loose", "B"]', '[[1, 2, 3], "B"]', 'driver "ram"', 'key "bodies" is missing'),
    case("driven twice", LIFT, MOTOR.replace("motor", "lift"), 'driver "lift"', '"angle" of "A"', 'driver "motor"'),
    case(
        "point driven twice",
        HELD,
        HELD.replace("held", "also") + f"motion = {{ {LINEAR} }}\n\n" + HELD,
        'driver "held"',
        '"y" of "C"',
        'driver "also"',
    ),
    case("jump", LINEAR, 'type = "step", time = 1, after = 2', 'driver "motor"', "step jumps", '"cycloid"'),
    case("motion missing", f"motion = {{ {LINEAR} }}\n", "", 'driver "motor"', 'key "motion" is missing'),
    case("fixed point driven", HELD, HELD.replace("C", "loose"), 'driver "held"', '"loose" is not on body "rocker"'),
    case("ground driven", HELD + 'body = "rocker"\n', HELD.replace("C", "loose"), 'driver "held"', "cannot be driven"),
    case("point of another", 'body = "rocker"\n', 'body = "crank"\n', 'driver "held"', '"C" is not on body "crank"'),
    case("no such axis", 'axis = "y"', 'axis = "r"', 'driver "held"', '"axis"', "x, y, z"),
    case("nothing driven", HELD, HELD.replace("C", "Q"), 'driver "held"', 'point "Q" unknown'),
)

FORCES = (
    case("unknown force", '"torque"', '"torqe"', 'force "wind"', '"torqe" unknown', '"torque"'),
    case("load in the plane", "force = [1.0, 0.0, {", "force = [1.0, {", 'force "push"', '"force"', "three components"),
    case("load on ground", 'body = "coupler"', 'body = "ground"', 'force "push"', "does not move"),
    case("load on nothing", 'body = "coupler"', 'body = "couple"', 'force "push"', '"couple" unknown', '"coupler"'),
    case("load beside", 'body = "coupler"', 'body = "crank"', 'force "push"', '"C" is not on body "crank"'),
    case("load frame", 'body = "coupler"\n', 'body = "coupler"\nframe = "local"\n', 'force "push"', "global, body"),
    case("torque on ground", '["ground", "float"]', '["float", "ground"]', 'force "wind"', "does not move"),
    case("torque a number", "torque = [0.0, 0.0, 2.0]", "torque = 2.0", 'force "wind"', '"torque"', "list"),
    case("spring of one place", '["loose", "C"]', '["C"]', 'force "band"', "two places", "got 1"),
    case("spring beside", '["loose", "C"]', '["loose", "B"]', 'force "band"', '"B" is not on body "rocker"'),
    case("spring without ends apart", '["loose", "C"]', '["C", "C"]', 'force "band"', "one place", "no direction"),
    case("spring negative", "stiffness = 2.0", "stiffness = -2.0", 'force "band"', '"stiffness"', "negative"),
    case("coil in a ball", 'joint = "D"\nstiff', 'joint = "B"\nstiff', 'force "coil"', "about all axes", "as drawn"),
    case("coil that travels", "angle = 0.5", "length = 0.5", 'force "coil"', '"length"', "is an angle", '"angle"'),
    case("coil on nothing", 'joint = "D"\nstiff', 'joint = "E"\nstiff', 'force "coil"', 'joint "E" unknown'),
    case("motor of two", f"{BUSH}\n", 'joint = "bush"\n', 'force "servo"', "several coordinates", "travel, angle"),
    case("motor misspelt", BUSH, BUSH.replace("vel", "vle"), 'force "servo"', 'no coordinate "travle"', '"travel"'),
    case("motor in a weld", BUSH, 'joint = "glue"', 'force "servo"', "is a weld", "no coordinate"),
    case("motor without effort", "effort = 1.0\n", "", 'force "servo"', '"effort" and "moment"', "none is given"),
    case("motor in a ball", BUSH, 'joint = "B"\ncoordinate = "angle1"', 'force "servo"', "quaternion", '"moment"'),
)

START = (
    case("omega of ground", "crank = [0, 0, 20.0]", "ground = [0, 0, 1]", '"initial": omega', "does not move"),
    case("omega of nothing", "crank = [0, 0, 20.0]", "crnk = [0, 0, 1]", '"initial": omega', '"crnk" unknown'),
    case("omega a number", "crank = [0, 0, 20.0]", "crank = 20.0", '"initial"', '"omega"', '"crank"', "three numbers"),
    case("velocity of ground", "B = [0, 2000.0, 0]", "loose = [0, 1, 0]", '"initial": velocity', '"loose"', "cannot"),
    case("velocity of nothing", "B = [0, 2000.0, 0]", "Q = [0, 1, 0]", '"initial": velocity', '"Q" unknown'),
    case("position of nothing", "D = 0.1", "E = 0.1", '"initial": position', 'joint "E" unknown'),
    case("too many positions", "D = 0.1", "D = [0.1, 0.2]", '"initial": position', 'joint "D"', "1 number", "got 2"),
    case("position unknown", "bush = { angle", "bush = { angel", '"initial": position', 'no coordinate "angel"'),
    case("position of a rod", "D = 0.1", "stay = 0.1", '"initial": position', 'joint "stay"', "0 number", "got 1"),
    case("position driven", "D = 0.1", "A = 0.1", '"initial": position', 'joint "A"', 'driver "motor"', "prescribes 0"),
    case("rate driven", "rate = { D", "rate = { A", '"initial": rate', 'driver "motor"', "prescribes 20"),
)

BROKEN = (*SHAPE, *BODIES, *JOINTS, *DRIVERS, *FORCES, *START)
