"""Files of chains of bending bodies that cannot be used, each with words that its message must hold."""

from __future__ import annotations

GOOD = """\
format = 1
kind = "spatial"
name = "Two links"
about = "A spacecraft with an arm of two bending links and a tool."
units = "slug-foot"
gravity = [0.0, 0.0, 0.0]

[bending]
geometry = "consistent"
stiffening = true

[points]
shoulder = [1.0, 0.0, 0.0]
elbow = [9.0, 0.0, 0.0]
wrist = [19.0, 0.0, 0.0]
flange = [19.0, 0.0, 0.0]
tip = [19.0, 0.0, 2.0]
middle = [14.0, 0.2, 0.0]

[bodies.craft]
mass = 100.0
com = [0.0, 0.0, 0.1]
inertia = [50.0, 60.0, 70.0]

[bodies.upper]
points = ["shoulder", "elbow"]
density = [2.0, -1.0]
rotary = [0.01, 0.0, 0.0]
lumps = [{ x = 4.0, mass = 1.0 }]
EI = { y = 4.0e4, z = [5.0e4, -1.0e4] }
GJ = 3.0e4
damping = [0.0, 1.0e-4]
sublinks = 2
modes = [
    { along = "y", shape = [0.0, 0.0, 1.0] },
    { along = "z", shape = [0.0, 0.0, 1.0, -0.3] },
    { about = "x", shape = [0.0, 1.0] },
]

[bodies.fore]
points = ["elbow", "wrist", "middle"]
mass = 6.0
com = [14.0, 0.0, 0.0]
inertia = [1.2, 80.0, 80.0]
rotary = [0.12, 0.0, 0.0]
K = [[2200.0, 0.0], [0.0, 8.3e5]]
modes = [
    { along = [0.0, 1.0, 0.0], shape = { x = [0.0, 5.0, 10.0], value = [0.0, 0.25, 1.0] } },
    { about = "x", shape = [0.0, 1.0] },
]

[bodies.tool]
points = ["flange", "tip"]
mass = 3.0
com = [19.0, 0.0, 1.0]
inertia = [2.0, 2.0, 0.3]

[joints.float]
type = "free"
bodies = ["ground", "craft"]

[joints.shoulder]
type = "revolute"
bodies = ["craft", "upper"]
point = "shoulder"
axis = [0.0, -0.6, 0.8]
drive = { stiffness = 1.0e5, damping = 2.0 }

[joints.elbow]
type = "revolute"
bodies = ["upper", "fore"]
point = "elbow"
axis = [0.0, 0.0, 1.0]
drive = { rotor = 0.4 }

[joints.slide]
type = "prismatic"
bodies = ["fore", "tool"]
point = "flange"
axis = [0.0, 0.0, 1.0]

[drivers.turn]
joint = "shoulder"
motion = { type = "cycloid", start = 0.1, end = 1.0, duration = 2.0 }

[drivers.hold]
joint = "slide"
motion = 0.0

[forces.push]
type = "load"
body = "tool"
point = "tip"
force = [1.0, { type = "sine", amplitude = 2.0, frequency = 3.0 }, 0.0]
frame = "body"

[forces.twist]
type = "torque"
bodies = ["ground", "fore"]
torque = [0.0, 0.0, 1.0]
point = "wrist"

[forces.wind]
type = "distributed"
body = "upper"
force = [0.0, 0.0, 0.1]
spread = [0.0, 1.0]

[forces.servo]
type = "motor"
joint = "elbow"
effort = 2.0

[forces.grease]
type = "torsion"
joint = "elbow"
stiffness = 3.0
damping = 0.5
angle = 0.2

[forces.rope]
type = "spring"
bodies = ["ground", "tool"]
points = [[30.0, 0.0, 0.0], "tip"]
stiffness = 1.0

[initial]
position = { float = [0.0, 0.0, 1.0, 0.1, 0.2, 0.3], elbow = 0.5 }
rate = { float = { x = 0.1, y = 0.0, z = 0.0 }, elbow = 0.2 }
omega = { craft = [0.0, 0.0, 0.1] }
deflection = { shoulder = 0.001 }
modes = { upper = [0.01, 0.0, 0.0, 0.01, 0.0, 0.0] }

[run]
duration = 1.0

[check]
dof = 18
"""

Case = tuple[str, str, str, tuple[str, ...]]  # id, passage, what stands there instead, words


def case(name: str, old: str, new: str, *words: str) -> Case:
    """Return one change of the good file, at the first place where the passage stands."""
    assert old in GOOD, old
    return name, old, new, words


