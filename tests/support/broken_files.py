"""Model files that cannot be used, each with words that its message must hold.

Nearly all are one change away from GOOD, a slider-crank that reads without complaint. Where `numeric` is set the
file reads well and only the computation of the start or of the motion can find the fault.
"""

from __future__ import annotations

from dataclasses import dataclass

GOOD = """\
format = 1
name = "Slider-crank"
gravity = [0.0, -9.81]

[points]
O = [0.0, 0.0]
A = [0.1, 0.0]
B = [0.4, 0.0]
S = [0.6, 0.0]

[bodies.crank]
points = ["O", "A"]
mass = 0.2

[bodies.rod]
points = ["A", "B"]
mass = 0.3

[bodies.slider]
points = ["B"]
mass = 0.4
com = [0.4, 0.0]
inertia = 1e-4

[joints.O]
type = "revolute"
point = "O"
bodies = ["ground", "crank"]

[joints.A]
type = "revolute"
point = "A"
bodies = ["crank", "rod"]

[joints.B]
type = "revolute"
point = "B"
bodies = ["rod", "slider"]

[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
point = "B"
axis = [1.0, 0.0]

[drivers.motor]
type = "rotation"
bodies = ["ground", "crank"]
motion = { type = "linear", rate = 5.0 }

[forces.gas]
type = "load"
body = "slider"
point = "B"
force = [-5.0, 0.0]

[forces.buffer]
type = "spring"
bodies = ["ground", "slider"]
points = ["S", "B"]
stiffness = 10.0
length = 0.2

[initial]
omega = { crank = 5.0 }

[run]
duration = 0.1
samples = 11
rtol = 1e-6

[check]
dof = 1
"""

DRIVER = '[drivers.motor]\ntype = "rotation"\nbodies = ["ground", "crank"]\nmotion = { type = "linear", rate = 5.0 }\n'


@dataclass(frozen=True)
class Broken:
    """A file that cannot be used."""

    id: str
    content: str | bytes
    words: tuple[str, ...]
    numeric: bool = False
    suffix: str = ".toml"

    @property
    def data(self) -> bytes:
        """Return what the file holds."""
        return self.content if isinstance(self.content, bytes) else self.content.encode()


def changed(old: str, new: str) -> str:
    """Return the good file with the first occurrence of a passage changed."""
    assert old in GOOD, old
    return GOOD.replace(old, new, 1)


def swap(name: str, old: str, new: str, *words: str, numeric: bool = False) -> Broken:
    """Return the good file with one passage changed."""
    return Broken(name, changed(old, new), words, numeric)


def motion(name: str, signal: str, *words: str, numeric: bool = False) -> Broken:
    """Return the good file with another motion of its motor, and no speed asked for."""
    text = changed('{ type = "linear", rate = 5.0 }', signal).replace("crank = 5.0", "")
    return Broken(name, text, words, numeric)


