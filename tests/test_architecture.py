"""The house rules that a machine can hold: import contracts, one kind in one place, known sources, small modules."""

import ast
import functools
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import particlemech
from particlemech import drivers, forces, joints, signals
from particlemech.model.space import drivers as spatial_drivers
from particlemech.model.space import forces as spatial_forces
from particlemech.model.space import joints as spatial_joints
from particlemech.model.spec import kind_name

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "particlemech"
SOURCES = sorted(PACKAGE.rglob("*.py"))
ENGINE = PACKAGE / "engine"
FORMULATIONS = [
    ENGINE / name for name in ("absolute", "particles")
]  # of the kinds of joints, drivers and forces in the plane
SPECS = {joints: "joints", drivers: "drivers", forces: "forces", signals: "signals"}
IN_SPACE = (spatial_joints, spatial_drivers, spatial_forces)
OF_SPACE = (
    "space",
    "natural",
    "recursive",
    "bending",
    "methods",
    "vectors",
    "loops",
    "influence",
    "vibration",
)
OF_KINDS = ("joints", "drivers", "forces")  # modules whose definitions are each of one kind
MOST_OF_A_KIND = {"joints": 1, "drivers": 3, "forces": 1}  # definitions: a driver in space has edge, rows and slope
TAGS = {"A00", "P72", "J84", "G88", "E"}
LONGEST = 450  # lines


def label(path):
    return path.relative_to(ROOT).as_posix()


@functools.cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes(path):
    return tuple(ast.walk(tree(path)))


@functools.cache
def taken_from(path, module):
    """Return the names that code takes from a module of specs: `from module import Name` or `module.Name`."""
    found = set()
    for node in nodes(path):
        match node:
            case ast.ImportFrom(module=source, names=names) if source == module.__name__:
                found |= {alias.name for alias in names}
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == module.__name__.rpartition(".")[2]:
                found.add(name)
    return found


