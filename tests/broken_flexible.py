"""Files of flexible manipulators that cannot be used, each with words that its message must hold."""

from __future__ import annotations

GOOD = """\
format = 1
kind = "flexible"
name = "Two links"
about = "A spacecraft with an arm of two flexible links and a tool."
units = "slug-foot"
gravity = [0.0, 0.0, 0.0]
geometry = "consistent"
stiffening = true

[base]
motion = "free"
mass = 100.0
com = [0.0, 0.0, 0.1]
inertia = [50.0, 60.0, 70.0]
end = [1.0, 0.0, 0.0]
alpha = 0.5

[points.tip]
link = "tool"

[points.middle]
link = "fore"
at = [5.0, 0.2, 0.0]

[links.upper]
end = [8.0, 0.0, 0.0]
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

[links.fore]
end = [10.0, 0.0, 0.0]
alpha = 1.0
mass = 6.0
com = [5.0, 0.0, 0.0]
inertia = [1.2, 230.0, 230.0]
rotary = [0.12, 0.0, 0.0]
K = [[2200.0, 0.0], [0.0, 8.3e5]]
modes = [
    { along = [0.0, 1.0, 0.0], shape = { x = [0.0, 5.0, 10.0], value = [0.0, 0.25, 1.0] } },
    { about = "x", shape = [0.0, 1.0] },
]

[links.tool]
end = [0.0, 0.0, 2.0]
mass = 3.0
com = [0.0, 0.0, 1.0]
inertia = [5.0, 5.0, 0.3]

[joints.shoulder]
type = "revolute"
link = "upper"
theta = 0.3
stiffness = 1.0e5
damping = 2.0

[joints.elbow]
type = "revolute"
link = "fore"
rotor = 0.4

[joints.slide]
type = "prismatic"
link = "tool"
locked = true

[drivers.turn]
joint = "shoulder"
motion = { type = "cycloid", start = 0.1, end = 1.0, duration = 2.0 }

[forces.push]
type = "load"
link = "tool"
point = "tip"
force = [1.0, { type = "sine", amplitude = 2.0, frequency = 3.0 }, 0.0]
frame = "link"

[forces.wind]
type = "distributed"
link = "upper"
force = [0.0, 0.0, 0.1]
spread = [0.0, 1.0]

[forces.servo]
type = "motor"
joint = "elbow"
effort = 2.0

[initial]
position = { base = [0.0, 0.0, 1.0, 0.1, 0.2, 0.3], elbow = 0.5 }
rate = { base = [0.1, 0.0, 0.0], elbow = 0.2 }
omega = { base = [0.0, 0.0, 0.1] }
deflection = { shoulder = 0.001 }
modes = { upper = [0.01, 0.0, 0.0, 0.01, 0.0, 0.0] }

[run]
duration = 1.0

[check]
dof = 17
"""

Case = tuple[str, str, str, tuple[str, ...]]  # id, passage, what stands there instead, words


def case(name: str, old: str, new: str, *words: str) -> Case:
    """Return one change of the good file, at the first place where the passage stands."""
    assert old in GOOD, old
    return name, old, new, words


LUMP = "lumps = [{ x = 4.0, mass = 1.0 }]"
LAST = "locked = true\n"
FIRST_MODE = '{ along = "y", shape = [0.0, 0.0, 1.0] }'
TABLE = "{ x = [0.0, 5.0, 10.0], value = [0.0, 0.25, 1.0] }"

TOP = (
    case("unknown key", "geometry =", "geometri =", 'key "geometri" unknown', '"geometry"'),
    case("unknown geometry", '"consistent"', '"exact"', 'key "geometry"', "consistent, report"),
    case("stiffening in words", "stiffening = true", 'stiffening = "on"', 'key "stiffening"', "true or false"),
    case("unknown units", '"slug-foot"', '"slug-feet"', 'key "units"', "slug-foot"),
    case("gravity in the plane", "gravity = [0.0, 0.0, 0.0]", "gravity = [0.0, -9.81]", "three numbers"),
    case("bodies", "[links.upper]", "[bodies.upper]", 'key "bodies" unknown'),
    case("cut", "duration = 1.0\n\n[check]", 'duration = 1.0\ncut = ["elbow"]\n\n[check]', 'key "cut"', "loops"),
)