NOT_A_MODEL = (
    Broken("empty", "", ("is empty",)),
    Broken("blank", " \n\t\n\n", ("is empty",)),
    Broken("comment only", "# nothing\n", ('key "bodies"', "missing")),
    Broken("binary", b"\x7fELF\x02\x01\x01\x00\x00\x00\x80", ("binary",)),
    Broken("zip", b"PK\x03\x04\xff\xfe\x93\x99", ("UTF-8",)),
    Broken("not utf-8", GOOD.replace("Slider", "Schieber\u00e4").encode("latin-1"), ("line 2", "UTF-8")),
    Broken("utf-16", GOOD.encode("utf-16"), ("binary",)),
    Broken("20 MB", b"# " + b"x" * 20_000_000, ("larger than 16 MiB",)),
    Broken("prose", "Dear reader,\nthis is no model.\n", ("line 1", "not TOML")),
    Broken("json in toml", '{"points": {}}', ("line 1", "not TOML")),
    Broken("syntax", changed("mass = 0.2", "mass = = 0.2"), ("line 13", "not TOML")),
    Broken("open bracket", changed("[bodies.rod]", "[bodies.rod"), ("line 15", "not TOML")),
    Broken("open text", changed('"Slider-crank"', '"Slider-crank'), ("line 2", "not TOML")),
    Broken("cut off", GOOD[:300], ("not TOML",)),
    Broken("nul", GOOD + "\0", ("binary",)),
    Broken("deep list", "points = " + "[" * 100_000, ("too deep",)),
    Broken("deep closed list", "bodies = {}\npoints = " + "[" * 40 + "]" * 40, ('section "points"',)),
    Broken("deep key", ".".join(["a"] * 200_000) + " = 1", ("too deep",)),
    Broken("deep header", "[" + ".".join(["a"] * 90) + "]", ("too deep",)),
    Broken("long whole number", changed("mass = 0.2", "mass = " + "9" * 5000), ("cannot be read",)),
    Broken("long hex number", changed("mass = 0.2", "mass = 0x" + "f" * 6000), ('body "crank"', '"mass"', "number")),
    Broken("json syntax", '{"points": }', ("line 1", "not JSON"), suffix=".json"),
    Broken("json list", "[1, 2]", ("expected a table",), suffix=".json"),
    Broken("json empty", "", ("line 1", "not JSON"), suffix=".json"),
    Broken("json repeated", '{"name": "a", "name": "b"}', ('repeated name "name"',), suffix=".json"),
    Broken("json nan", '{"points": {"A": [NaN, 0]}, "bodies": {}}', ('point "A"', "finite"), suffix=".json"),
    Broken("json deep", "[" * 100_000, ("too deep",), suffix=".json"),
    Broken("json long number", '{"format": ' + "9" * 5000 + "}", ("cannot be read",), suffix=".json"),
    Broken("json null", '{"points": null, "bodies": {}}', ('section "points"', "table"), suffix=".json"),
    Broken(
        "json half a character",
        '{"name": "\\ud800", "points": {}, "bodies": {}}',
        ('"name"', "half a character"),
        suffix=".json",
    ),
)

TOP_LEVEL = (
    swap("unknown key at the top", "format = 1", "formt = 1", 'key "formt" unknown', '"format"'),
    swap("unknown section", "[check]", "[chekc]", 'key "chekc" unknown', '"check"'),
    swap("python word for a section", "[check]", "[expected]", 'key "expected" unknown'),
    swap("format 2", "format = 1", "format = 2", '"format"', "format 1"),
    swap("format text", "format = 1", 'format = "1"', '"format"', "format 1"),
    swap("kind", "format = 1", 'kind = "elastic"', '"kind"', "planar"),
    swap("name a number", '"Slider-crank"', "7", '"name"', "text"),
    swap("gravity a number", "[0.0, -9.81]", "9.81", '"gravity"', "two numbers"),
    swap("gravity in space", "[0.0, -9.81]", "[0.0, 0.0, -9.81]", '"gravity"', "two numbers"),
    Broken("points a number", "points = 1\nbodies = {}\n", ('section "points"', "table")),
    Broken("bodies a list", "bodies = []\n[points]\nO = [0, 0]\n", ('section "bodies"', "[bodies.NAME]")),
    Broken("bodies repeated tables", "[points]\nO = [0, 0]\n[[bodies]]\nmass = 1\n", ('section "bodies"', "table")),
    Broken("no points", "[bodies.rod]\npoints = ['A', 'B']\nmass = 1\n", ('body "rod"', 'point "A" unknown')),
    Broken("no bodies", "[points]\nO = [0, 0]\n", ('key "bodies"', "missing")),
    Broken("bodies empty", "bodies = {}\n[points]\nO = [0, 0]\n", ("at least one body",)),
    Broken("units a table", GOOD + "\n[units]\n", ('key "units"', "SI")),
    Broken("run a number", "run = 3\n" + GOOD.replace("[run]", "[check.x]"), ('section "run"', "table")),
    *(
        Broken(f"reserved {word}", GOOD + f"\n[{word}]\n", (f'"{word}"', "reserved"))
        for word in ("contacts", "sensors")
    ),
)