LUMP = "lumps = [{ x = 4.0, mass = 1.0 }]"
FIRST_MODE = '{ along = "y", shape = [0.0, 0.0, 1.0] }'
TABLE = "{ x = [0.0, 5.0, 10.0], value = [0.0, 0.25, 1.0] }"
RUN = "[run]\nduration = 1.0\n"
HOLDS = '[drivers.lock]\njoint = "float"\ncoordinate = "angle1"\nmotion = 0.1\n\n[drivers.hold]'
MOVES = HOLDS.replace("motion = 0.1", 'motion = { type = "linear", rate = 1.0, offset = 0.1 }')

TOP = (
    case("unknown key", "geometry =", "geometri =", 'section "bending"', 'key "geometri" unknown', '"geometry"'),
    case("unknown geometry", '"consistent"', '"exact"', 'key "geometry"', "consistent, report"),
    case("stiffening in words", "stiffening = true", 'stiffening = "on"', 'key "stiffening"', "true or false"),
    case("unknown units", '"slug-foot"', '"slug-feet"', 'key "units"', "slug-foot"),
    case("gravity in the plane", "gravity = [0.0, 0.0, 0.0]", "gravity = [0.0, -9.81]", "three numbers"),
    case("links", "[bodies.upper]", "[links.upper]", 'key "links" is called "bodies"'),
    case("cut", RUN, RUN + 'cut = ["elbow"]\n', 'key "cut"', "loops"),
)

PLACES = (
    case("joint off its body", '["fore", "tool"]', '["upper", "tool"]', 'joint "slide"', '"upper"', "18", "8", "rigid"),
    case("ball", 'type = "prismatic"', 'type = "spherical"', 'joint "slide"', '"axis"'),
    case("unknown joint type", '"prismatic"', '"slider"', 'joint "slide"', '"slider" is called "prismatic"'),
    case("negative stiffness", "stiffness = 1.0e5", "stiffness = -1.0", 'joint "shoulder"', "above zero"),
    case("damping of a stiff drive", "rotor = 0.4", "damping = 3.0", 'joint "elbow"', '"damping"', "3", "torsion"),
    case("point beyond a bending body", "[14.0, 0.2, 0.0]", "[24.0, 0.2, 0.0]", 'point "middle"', "15", "10", "rigid"),
)

BODIES = (
    case(
        "bending body without mass",
        "mass = 6.0\ncom = [14.0, 0.0, 0.0]\ninertia = [1.2, 80.0, 80.0]\n",
        "",
        'body "fore"',
        '"mass", "density", "rho" and "lumps"',
    ),
    case("negative density", "density = [2.0, -1.0]", "density = [2.0, -3.0]", 'body "upper"', '"density"', "-1"),
    case("empty density", "density = [2.0, -1.0]", "density = []", 'body "upper"', '"density"', "empty"),
    case("density of a rigid body", "mass = 3.0\n", "mass = 3.0\ndensity = 1.0\n", 'body "tool"', '"density"', "rigid"),
    case("negative rotary", "rotary = [0.01, 0.0, 0.0]", "rotary = [-0.01, 0.0, 0.0]", '"rotary"', "-0.01"),
    case("torsion without rotary", "rotary = [0.01, 0.0, 0.0]\n", "", 'body "upper"', "mode 3", '"rotary"'),
    case("lump beyond the end", "x = 4.0", "x = 9.0", 'body "upper"', '"lumps"', "number 1", "9", "8", "next body"),
    case("lump without mass", ", mass = 1.0 }]", " }]", 'body "upper"', '"lumps"', 'key "mass" is missing'),
    case("lump of unknown key", "x = 4.0", "at = 4.0", 'body "upper"', '"lumps"', 'key "at" unknown'),
    case("no length", "elbow = [9.0, 0.0, 0.0]", "elbow = [1.0, 0.0, 0.0]", 'body "upper"', "no length"),
    case("one point", '["shoulder", "elbow"]', '["shoulder"]', 'body "upper"', "needs two", "got 1"),
    case("sub-links of a half", "sublinks = 2", "sublinks = 2.5", 'body "upper"', "whole number"),
    case("too many sub-links", "sublinks = 2", "sublinks = 200", 'body "upper"', "200", "64"),
    case("table and sub-links", "inertia = [1.2, 80.0, 80.0]", "inertia = [1.2, 80.0, 80.0]\nsublinks = 3", '"com"'),
    case("sub-links of a rigid body", "mass = 3.0\n", "mass = 3.0\nsublinks = 2\n", 'body "tool"', "rigid"),
    case("report and sub-links", '"consistent"', '"report"', 'body "upper"', '"sublinks"', '"consistent"'),
    case("damping of one number", "damping = [0.0, 1.0e-4]", "damping = [1.0e-4]", 'body "upper"', '"damping"', "two"),
    case("negative damping", "damping = [0.0, 1.0e-4]", "damping = [0.0, -1.0e-4]", '"damping"', "negative"),
    case("mass beside density", "density = [2.0, -1.0]", "density = 1.0\nmass = 20.0", 'body "upper"', "20", "9"),
    case("centre without inertia", "inertia = [1.2, 80.0, 80.0]\n", "", 'body "fore"', '"com"', '"inertia"'),
    case("inertia of too few numbers", "inertia = [1.2, 80.0, 80.0]", "inertia = [1.2]", 'body "fore"', "3 numbers"),
    case("inertia too small for the bending", "80.0, 80.0]", "80.0, 5.0]", 'body "fore"', '"inertia" zz', "5", "50"),
    case("inertia no mass has", "[2.0, 2.0, 0.3]", "[5.0, 2.0, 0.3]", 'body "tool"', '"inertia"', "triangle"),
)