BASES = (
    case("base that floats", 'motion = "free"', 'motion = "floats"', 'section "base"', "fixed, translates, free"),
    case("base of negative mass", "mass = 100.0", "mass = -100.0", 'section "base"', '"mass"', "-100"),
    case("base no mass can be", "[50.0, 60.0, 70.0]", "[5.0, 6.0, 70.0]", 'section "base"', '"inertia"', "triangle"),
    case("fixed base that moves", 'motion = "free"', 'motion = "fixed"', "base is fixed", "0.1", "[base]"),
    case(
        "base that translates and turns", 'motion = "free"', 'motion = "translates"', "omega", '"translates"', '"free"'
    ),
)

CHAINS = (
    case("link called base", "[links.tool]", "[links.base]", 'link "base"', "rename"),
    case("joint called as a link", "[joints.slide]", "[joints.tool]", 'joint "tool"', "link", "rename"),
    case("point called as a joint", "[points.middle]", "[points.elbow]", 'point "elbow"', "joint", "rename"),
    case("joint of an unknown link", 'link = "upper"\ntheta', 'link = "uper"\ntheta', 'joint "shoulder"', '"upper"'),
    case("two joints on a link", 'link = "fore"\nrotor', 'link = "upper"\nrotor', 'joint "elbow"', '"shoulder"', "one"),
    case(
        "link without a joint", '[joints.slide]\ntype = "prismatic"\nlink = "tool"\nlocked = true\n', "", 'link "tool"'
    ),
    case("joint on the base", 'link = "tool"\nlocked', 'link = "base"\nlocked', 'joint "slide"', "unknown"),
    case("unknown joint type", '"prismatic"', '"slider"', 'joint "slide"', '"slider" is called "prismatic"'),
    case("locked in words", "locked = true", "locked = 1", 'joint "slide"', "true or false"),
    case("negative stiffness", "stiffness = 1.0e5", "stiffness = -1.0", 'joint "shoulder"', "above zero"),
    case("free and flexible without rotor", "rotor = 0.4", "stiffness = 10.0", 'joint "elbow"', '"rotor"', "10"),
    case("locked, stiff and damped", LAST, LAST + "damping = 3.0\n", 'joint "slide"', '"damping"', "3", "locked"),
    case("point on an unknown link", 'link = "fore"\nat', 'link = "far"\nat', 'point "middle"', '"far" unknown'),
    case("point beyond a flexible link", "[5.0, 0.2, 0.0]", "[15.0, 0.2, 0.0]", 'point "middle"', "15", "10", "rigid"),
)

LINKS = (
    case("link without mass", "mass = 3.0\n", "", 'link "tool"', '"mass", "density" and "lumps"'),
    case("negative density", "density = [2.0, -1.0]", "density = [2.0, -3.0]", 'link "upper"', '"density"', "-1"),
    case("empty density", "density = [2.0, -1.0]", "density = []", 'link "upper"', '"density"', "empty"),
    case("negative rotary", "rotary = [0.01, 0.0, 0.0]", "rotary = [-0.01, 0.0, 0.0]", '"rotary"', "-0.01"),
    case("torsion without rotary", "rotary = [0.01, 0.0, 0.0]\n", "", 'link "upper"', "mode 3", '"rotary"'),
    case("lump beyond the end", "x = 4.0", "x = 9.0", 'link "upper"', '"lumps"', "number 1", "9", "8", "next link"),
    case("lump without mass", ", mass = 1.0 }]", " }]", 'link "upper"', '"lumps"', 'key "mass" is missing'),
    case("lump of unknown key", "x = 4.0", "at = 4.0", 'link "upper"', '"lumps"', 'key "at" unknown'),
    case("no length", "end = [8.0, 0.0, 0.0]", "end = [0.0, 0.0, 0.0]", 'link "upper"', "no length", '"end"'),
    case("sub-links of a half", "sublinks = 2", "sublinks = 2.5", 'link "upper"', "whole number"),
    case("too many sub-links", "sublinks = 2", "sublinks = 200", 'link "upper"', "200", "64"),
    case(
        "table and sub-links", "inertia = [1.2, 230.0, 230.0]", "inertia = [1.2, 230.0, 230.0]\nsublinks = 3", '"com"'
    ),
    case("sub-links of a rigid link", "[0.0, 0.0, 2.0]", "[0.0, 0.0, 2.0]\nsublinks = 2", 'link "tool"', "rigid"),
    case("report and sub-links", '"consistent"', '"report"', 'link "upper"', '"sublinks"', '"consistent"'),
    case("damping of one number", "damping = [0.0, 1.0e-4]", "damping = [1.0e-4]", 'link "upper"', '"damping"', "two"),
    case("negative damping", "damping = [0.0, 1.0e-4]", "damping = [0.0, -1.0e-4]", '"damping"', "negative"),
    case("mass beside density", "density = [2.0, -1.0]", "density = 1.0\nmass = 20.0", 'link "upper"', "20", "9"),
    case("centre without inertia", "inertia = [1.2, 230.0, 230.0]\n", "", 'link "fore"', '"com"', '"inertia"'),
    case("inertia of too few numbers", "inertia = [1.2, 230.0, 230.0]", "inertia = [1.2]", 'link "fore"', "3 numbers"),
    case("inertia too small for the bending", "230.0, 230.0]", "90.0, 230.0]", 'link "fore"', '"inertia"', "90", "200"),
    case("inertia no mass has", "[5.0, 5.0, 0.3]", "[5.0, 2.0, 0.3]", 'link "tool"', '"inertia"', "origin"),
)