POINTS = (
    swap("point of one number", "A = [0.1, 0.0]", "A = [0.1]", 'point "A"', "two numbers"),
    swap("point of three numbers", "A = [0.1, 0.0]", "A = [0.1, 0.0, 0.0]", 'point "A"', "two numbers"),
    swap("point of texts", "A = [0.1, 0.0]", 'A = ["0.1 kg", "0.0"]', 'point "A"', "got a mass"),
    swap("point a text", "A = [0.1, 0.0]", 'A = "here"', 'point "A"', "two numbers"),
    swap("point a table", "A = [0.1, 0.0]", "A = {x = 0.1, y = 0.0}", 'point "A"', "two numbers"),
    swap("point nan", "A = [0.1, 0.0]", "A = [nan, 0.0]", 'point "A"', "finite"),
    swap("point inf", "A = [0.1, 0.0]", "A = [0.1, -inf]", 'point "A"', "finite"),
    swap("point true", "A = [0.1, 0.0]", "A = [true, false]", 'point "A"', "number"),
    swap("point date", "A = [0.1, 0.0]", "A = [1979-05-27, 07:32:00]", 'point "A"', "number"),
    swap("point too far", "A = [0.1, 0.0]", "A = [1e200, 0.0]", 'point "A"', "too large"),
    swap("point huge whole number", "A = [0.1, 0.0]", "A = [0.1, 0x" + "f" * 400 + "]", 'point "A"', "number"),
    swap("point twice", "A = [0.1, 0.0]", "A = [0.1, 0.0]\nA = [0.2, 0.0]", "line 8", 'repeated name "A"'),
    swap("point with a million entries", "[0.1, 0.0]", "[" + "0," * 1_000_000 + "]", 'point "A"', "1000000"),
    swap("name with a comma", "S = [", '"S,T" = [', "S,T", "comma"),
    swap("name with a line break", "S = [", '"S\\nT" = [', "S\\nT", "control"),
    swap("name with an escape", "S = [", '"S\\u001b[31m" = [', "S\\x1b[31m", "control"),
    swap("name with a separator", "S = [", '"S\\u2028T" = [', "S\\u2028T", "control"),
    swap("name with a dot", "S = [", '"S.T" = [', "S.T", "dot"),
    swap("name empty", "S = [", '"" = [', "points", "name"),
    swap("name endless", "S = [", '"' + "S" * 5000 + '.T" = [', "SSSS"),
)

BODIES = (
    swap("unknown key of a body", "mass = 0.2", "mas = 0.2", 'body "crank"', 'key "mas" unknown', '"mass"'),
    swap("type of a body", "mass = 0.2", 'mass = 0.2\ntype = "rod"', 'body "crank"', 'key "type" unknown'),
    swap("mass zero", "mass = 0.2", "mass = 0.0", 'body "crank"', '"mass"', "above zero"),
    swap("mass negative", "mass = 0.2", "mass = -0.2", 'body "crank"', '"mass"', "above zero"),
    swap("mass nan", "mass = 0.2", "mass = nan", 'body "crank"', '"mass"', "finite"),
    swap("mass inf", "mass = 0.2", "mass = inf", 'body "crank"', '"mass"', "finite"),
    swap("mass a text", "mass = 0.2", 'mass = "heavy"', 'body "crank"', '"mass"', '"heavy" unknown'),
    swap("mass a list", "mass = 0.2", "mass = [0.2]", 'body "crank"', '"mass"', "number"),
    swap("mass a date", "mass = 0.2", "mass = 1979-05-27T07:32:00Z", 'body "crank"', '"mass"', "number"),
    swap("mass with a unit", "mass = 0.2", "mass = 0.2 kg", "line 13", "not TOML"),
    swap("mass with a comma", "mass = 0.2", "mass = 0,2", "line 13", "not TOML"),
    swap("mass twice", "mass = 0.2", "mass = 0.2\nmass = 0.3", "line 14", 'repeated name "mass"'),
    swap("points missing", 'points = ["O", "A"]\n', "", 'body "crank"', 'key "inertia" is required', "0 point"),
    swap("points empty", 'points = ["O", "A"]', "points = []", 'body "crank"', 'key "inertia" is required', "0 point"),
    swap("points a text", 'points = ["O", "A"]', 'points = "O"', 'body "crank"', '"points"', "list"),
    swap("points numbers", 'points = ["O", "A"]', "points = [0, 1]", 'body "crank"', '"points"', "name"),
    swap("point listed twice", '["O", "A"]', '["O", "O"]', 'body "crank"', '"O" stands there twice'),
    swap("point unknown", '["O", "A"]', '["O", "a"]', 'body "crank"', 'point "a" unknown'),
    swap("points too many", '["O", "A"]', str([f"p{i}" for i in range(300_000)]), 'body "crank"', '"inertia"'),
    swap("inertia missing", "inertia = 1e-4\n", "", 'body "slider"', '"inertia" is required'),
    swap("inertia negative", "inertia = 1e-4", "inertia = -1e-4", 'body "slider"', '"inertia"', "negative"),
    swap("com missing", "com = [0.4, 0.0]\n", "", 'body "slider"', '"com" is required'),
    swap("com a number", "com = [0.4, 0.0]", "com = 0.4", 'body "slider"', '"com"', "two numbers"),
    swap("length negative", "mass = 0.2", "mass = 0.2\nlength = -1.0", 'body "crank"', '"length"', "above zero"),
    swap("length of one point", "mass = 0.4", "mass = 0.4\nlength = 1.0", 'body "slider"', '"length"', "two points"),
    swap("rod of no length", "A = [0.1, 0.0]", "A = [0.0, 0.0]", 'body "crank"', "same place"),
    swap("ground as a body", "[bodies.crank]", "[bodies.ground]", 'body "ground"', "fixed frame"),
    swap("body called like a point", "[bodies.crank]", "[bodies.O]", 'body "O"', "same name"),
    swap("body twice", "[bodies.rod]", "[bodies.crank]", "line 15", 'repeated name "bodies.crank"'),
    swap("body a number", "[bodies.rod]", "[bodies]\nx = 1\n[bodies.rod]", 'body "x"', "[bodies.x]"),
    Broken(
        "shared point not joined",
        changed('[joints.A]\ntype = "revolute"\npoint = "A"\nbodies = ["crank", "rod"]\n', ""),
        ('point "A"', '"crank"', '"rod"', "not joined", "add a revolute"),
    ),
)