def test_the_import_contracts_hold(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    code = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert code == 0, capsys.readouterr().out


def mentioned(kind, module, folder, named):
    """Return where a folder mentions a kind: files of its own left out, and in modules of kinds one definition.

    The tables of such a module, which list the kinds, are no definitions. Files of a kind are called like it.
    """
    found = []
    for path in sorted(folder.rglob("*.py")):
        if kind.__name__ not in named(path, module) or path.stem in ("__init__", kind_name(kind)):
            continue
        if path.stem not in OF_KINDS:
            found.append(label(path))
            continue
        owner = module.__name__.rpartition(".")[2]
        parts = [node for node in tree(path).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        saying = [
            f"{label(path)}: {part.name}"
            for part in parts
            if any(
                isinstance(node, ast.Attribute)
                and node.attr == kind.__name__
                and isinstance(node.value, ast.Name)
                and node.value.id == owner
                for node in ast.walk(part)
            )
        ]
        found += saying if len({name.rpartition(": ")[2] for name in saying}) > MOST_OF_A_KIND[path.stem] else []
    return found


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=label)
@pytest.mark.parametrize("family", ["joints", "drivers", "forces"])
def test_a_kind_is_mentioned_only_in_its_own_part_of_a_formulation(formulation, family):
    module = next(m for m, name in SPECS.items() if name == family)
    assert {kind: where for kind in module.KINDS if (where := mentioned(kind, module, formulation, taken_from))} == {}


@pytest.mark.parametrize("module", IN_SPACE, ids=lambda module: module.__name__)
def test_a_kind_in_space_is_mentioned_only_in_its_own_parts(module):
    described = Path(module.__file__).parents[1]
    # Coordinate is what a driver without a type is
    # loads along a body are rows of loads and torques; spots.py asks every force where it acts
    everywhere, translating = {"Coordinate", "Distributed"}, "spots.py"
    strangers = {
        f"{where}: {kind.__name__}"
        for kind in module.KINDS
        if kind.__name__ not in everywhere
        for folder in (described, *(ENGINE / name for name in ("natural", "recursive", "bending")))
        for where in mentioned(kind, module, folder, taken_from)
        if translating not in where
    }
    assert strangers == set()


@pytest.mark.parametrize("module", SPECS, ids=SPECS.get)
def test_a_spec_is_mentioned_outside_engines_only_where_it_is_defined(module):
    # models.py build mechanisms from specs, as a user does; structure.py says which numbers variants may change
    of_space = [p for p in SOURCES if set(p.relative_to(PACKAGE).parts) & set(OF_SPACE)]
    outside = [p for p in SOURCES if ENGINE not in p.parents and p not in of_space]
    outside = [p for p in outside if p.name not in {f"{SPECS[module]}.py", "models.py", "structure.py"}]
    strangers = {
        f"{label(path)}: {kind.__name__}"
        for path in outside
        for kind in module.KINDS
        if kind.__name__ in taken_from(path, module)
    }
    assert strangers == set()


@pytest.mark.parametrize("path", SOURCES, ids=label)
def test_no_code_branches_on_the_name_of_a_kind(path):
    words = {name for module in (*SPECS, *IN_SPACE) for name in module.NAMES}
    compared = {
        part.value
        for node in nodes(path)
        if isinstance(node, ast.Compare)
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }
    assert compared & words == set()


def test_there_are_two_formulations_for_these_rules_to_hold():
    assert all(
        (path / f"{family}.py").is_file() or (path / family / "__init__.py").is_file()
        for path in FORMULATIONS
        for family in OF_KINDS
    )


@pytest.mark.parametrize("path", SOURCES, ids=label)
def test_every_source_tag_is_a_known_one(path):
    read = io.StringIO(path.read_text(encoding="utf-8")).readline
    texts = [t.string for t in tokenize.generate_tokens(read) if t.type in (tokenize.COMMENT, tokenize.STRING)]
    tags = {tag for text in texts for tag in re.findall(r"(?<!\w)\[([A-Z](?:\d\d)?)\]", text)}
    assert tags <= TAGS


@pytest.mark.parametrize("path", SOURCES, ids=label)
def test_no_module_outgrows_one_idea(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def modules_after(code):
    """Return the modules that a new interpreter holds after running some code."""
    show = f"{code}; import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split())


def test_importing_the_package_brings_no_library_that_is_not_used_yet():
    heavy = {"numpy", "numba", "scipy", "sksundae", "networkx", "matplotlib", "pandas", "dask"}
    assert modules_after("import particlemech") & heavy == set()
    assert modules_after("import particlemech; particlemech.models.load('four_bar')") & (heavy - {"numpy"}) == set()


def test_describing_a_tree_brings_no_library_that_is_not_used_yet():
    body = "bodies={'b': space.Body(mass=1, com=(0, 0, 0), inertia=(1, 1, 1))}"
    joint = "joints={'j': space.joints.Free(bodies=('ground', 'b'), point=(0, 0, 0))}"
    taken = "from particlemech import space; from particlemech.model import toml"
    code = f"{taken}; toml.loads(toml.dumps(space.Mechanism({body}, {joint})))"
    assert modules_after(code) & {"numba", "scipy", "sksundae", "networkx"} == set()


def test_describing_a_mechanism_in_space_brings_no_library_that_is_not_used_yet():
    body = "bodies={'b': space.Body(mass=1, com=(0, 0, 0), inertia=(1, 1, 1))}"
    joint = "joints={'j': space.joints.Spherical(bodies=('ground', 'b'), point=(1, 0, 0))}"
    taken = "from particlemech import space; from particlemech.model import toml"
    code = f"{taken}; toml.loads(toml.dumps(space.Mechanism({body}, {joint})))"
    assert modules_after(code) & {"numba", "scipy", "sksundae", "networkx"} == set()


def test_a_start_needs_no_scipy():
    code = "from particlemech.run.preparing import prepared; from particlemech import models; "
    code += "prepared(models.load('four_bar'))"
    # numba asks for the version of scipy, no more
    assert not {m for m in modules_after(code) if m.startswith(("scipy.linalg", "scipy.sparse", "scipy.optimize"))}


def test_no_module_or_package_hides_a_name_of_the_window():
    """Import enters a module into its package under its name, whether or not the package has a function called so."""
    modules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    packages = {"synthesis"}  # which is the name itself
    assert modules & set(particlemech.__all__) == packages
    assert all(getattr(particlemech, name).__name__ == f"particlemech.{name}" for name in packages)


def test_the_window_of_the_package_shows_all_its_names_and_no_other():
    assert set(particlemech.__all__) <= set(dir(particlemech))
    assert all(hasattr(particlemech, name) for name in particlemech.__all__)
    with pytest.raises(AttributeError, match="module 'particlemech' has no attribute 'simulte'"):
        _ = particlemech.simulte


def test_argument_blocks_outlive_the_kernels_that_read_them():
    """An address keeps nothing alive: `kernel(ArgumentBlock(...).address)` reads memory that is free already."""
    for path in sorted((ROOT / "particlemech").rglob("*.py")):
        assert not re.search(r"(Block\(.*\)|[bB]lock\(\))\.address", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    "code",
    [
        "import particlemech as pm; pm.simulate(pm.models.load('four_bar'), duration=0.1, samples=3).columns()",
        "from particlemech.cli.main import main; main(['run', 'four_bar', '--duration', '0.1'])",
        "import particlemech as pm; pm.check(pm.models.load('four_bar'))",
        "import particlemech as pm; pm.validate(pm.models.load('four_bar'), duration=0.02, samples=3)",
    ],
    ids=["simulate", "command line", "check", "validate"],
)
def test_what_is_asked_of_the_plane_brings_nothing_of_space(code):
    loaded = [m for m in modules_after(code) if m.startswith("particlemech.")]
    assert len(loaded) > 20
    assert sorted(m for m in loaded if set(m.split(".")) & set(OF_SPACE)) == []