MODES = (
    case("mode both ways", FIRST_MODE, FIRST_MODE.replace("{ ", '{ about = "x", '), '"modes"', "number 1", "both"),
    case("mode no way", 'along = "y", ', "", 'link "upper"', '"modes"', "number 1", "none is given"),
    case("mode without shape", FIRST_MODE, '{ along = "y" }', '"modes"', "number 1", 'key "shape" is missing'),
    case("mode along w", 'along = "y"', 'along = "w"', '"modes"', "number 1", '"w" unknown'),
    case("mode along nothing", "along = [0.0, 1.0, 0.0]", "along = [0, 0, 0]", 'link "fore"', "[0, 0, 0]"),
    case("shape of zeros", "shape = [0.0, 0.0, 1.0] }", "shape = [0.0, 0.0] }", "number 1", "zero all along"),
    case("shape that moves the joint", "shape = [0.0, 0.0, 1.0] }", "shape = [0.1, 0.0, 1.0] }", "number 1", "0.1"),
    case("shape with a slope", "shape = [0.0, 0.0, 1.0] }", "shape = [0.0, 0.5, 1.0] }", "number 1", "slope 0.5"),
    case(
        "twist that turns the joint", 'about = "x", shape = [0.0, 1.0]', 'about = "x", shape = [1.0]', "number 3", "1"
    ),
    case("modes alike", '"z", shape = [0.0, 0.0, 1.0, -0.3]', '"y", shape = [0.0, 0.0, 2.0]', 'link "upper"', "alike"),
    case("no bending stiffness", "EI = { y = 4.0e4, z = [5.0e4, -1.0e4] }\n", "", 'link "upper"', '"EI" is missing'),
    case("no torsional stiffness", "GJ = 3.0e4\n", "", 'link "upper"', '"GJ" is missing', "mode 3"),
    case("stiffness of one plane", "{ y = 4.0e4, z = [5.0e4, -1.0e4] }", "{ y = 4.0e4 }", '"EI"', "mode 2", "z"),
    case("stiffness that vanishes", "[5.0e4, -1.0e4]", "[5.0e4, -6.0e4]", 'link "upper"', '"EI"', "-10000", "x/L = 1"),
    case("axial mode without stiffness", 'along = "y"', 'along = "x"', 'link "upper"', '"EA" is missing', "mode 1"),
    case(
        "stiffness of a rigid link", "com = [0.0, 0.0, 1.0]", "com = [0.0, 0.0, 1.0]\nEI = 1.0", 'link "tool"', "rigid"
    ),
    case("stiffness twice", "K = [[2200.0", "GJ = 1.0\nK = [[2200.0", 'link "fore"', '"K"', '"GJ"', "keep one"),
    case("matrix of another size", "[[2200.0, 0.0], [0.0, 8.3e5]]", "[[2200.0]]", '"K"', "1 rows", "2 modes"),
    case("matrix not square", "[[2200.0, 0.0], [0.0, 8.3e5]]", "[[2200.0, 0.0]]", '"K"', "n rows of n"),
    case("matrix not symmetric", "[0.0, 8.3e5]]", "[5.0, 8.3e5]]", '"K"', "(2, 1)", "5", "equal"),
    case("matrix not definite", "[0.0, 8.3e5]]", "[0.0, -8.3e5]]", "stiffness of mode 2", "-830000"),
    case("table of another length", "x = [0.0, 5.0, 10.0]", "x = [0.0, 5.0, 12.0]", 'link "fore"', "12", "10"),
    case("table that starts late", "x = [0.0, 5.0, 10.0]", "x = [1.0, 5.0, 10.0]", "number 1", "first place is 1"),
    case("table that goes back", "x = [0.0, 5.0, 10.0]", "x = [0.0, 10.0, 5.0]", "number 1", "5 follows 10"),
    case("table of unequal columns", "value = [0.0, 0.25, 1.0]", "value = [0.0, 1.0]", "3 places and 2 values"),
    case("table in no file", TABLE, '"shape.csv"', 'link "fore"', 'file "shape.csv"', "no such file"),
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
    case("driver of a locked joint", '[drivers.turn]\njoint = "shoulder"', '[drivers.turn]\njoint = "slide"', "locked"),
    case(
        "motion that jumps",
        '"cycloid", start = 0.1, end = 1.0, duration = 2.0',
        '"step", time = 1.0, after = 1.0',
        "jumps",
    ),
    case("motor on a driven joint", 'joint = "elbow"\neffort', 'joint = "shoulder"\neffort', 'force "servo"', '"turn"'),
    case("motor on a locked joint", 'joint = "elbow"\neffort', 'joint = "slide"\neffort', 'force "servo"', "locked"),
    case("load on an unknown link", 'link = "tool"\npoint', 'link = "tol"\npoint', 'force "push"', '"tool"'),
    case("load on a point elsewhere", 'point = "tip"', 'point = "middle"', 'force "push"', '"fore"', '"tool"'),
    case("load on an unknown point", 'point = "tip"', 'point = "top"', 'force "push"', '"top" unknown', '"tip"'),
    case("load in axes of a body", 'frame = "link"', 'frame = "body"', 'force "push"', "global, link"),
    case("load along the base", '"distributed"\nlink = "upper"', '"distributed"\nlink = "base"', "no length", '"load"'),
    case("controller in a file", 'type = "motor"', 'type = "controller"', 'force "servo"', "Python"),
)