JOINTS = (
    swap(
        "unknown key of a joint", 'point = "A"', 'pont = "A"', 'joint "A": key "pont" unknown (did you mean "point"?)'
    ),
    swap("joint without a type", 'type = "revolute"\npoint = "A"', 'point = "A"', 'joint "A"', '"type" is missing'),
    swap("unknown joint", '"revolute"\npoint = "A"', '"revolut"\npoint = "A"', 'joint "A"', '"revolut"', '"revolute"'),
    swap("type with a capital", '"prismatic"', '"Prismatic"', 'joint "guide"', '"Prismatic" unknown', '"prismatic"'),
    swap("type a number", '"prismatic"', "3", 'joint "guide"', "type 3 unknown"),
    swap("type a list", '"prismatic"', '["prismatic"]', 'joint "guide"', "unknown"),
    swap("type a table", '"prismatic"', "{}", 'joint "guide"', "unknown"),
    swap("joint of no type and no key", "[joints.B]", "[joints.X]\n[joints.B]", 'joint "X"', '"type" is missing'),
    swap("joint point unknown", 'point = "A"', 'point = "Q"', 'joint "A"', 'point "Q" unknown'),
    swap("joint point not on body", 'point = "A"', 'point = "O"', 'joint "A"', '"O" is not on body "rod"', "add it"),
    swap("joint body unknown", '["crank", "rod"]', '["crnk", "rod"]', 'joint "A"', 'body "crnk"', '"crank"'),
    swap("joint of one body", '["crank", "rod"]', '["crank"]', 'joint "A"', '"bodies"', "2 or more"),
    swap("joint of a body with itself", '["crank", "rod"]', '["rod", "rod"]', 'joint "A"', "twice"),
    swap("bodies of a joint a text", '["crank", "rod"]', '"crank, rod"', 'joint "A"', '"bodies"', "list"),
    swap("bodies of a joint missing", 'bodies = ["crank", "rod"]\n', "", 'joint "A"', 'key "bodies" is missing'),
    swap("slide of three bodies", '["ground", "slider"]', '["ground", "rod", "slider"]', 'joint "guide"', "expected 2"),
    swap("slide without axis", "axis = [1.0, 0.0]\n", "", 'joint "guide"', 'key "axis" is missing'),
    swap("axis zero", "axis = [1.0, 0.0]", "axis = [0, 0]", 'joint "guide"', '"axis"', "[0, 0]"),
    swap("axis a letter", "axis = [1.0, 0.0]", 'axis = "x"', 'joint "guide"', '"axis"', "two numbers"),
    swap("slide point not on body", '"slider"]\npoint = "B"', '"slider"]\npoint = "A"', 'joint "guide"', "not on body"),
    swap("joint a text", "[joints.O]", '[joints]\nJ = "revolute"\n[joints.O]', 'joint "J"', "[joints.J]"),
    swap("joint in a joint", "[joints.B]", "[joints.A.B]", 'joint "A"', 'key "B" unknown'),
    swap("joint twice", "[joints.B]", "[joints.A]", "repeated name", "joints.A"),
    swap(
        "rod of no distance",
        "[joints.B]",
        '[joints.d]\ntype = "distance"\nbodies = ["ground", "rod"]\npoints = ["S", "B"]\nlength = 0.0\n[joints.B]',
        'joint "d"',
        '"length"',
        "above zero",
    ),
    swap(
        "rod point not on body",
        "[joints.B]",
        '[joints.d]\ntype = "distance"\nbodies = ["crank", "rod"]\npoints = ["B", "A"]\n[joints.B]',
        'joint "d"',
        '"B" is not on body "crank"',
    ),
)

