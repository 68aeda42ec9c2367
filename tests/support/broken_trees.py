"""Files of trees that cannot be used, each with words that its message must hold; all one change away from GOOD."""

from __future__ import annotations

GOOD = """\
format = 1
kind = "spatial"
name = "Space manipulator"
about = "A floating body with an arm of two links and a slide."
units = "slug-inch"
gravity = [0.0, 0.0, -1.0]

[points]
tip = [0.0, 0.0, -78.0]
elbow = [0.0, 0.0, -42.0]

[bodies.main]
mass = 10.0
com = [0.0, 0.0, 0.0]
inertia = [240.0, 240.0, 240.0]

[bodies.upper]
mass = 1.5
com = [0.0, 0.0, -24.0]
inertia = [162.0, 162.0, 0.0, 0.0, 0.0, 0.0]

[bodies.fore]
mass = 1.0
com = [0.0, 0.0, -60.0]
inertia = [[108.0, 0.0, 0.0], [0.0, 108.0, 0.0], [0.0, 0.0, 1.0]]
points = ["tip"]

[bodies.tool]
mass = 0.0
com = [0.0, 0.0, -78.0]
inertia = [0.0, 0.0, 0.0]

[joints.base]
type = "free"
bodies = ["ground", "main"]
point = [0.0, 0.0, 0.0]

[joints.shoulder]
type = "spherical"
bodies = ["main", "upper"]
point = [0.0, 0.0, -6.0]

[joints.bend]
type = "revolute"
bodies = ["upper", "fore"]
point = "elbow"
axis = [0.0, 1.0, 0.0]

[joints.wrist]
type = "weld"
bodies = ["fore", "tool"]
point = "tip"

[drivers.lift]
joint = "shoulder"
coordinate = "angle1"
motion = { type = "cycloid", start = 1.5, end = 0.75, duration = 10.0 }

[forces.push]
type = "load"
body = "fore"
point = "tip"
force = [1.0, 0.0, { type = "sine", amplitude = 1.0, frequency = 2.0 }]

[forces.wind]
type = "torque"
bodies = ["ground", "main"]
torque = [0.0, 0.0, 2.0]

[forces.band]
type = "spring"
bodies = ["main", "fore"]
points = [[0.0, 1.0, 0.0], "tip"]
stiffness = 2.0
length = 70.0

[forces.coil]
type = "torsion"
joint = "bend"
stiffness = 3.0

[forces.servo]
type = "motor"
joint = "bend"
effort = 1.0

[impulses.hit]
time = 0.5
body = "main"
point = [0.0, 0.0, 0.0]
impulse = [1200.0, 0.0, 0.0]

[initial]
position = { base = [0, 0, 0, 0, 0, 0], shoulder = [1.5, 0, 0], bend = 0.3 }
rate = { bend = 1.0 }
omega = { main = [0, 0, 1] }

[run]
duration = 1.0

[check]
dof = 10
"""

HIT = '[impulses.hit]\ntime = 0.5\nbody = "main"\n'
LIFT = '[drivers.lift]\njoint = "shoulder"\ncoordinate = "angle1"\n'
Case = tuple[str, str, str, tuple[str, ...]]  # id, passage, what stands there instead, words


def case(name: str, old: str, new: str, *words: str) -> Case:
    """Return one change of the good file, at the first place where the passage stands."""
    assert old in GOOD, old
    return name, old, new, words