STARTS = (
    case("base of four numbers", "base = [0.0, 0.0, 1.0, 0.1, 0.2, 0.3]", "base = [0, 0, 1, 0]", "position", "got 4"),
    case("base with a rate of six", "base = [0.1, 0.0, 0.0]", "base = [0, 0, 0, 0, 0, 1]", "rate", "got 6"),
    case("joint of two numbers", "elbow = 0.5 }", "elbow = [0.5, 0.1] }", 'joint "elbow"', "one coordinate"),
    case("start of an unknown joint", "elbow = 0.5 }", "elbo = 0.5 }", "position", '"elbo" unknown', '"elbow"'),
    case("start against the driver", "elbow = 0.5 }", "shoulder = 0.5 }", 'joint "shoulder"', "0.5", '"turn"', "0.1"),
    case("rate of a locked joint", "elbow = 0.2 }", "slide = 0.2 }", 'joint "slide"', "locked", "0.2"),
    case("omega of a link", "omega = { base", "omega = { tool", "omega", '"tool"', "joints"),
    case("deflection of a stiff joint", "shoulder = 0.001", "elbow = 0.001", "deflection", 'joint "elbow"', "stiff"),
    case("too few modal coordinates", "[0.01, 0.0, 0.0, 0.01, 0.0, 0.0]", "[0.01]", 'link "upper"', "6", "got 1"),
    case("modes of an unknown link", "modes = { upper", "modes = { uper", "modes", '"uper" unknown'),
)

BROKEN = (*TOP, *BASES, *CHAINS, *LINKS, *MODES, *LOADS, *STARTS)