DRIVERS = (
    swap("unknown key of a driver", "motion = {", "moton = {", 'driver "motor"', 'key "moton" unknown', '"motion"'),
    swap("unknown driver", '"rotation"', '"rotate"', 'driver "motor"', '"rotate" unknown', '"rotation"'),
    swap("driver called like a joint", "[drivers.motor]", "[drivers.O]", 'driver "O"', "joint has the same name"),
    motion("motion missing", "1\nmotion = 2", "repeated name", "motion"),
    motion("motion a text", '"fast"', 'driver "motor"', '"motion"', '"fast" unknown'),
    motion("step as motion", '{ type = "step", time = 1.0, after = 1.0 }', '"motor"', "jumps", "cycloid"),
    motion("signal without type", "{ rate = 1.0 }", 'driver "motor"', '"motion"', '"type" is missing'),
    motion("unknown signal", '{ type = "linar", rate = 1.0 }', '"motor"', '"linar" unknown', '"linear"'),
    motion("unknown key of a signal", '{ type = "linear", rat = 1.0 }', '"motor"', 'key "rat" unknown', '"rate"'),
    motion("rate missing", '{ type = "linear" }', 'driver "motor"', 'key "rate" is missing'),
    motion("rate nan", '{ type = "linear", rate = nan }', 'driver "motor"', '"rate"', "finite"),
    motion("rate a signal", '{ type = "linear", rate = { type = "linear", rate = 1 } }', '"rate"', "number"),
    motion("duration zero", '{ type = "cycloid", end = 1.0, duration = 0.0 }', '"duration"', "above zero"),
    motion("table not increasing", '{ type = "table", t = [0, 1, 1], value = [0, 1, 2] }', '"t"', "must increase"),
    motion("table uneven", '{ type = "table", t = [0, 1, 2], value = [0, 1] }', "same length", "3 and 2"),
    motion("table of one", '{ type = "table", t = [0], value = [0] }', '"t"', "at least 2"),
    motion("table too late", '{ type = "table", t = [1, 2], value = [0, 1] }', '"t"', "begin"),
    motion("table too fine", '{ type = "table", t = [0, 5e-324, 1], value = [0, 1, 2] }', '"motor"', "table"),
    motion("table a number", '{ type = "table", t = 3, value = [0, 1] }', '"t"', "list"),
    swap("drive a body with itself", '["ground", "crank"]\nmotion', '["crank", "crank"]\nmotion', "twice"),
    Broken(
        "an old driver of a slide",
        GOOD.replace(DRIVER, '[drivers.m]\ntype = "translation"\njoint = "guide"\nmotion = 0.0\n'),
        ('driver "m"', 'type "translation"', "leave the type out", "{ joint, coordinate, motion }"),
    ),
    Broken(
        "travel of a pin",
        GOOD.replace(DRIVER, '[drivers.m]\njoint = "O"\ncoordinate = "travel"\nmotion = 0.0\n'),
        ('driver "m"', 'joint "O" has no coordinate "travel"', "angle"),
    ),
    Broken(
        "a coordinate driven twice",
        GOOD.replace(DRIVER, "".join(f'[drivers.{m}]\njoint = "O"\nmotion = 0.0\n' for m in ("m", "n"))),
        ('driver "n"', 'coordinate "angle" of joint "O"', 'already driven by driver "m"', "take one out"),
    ),
    Broken(
        "driver of nothing",
        GOOD.replace(DRIVER, '[drivers.m]\njoint = "gide"\nmotion = 0.0\n'),
        ('driver "m"', 'joint "gide" unknown', '"guide"'),
    ),
    Broken(
        "position along z",
        GOOD.replace(DRIVER, '[drivers.m]\ntype = "position"\npoint = "B"\naxis = "z"\nmotion = 0.0\n'),
        ('driver "m"', '"axis"', "x, y"),
    ),
    Broken(
        "position of the ground",
        GOOD.replace(DRIVER, '[drivers.m]\ntype = "position"\npoint = "S"\naxis = "x"\nmotion = 0.0\n'),
        ('driver "m"', 'point "S"', "cannot be driven"),
    ),
)