SHAPE = (
    case("kind misspelt", '"spatial"', '"spatal"', 'key "kind"', '"spatal" unknown', '"spatial"'),
    case("kind a number", '"spatial"', "3", 'key "kind"', "3 unknown", "planar, spatial"),
    case("kind forgotten", 'kind = "spatial"\n', "", "got 3", 'kind = "spatial"'),
    case(
        "planar gravity", "gravity = [0.0, 0.0, -1.0]", "gravity = [0.0, -1.0]", '"gravity"', "three numbers", "got 2"
    ),
    case("gravity of signals", "gravity = [0.0, 0.0, -1.0]", 'gravity = [{ type = "linear" }, 0, 0]', '"gravity"'),
    case("units misspelt", '"slug-inch"', '"slug-in"', 'key "units"', "'slug-in' unknown", '"slug-inch"'),
    case("units a list", '"slug-inch"', "[]", 'key "units"', "[] unknown", "SI"),
    case("reserved", "[points]", "[sensors]\n[points]", 'key "sensors"', "reserved"),
    case("unknown section", "[impulses.hit]", "[impulse.hit]", 'key "impulse" unknown', '"impulses"'),
    case("point in the plane", "tip = [0.0, 0.0, -78.0]", "tip = [0.0, -78.0]", 'point "tip"', "three numbers"),
    case("impulses a list", HIT, "[[impulses]]\n", 'section "impulses"', "[impulses.NAME]"),
    case("cut", "duration = 1.0\n\n[check]", 'cut = ["bend"]\n\n[check]', 'section "run"', '"cut"', "take it out"),
    case("name with a dot", "[bodies.tool]", '[bodies."to.ol"]', 'section "bodies"', '"to.ol"', "rename"),
    case("body called ground", "[bodies.tool]", "[bodies.ground]", 'body "ground"', "rename"),
    case("body named like a point", "[points]\n", "[points]\nmain = [0, 0, 0]\n", 'body "main"', "rename"),
    case("body named like a joint", "[joints.wrist]", "[joints.tool]", 'body "tool"', "a joint has the same name"),
    case("driver named like a joint", "[drivers.lift]", "[drivers.bend]", 'driver "bend"', "rename"),
)

BODIES = (
    case("mass negative", "mass = 10.0", "mass = -10.0", 'body "main"', '"mass"', "negative"),
    case("com in the plane", "com = [0.0, 0.0, 0.0]", "com = [0.0, 0.0]", 'body "main"', '"com"', "three numbers"),
    case("inertia missing", "inertia = [240.0, 240.0, 240.0]\n", "", 'body "main"', 'key "inertia" is required'),
    case("inertia of four", "[240.0, 240.0, 240.0]", "[1, 1, 1, 0]", 'body "main"', '"inertia"', "3 numbers", "got 4"),
    case("inertia a number", "[240.0, 240.0, 240.0]", "240.0", 'body "main"', '"inertia"', "list"),
    case("inertia a row short", "[0.0, 108.0, 0.0]", "[0.0, 108.0]", 'body "fore"', '"inertia"', "three numbers"),
    case("inertia skew", "[0.0, 108.0, 0.0]", "[2.0, 108.0, 0.0]", 'body "fore"', "xy is 0", "2 below"),
    case(
        "inertia negative", "[240.0, 240.0, 240.0]", "[-240, 240, 240]", 'body "main"', "-240, 240 and 240", "negative"
    ),
    case("inertia indefinite", "[240.0, 240.0, 240.0]", "[2, 2, 2, 3, 0, 0]", 'body "main"', "-1, 2 and 5", "negative"),
    case("triangle", "[240.0, 240.0, 240.0]", "[1, 1, 3]", 'body "main"', "1, 1 and 3", "triangle inequality"),
    case("triangle turned", "[240.0, 240.0, 240.0]", "[3, 3, 9, 1, 0, 0]", "2, 4 and 9", "triangle inequality"),
    case("inertia without mass", "mass = 1.5", "mass = 0.0", 'body "upper"', "mass is 0", "162"),
    case("key misspelt", "mass = 10.0", "mas = 10.0", 'body "main"', 'key "mas" unknown', '"mass"'),
    case("unknown point", 'points = ["tip"]', 'points = ["tipp"]', 'body "fore"', '"tipp" unknown', '"tip"'),
    case(
        "point on two bodies",
        "[bodies.upper]\n",
        '[bodies.upper]\npoints = ["tip"]\n',
        'point "tip"',
        '"upper" and "fore"',
        "no joint keeps it common",
    ),
)