MODES = (
    case("mode both ways", FIRST_MODE, FIRST_MODE.replace("{ ", '{ about = "x", '), '"modes"', "number 1", "both"),
    case("mode no way", 'along = "y", ', "", 'body "upper"', '"modes"', "number 1", "none is given"),
    case("mode without shape", FIRST_MODE, '{ along = "y" }', '"modes"', "number 1", 'key "shape" is missing'),
    case("mode along w", 'along = "y"', 'along = "w"', '"modes"', "number 1", '"w" unknown'),
    case("mode along nothing", "along = [0.0, 1.0, 0.0]", "along = [0, 0, 0]", 'body "fore"', "[0, 0, 0]"),
    case("shape of zeros", "shape = [0.0, 0.0, 1.0] }", "shape = [0.0, 0.0] }", "number 1", "zero all along"),
    case("shape that moves the joint", "shape = [0.0, 0.0, 1.0] }", "shape = [0.1, 0.0, 1.0] }", "number 1", "0.1"),
    case("shape with a slope", "shape = [0.0, 0.0, 1.0] }", "shape = [0.0, 0.5, 1.0] }", "number 1", "slope 0.5"),
    case(
        "twist that turns the joint", 'about = "x", shape = [0.0, 1.0]', 'about = "x", shape = [1.0]', "number 3", "1"
    ),
    case("modes alike", '"z", shape = [0.0, 0.0, 1.0, -0.3]', '"y", shape = [0.0, 0.0, 2.0]', 'body "upper"', "alike"),
    case("no bending stiffness", "EI = { y = 4.0e4, z = [5.0e4, -1.0e4] }\n", "", 'body "upper"', '"EI" is missing'),
    case("no torsional stiffness", "GJ = 3.0e4\n", "", 'body "upper"', '"GJ" is missing', "mode 3"),
    case("stiffness of one plane", "{ y = 4.0e4, z = [5.0e4, -1.0e4] }", "{ y = 4.0e4 }", '"EI"', "mode 2", "z"),
    case("stiffness that vanishes", "[5.0e4, -1.0e4]", "[5.0e4, -6.0e4]", 'body "upper"', '"EI"', "-10000", "x/L = 1"),
    case("axial mode without stiffness", 'along = "y"', 'along = "x"', 'body "upper"', '"EA" is missing', "mode 1"),
    case(
        "stiffness of a rigid link",
        "com = [19.0, 0.0, 1.0]",
        "com = [19.0, 0.0, 1.0]\nEI = 1.0",
        'body "tool"',
        "rigid",
    ),
    case("stiffness twice", "K = [[2200.0", "GJ = 1.0\nK = [[2200.0", 'body "fore"', '"K"', '"GJ"', "keep one"),
    case("matrix of another size", "[[2200.0, 0.0], [0.0, 8.3e5]]", "[[2200.0]]", '"K"', "1 rows", "2 modes"),
    case("matrix not square", "[[2200.0, 0.0], [0.0, 8.3e5]]", "[[2200.0, 0.0]]", '"K"', "n rows of n"),
    case("matrix not symmetric", "[0.0, 8.3e5]]", "[5.0, 8.3e5]]", '"K"', "(2, 1)", "5", "equal"),
    case("matrix not definite", "[0.0, 8.3e5]]", "[0.0, -8.3e5]]", "stiffness of mode 2", "-830000"),
    case("table of another length", "x = [0.0, 5.0, 10.0]", "x = [0.0, 5.0, 12.0]", 'body "fore"', "12", "10"),
    case("table that starts late", "x = [0.0, 5.0, 10.0]", "x = [1.0, 5.0, 10.0]", "number 1", "first place is 1"),
    case("table that goes back", "x = [0.0, 5.0, 10.0]", "x = [0.0, 10.0, 5.0]", "number 1", "5 follows 10"),
    case("table of unequal columns", "value = [0.0, 0.25, 1.0]", "value = [0.0, 1.0]", "3 places and 2 values"),
    case("table in no file", TABLE, '"shape.csv"', 'body "fore"', 'file "shape.csv"', "no such file"),
    case(
        "table of modes too",
        "K = [[2200",
        "shapes = { x = [0, 1], rows = [[0,0,0,0,0,0],[0,1,0,0,0,0]] }\nK = [[2200",
        "both",
    ),
)