FORCES = (
    swap("unknown key of a force", "stiffness", "stifness", 'force "buffer"', 'key "stifness" unknown', '"stiffness"'),
    swap("unknown force", '"spring"', '"sprig"', 'force "buffer"', '"sprig" unknown', '"spring"'),
    swap("stiffness negative", "stiffness = 10.0", "stiffness = -10.0", 'force "buffer"', '"stiffness"', "negative"),
    swap("spring without places", 'points = ["S", "B"]\n', "", 'force "buffer"', 'key "points" is missing'),
    swap("spring point not on body", '["S", "B"]', '["S", "A"]', 'force "buffer"', "not on body"),
    swap("spring of three points", '["S", "B"]', '["S", "B", "A"]', 'force "buffer"', '"points"', "two places"),
    swap(
        "load nowhere",
        'body = "slider"\npoint = "B"\nforce',
        'body = "ground"\nforce',
        'force "gas"',
        'give "point"',
    ),
    swap(
        "load at an old word", 'point = "B"\nforce', "at = [0, 0]\nforce", 'force "gas"', 'key "at" is called "point"'
    ),
    swap("load on no body", 'body = "slider"', 'body = "slyder"', 'force "gas"', '"slyder" unknown', '"slider"'),
    swap("load of one component", "[-5.0, 0.0]", "[-5.0]", 'force "gas"', '"force"', "two components"),
    swap("load a number", "[-5.0, 0.0]", "-5.0", 'force "gas"', '"force"', "list"),
    swap("load a signal", "[-5.0, 0.0]", '{ type = "linear", rate = 1 }', 'force "gas"', '"force"', "list"),
    swap("load of bad signal", "[-5.0, 0.0]", '[{ type = "sin" }, 0.0]', 'force "gas"', '"sin" unknown', '"sine"'),
    swap("load with inf", "[-5.0, 0.0]", "[inf, 0.0]", 'force "gas"', '"force"', "finite"),
    swap("load frame", "force = [", 'frame = "local"\nforce = [', 'force "gas"', '"frame"', "global, body"),
    swap("python force", '"load"\nbody = "slider"', '"custom"\nbody = "slider"', 'force "gas"', '"custom"', "Python"),
)

RUN = (
    swap("unknown key of a start", "omega = {", "omga = {", 'section "initial"', 'key "omga" unknown', '"omega"'),
    swap("omega of nothing", "{ crank = 5.0 }", "{ krank = 5.0 }", 'section "initial"', '"krank" unknown', '"crank"'),
    swap("omega of the ground", "{ crank = 5.0 }", "{ ground = 5.0 }", 'section "initial"', "ground"),
    swap("omega a number", "{ crank = 5.0 }", "5.0", 'section "initial"', '"omega"', "table"),
    swap("omega nan", "{ crank = 5.0 }", "{ crank = nan }", 'section "initial"', '"omega"', '"crank"', "finite"),
    swap("speed of nothing", "omega = { crank = 5.0 }", "velocity = { Q = [0, 1] }", '"initial"', 'point "Q" unknown'),
    swap("speed of the ground", "omega = { crank = 5.0 }", "velocity = { S = [0, 1] }", '"initial"', "fixed to ground"),
    swap("unknown key of a run", "samples = 11", "sample = 11", 'section "run"', 'key "sample" unknown', '"samples"'),
    swap("duration negative", "duration = 0.1", "duration = -0.1", 'section "run"', '"duration"', "above zero"),
    swap("duration inf", "duration = 0.1", "duration = inf", 'section "run"', '"duration"', "finite"),
    swap("samples one", "samples = 11", "samples = 1", 'section "run"', '"samples"', "at least 2"),
    swap("samples a fraction", "samples = 11", "samples = 11.5", 'section "run"', '"samples"', "whole number"),
    swap("samples endless", "samples = 11", "samples = 0x" + "f" * 6000, 'section "run"', '"samples"'),
    swap("tolerance zero", "rtol = 1e-6", "rtol = 0.0", 'section "run"', '"rtol"', "above zero"),
    swap("tolerance too small", "rtol = 1e-6", "rtol = 1e-20", 'section "run"', '"rtol"', "between"),
    swap("integrator", "rtol = 1e-6", 'integrator = "euler"', 'section "run"', '"integrator"', "ida"),
    swap("cut of nothing", "rtol = 1e-6", 'cut = ["X"]', 'section "run"', '"X"'),
    swap("cut with a million entries", "rtol = 1e-6", "cut = [" + '"A",' * 1_000_000 + "]", '"cut"', "twice"),
    swap("unknown key of a check", "dof = 1", "dofs = 1", 'section "check"', 'key "dofs" unknown', '"dof"'),
    swap("dof negative", "dof = 1", "dof = -1", 'section "check"', '"dof"', "at least 0"),
    swap("end without quotes", "dof = 1", "end = { B.x = 1.0 }", 'section "check"', '"end"', "number"),
)