JOINTS = (
    case("unknown type", '"revolute"', '"revolut"', 'joint "bend"', '"revolut" unknown', '"revolute"'),
    case("type missing", 'type = "revolute"\n', "", 'joint "bend"', 'key "type" is missing', "universal"),
    case("axis missing", "axis = [0.0, 1.0, 0.0]\n", "", 'joint "bend"', 'key "axis" is missing'),
    case("axis zero", "axis = [0.0, 1.0, 0.0]", "axis = [0, 0, 0]", 'joint "bend"', '"axis"', "not be [0, 0, 0]"),
    case("axis of a ball", "point = [0.0, 0.0, -6.0]", "axis = [1, 0, 0]", 'joint "shoulder"', 'key "axis" unknown'),
    case("axis in the plane", "axis = [0.0, 1.0, 0.0]", "axis = [0, 1]", 'joint "bend"', '"axis"', "three numbers"),
    case("point missing", 'point = "elbow"\n', "", 'joint "bend"', 'key "point" is missing'),
    case("point unknown", 'point = "elbow"', 'point = "elbo"', 'joint "bend"', '"elbo" unknown', '"elbow"'),
    case("point a number", 'point = "elbow"', "point = 3", 'joint "bend"', '"point"', "name of a point or three"),
    case("body unknown", '["upper", "fore"]', '["uper", "fore"]', 'joint "bend"', '"uper" unknown', '"upper"'),
    case("three bodies", '["upper", "fore"]', '["main", "upper", "fore"]', 'joint "bend"', "2 names", "got 3"),
    case("on itself", '["upper", "fore"]', '["fore", "fore"]', 'joint "bend"', '"fore"', "twice"),
    case("one axis", '"revolute"', '"universal"\naxes = [[1, 0, 0]]', 'joint "bend"', '"axis" unknown', "axes"),
    case(
        "axes parallel",
        '"revolute"\nbodies = ["upper", "fore"]\npoint = "elbow"\naxis = [0.0, 1.0, 0.0]',
        '"universal"\nbodies = ["upper", "fore"]\npoint = "elbow"\naxes = [[0, 1, 0], [0, -2, 0]]',
        'joint "bend"',
        '"axes"',
        "parallel",
        "revolute",
    ),
    case(
        "three axes",
        '"revolute"\nbodies = ["upper", "fore"]\npoint = "elbow"\naxis = [0.0, 1.0, 0.0]',
        '"universal"\nbodies = ["upper", "fore"]\npoint = "elbow"\naxes = [[0, 1, 0], [1, 0, 0], [0, 0, 1]]',
        '"axes"',
        "two directions",
        "got 3",
    ),
    case(
        "coordinates",
        'type = "spherical"',
        'type = "spherical"\ncoordinates = "euler"',
        '"coordinates"',
        "quaternion, angles",
    ),
)

DRIVERS = (
    case(
        "type of a driver", LIFT, LIFT + 'type = "rotation"\n', 'driver "lift"', 'type "rotation": leave the type out'
    ),
    case(
        "joint of nothing",
        'joint = "shoulder"',
        'joint = "sholder"',
        'driver "lift"',
        '"sholder" unknown',
        '"shoulder"',
    ),
    case("coordinate missing", 'coordinate = "angle1"\n', "", 'driver "lift"', "several coordinates", "angle1, angle2"),
    case("coordinate unknown", '"angle1"', '"angel1"', 'driver "lift"', 'no coordinate "angel1"', '"angle1"'),
    case("weld driven", LIFT, '[drivers.lift]\njoint = "wrist"\n', 'driver "lift"', "is a weld", "no coordinate"),
    case(
        "jump",
        'type = "cycloid", start = 1.5, end = 0.75, duration = 10.0',
        'type = "step", time = 1, after = 2',
        "jumps",
    ),
    case(
        "driven twice",
        LIFT,
        LIFT.replace("lift", "other") + "motion = 1.5\n\n" + LIFT,
        'driver "lift"',
        '"angle1" of "shoulder"',
        'driver "other"',
    ),
    case(
        "start contradicts",
        "shoulder = [1.5, 0, 0]",
        "shoulder = [0, 0, 0]",
        '"initial"',
        "angle1 is 0",
        "1.5",
        '"lift"',
    ),
    case("rate contradicts", "bend = 1.0", "shoulder = [1, 0, 0]", '"initial": rate', "angle1 is 1", "prescribes"),
)