LOADS = (
    case(
        "driver of an unknown joint",
        '[drivers.turn]\njoint = "shoulder"',
        '[drivers.turn]\njoint = "sholder"',
        '"shoulder"',
    ),
    case(
        "motion that jumps",
        '"cycloid", start = 0.1, end = 1.0, duration = 2.0',
        '"step", time = 1.0, after = 1.0',
        "jumps",
    ),
    case("load on an unknown body", 'body = "tool"\npoint', 'body = "tol"\npoint', 'force "push"', '"tool"'),
    case("load on a point elsewhere", 'point = "tip"', 'point = "middle"', 'force "push"', '"middle"', '"tool"'),
    case("load on an unknown point", 'point = "tip"', 'point = "top"', 'force "push"', '"top" unknown', '"tip"'),
    case("load in axes of a link", 'frame = "body"', 'frame = "link"', 'force "push"', "global, body"),
    case("load along a rigid body", 'body = "upper"\nforce', 'body = "tool"\nforce', 'force "wind"', "bend", '"load"'),
    case("function in a file", 'type = "motor"', 'type = "custom"', 'force "servo"', "Python"),
)

STARTS = (
    case("four numbers of six", "float = [0.0, 0.0, 1.0, 0.1, 0.2, 0.3]", "float = [0, 0, 1, 0]", "position", "got 4"),
    case("joint of two numbers", "elbow = 0.5 }", "elbow = [0.5, 0.1] }", 'joint "elbow"', "got 2"),
    case("start of an unknown joint", "elbow = 0.5 }", "elbo = 0.5 }", "position", '"elbo" unknown', '"elbow"'),
    case("start against the driver", "elbow = 0.5 }", "shoulder = 0.5 }", 'joint "shoulder"', "0.5", '"turn"', "0.1"),
    case("rate of a held joint", "elbow = 0.2 }", "slide = 0.2 }", 'joint "slide"', '"hold"', "0.2"),
    case("omega of an unknown body", "omega = { craft", "omega = { crft", "omega", '"craft"'),
    case(
        "deflection of a stiff joint", "shoulder = 0.001", "elbow = 0.001", "deflection", 'joint "elbow"', "stiffness"
    ),
    case("too few modal coordinates", "[0.01, 0.0, 0.0, 0.01, 0.0, 0.0]", "[0.01]", 'body "upper"', "6", "got 1"),
    case("modes of an unknown body", "modes = { upper", "modes = { uper", "modes", '"uper" unknown'),
)

BROKEN = (*TOP, *PLACES, *BODIES, *MODES, *LOADS, *STARTS)

# what is not one chain of joints that turn or slide, and runs all the same
RUNNING = (
    case("body on the ground", '["fore", "tool"]', '["ground", "tool"]'),
    case("branch", '["fore", "tool"]\npoint = "flange"', '["upper", "tool"]\npoint = "elbow"'),
    case(
        "rod",
        "[drivers.turn]",
        '[joints.rod]\ntype = "distance"\nbodies = ["craft", "tool"]\npoints = [[0, 9, 0], "tip"]\n\n[drivers.turn]',
    ),
    case("joint at the far end", '["shoulder", "elbow"]', '["elbow", "shoulder"]'),
    case("one angle of the craft held", "[drivers.hold]", HOLDS),
    case("craft that is turned", "[drivers.hold]", MOVES),
    case("impulse", "[run]", '[impulses.hit]\nbody = "tool"\nimpulse = [1, 0, 0]\n\n[run]'),
    case("couple on two that bend", '["ground", "fore"]', '["upper", "fore"]'),
    case("motor on the floating joint", 'joint = "elbow"\neffort', 'joint = "float"\ncoordinate = "x"\neffort'),
)