# what only numbers can tell
FREE = GOOD.replace(DRIVER, "")
WITHOUT_START = FREE.replace("omega = { crank = 5.0 }\n", "")
TRIANGLE = """
[points]
A = [0.0, 0.0]
B = [1.0, 0.0]
C = [0.5, 0.8]
[bodies.left]
points = ["A", "C"]
mass = 1.0
[bodies.right]
points = ["B", "C"]
mass = 1.0
[joints.A]
type = "revolute"
point = "A"
bodies = ["ground", "left"]
[joints.B]
type = "revolute"
point = "B"
bodies = ["ground", "right"]
[joints.C]
type = "revolute"
point = "C"
bodies = ["left", "right"]
[run]
duration = 0.1
samples = 11
"""

NUMERIC = (
    Broken(
        "links too short to close",
        TRIANGLE.replace("mass = 1.0", "mass = 1.0\nlength = 0.3"),
        ("cannot be reached",),
        True,
    ),
    Broken(
        "link too long to close",
        TRIANGLE.replace("mass = 1.0", "mass = 1.0\nlength = 5.0", 1),
        ("length 5 m cannot be reached",),
        True,
    ),
    Broken(
        "distance that cannot be",
        WITHOUT_START.replace(
            "[joints.B]",
            '[joints.d]\ntype = "distance"\nbodies = ["ground", "crank"]\npoints = ["S", "A"]\nlength = 3\n[joints.B]',
        ),
        ('joint "d"', "length 3 m cannot be reached"),
        True,
    ),
    Broken("structure that turns", TRIANGLE + "[initial]\nomega = { left = 1.0 }\n", ("left",), True),
    Broken("structure that moves", TRIANGLE + "[initial]\nvelocity = { C = [1.0, 0.0] }\n", ("C",), True),
    Broken(
        "speeds that contradict",
        FREE.replace("omega = { crank = 5.0 }", "omega = { crank = 5.0 }\nvelocity = { A = [0.0, 0.1] }"),
        ("crank",),
        True,
    ),
    Broken("speed against the motor", GOOD.replace("crank = 5.0", "crank = 4.0"), ("crank",), True),
    Broken("speed along a locked way", GOOD.replace("crank = 5.0", "slider = 1.0"), ("slider",), True),
    Broken(
        "two motors that contradict",
        GOOD.replace("[forces.gas]", DRIVER.replace("motor", "other").replace("5.0", "6.0") + "\n[forces.gas]"),
        ("other",),
        True,
    ),
    motion(
        "motion beyond its table",
        '{ type = "table", t = [0, 0.01, 0.02, 0.05], value = [0, 0.1, 0.2, 0.5] }',
        "table",
        "0.05",
        numeric=True,
    ),
    Broken(
        "force beyond its table",
        changed("[-5.0, 0.0]", '[{ type = "table", t = [0, 0.01, 0.02], value = [0, 1, 2] }, 0.0]'),
        ("table", "0.02"),
        True,
    ),
    Broken(
        "floating body without inertia",
        "[points]\nO = [0.0, 0.0]\n[bodies.grain]\npoints = ['O']\nmass = 1.0\ncom = [0.0, 0.0]\ninertia = 0.0\n",
        ("grain", "inertia"),
        True,
    ),
)

BROKEN = (*NOT_A_MODEL, *TOP_LEVEL, *POINTS, *BODIES, *JOINTS, *DRIVERS, *FORCES, *RUN, *NUMERIC)