FORCES = (
    case("unknown force", '"torque"', '"torqe"', 'force "wind"', '"torqe" unknown', '"torque"'),
    case("load in the plane", "force = [1.0, 0.0, {", "force = [1.0, {", 'force "push"', '"force"', "three components"),
    case("load on ground", 'body = "fore"', 'body = "ground"', 'force "push"', "does not move"),
    case("load on nothing", 'body = "fore"', 'body = "for"', 'force "push"', '"for" unknown', '"fore"'),
    case("load at nothing", 'point = "tip"\nforce', 'point = "tpi"\nforce', 'force "push"', '"tpi" unknown', '"tip"'),
    case(
        "load of a bad signal", 'type = "sine", amplitude', 'type = "sin", amplitude', 'force "push"', '"sin" unknown'
    ),
    case("load frame", 'body = "fore"\n', 'body = "fore"\nframe = "local"\n', 'force "push"', "global, body"),
    case(
        "torque on ground", '["ground", "main"]\ntorque', '["main", "ground"]\ntorque', 'force "wind"', "does not move"
    ),
    case("torque a number", "[0.0, 0.0, 2.0]", "2.0", 'force "wind"', '"torque"', "list"),
    case("spring of one place", '[[0.0, 1.0, 0.0], "tip"]', '["tip"]', 'force "band"', "two places", "got 1"),
    case("spring at nothing", '0.0], "tip"]', '0.0], "tap"]', 'force "band"', '"tap" unknown', '"tip"'),
    case("spring negative", "stiffness = 2.0", "stiffness = -2.0", 'force "band"', '"stiffness"', "negative"),
    case("coil on nothing", 'joint = "bend"\nstiff', 'joint = "bnd"\nstiff', 'force "coil"', '"bnd" unknown', '"bend"'),
    case("coil on six", 'joint = "bend"\nstiff', 'joint = "base"\nstiff', 'force "coil"', "several coordinates"),
    case("coil at rest elsewhere", 'joint = "bend"\nstiff', 'joint = "shoulder"\nrest = 1\nstiff', '"coil"', '"rest"'),
    case("motor without effort", "effort = 1.0\n", "", 'force "servo"', '"effort" and "moment"', "none"),
    case("motor with both", "effort = 1.0", "effort = 1.0\nmoment = [0, 0, 1]", 'force "servo"', "both are given"),
    case("moment of a hinge", "effort = 1.0", "moment = [0, 0, 1]", 'force "servo"', '"bend"', '"effort"'),
    case("moment on an angle", "effort = 1.0", 'coordinate = "angle"\nmoment = [0, 0, 1]', '"servo"', '"coordinate"'),
    case("effort of a ball", 'joint = "bend"\neffort', 'joint = "shoulder"\neffort', '"servo"', "several coordinates"),
)

START = (
    case("impulse before the run", "time = 0.5", "time = -0.5", 'impulse "hit"', '"time"', "negative"),
    case("impulse on ground", HIT, HIT.replace("main", "ground"), 'impulse "hit"', "does not move"),
    case("impulse on nothing", HIT, HIT.replace("main", "man"), 'impulse "hit"', '"man" unknown', '"main"'),
    case(
        "impulse at nothing",
        "point = [0.0, 0.0, 0.0]\nimpulse",
        'point = "tp"\nimpulse',
        'impulse "hit"',
        '"tp" unknown',
    ),
    case(
        "impulse of signals",
        "[1200.0, 0.0, 0.0]",
        '[{ type = "linear", rate = 1 }, 0, 0]',
        '"hit"',
        '"impulse"',
        "number",
    ),
    case("impulse misspelt", "impulse = [", "impuls = [", 'impulse "hit"', 'key "impuls" unknown', '"impulse"'),
    case("start of nothing", "bend = 0.3", "bnd = 0.3", '"initial": position', '"bnd" unknown', '"bend"'),
    case("start too short", "[1.5, 0, 0]", "[1.5, 0]", '"initial": position', '"shoulder" needs 3', "angle1", "got 2"),
    case("start of a weld", "bend = 0.3", "wrist = 0.3", '"initial": position', '"wrist" needs 0', "got 1"),
    case("start a text", "bend = 0.3", 'bend = "0.3 mm"', 'section "initial"', '"position"', "got a length"),
    case("rate of a body", "bend = 1.0", "fore = 1.0", '"initial": rate', 'joint "fore" unknown'),
    case("omega of ground", "main = [0, 0, 1]", "ground = [0, 0, 1]", '"initial": omega', "does not move"),
    case("omega a number", "main = [0, 0, 1]", "main = 1", 'section "initial"', '"omega"', '"main"', "three numbers"),
)

BROKEN = (*SHAPE, *BODIES, *JOINTS, *DRIVERS, *FORCES, *START)
