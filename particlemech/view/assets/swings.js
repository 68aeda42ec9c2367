// Motions with an amplitude: natural motions and static deflections. The grid of their samples is (1) of view/swings.py.

const SWING = 2; // seconds of the page for one swing

class Swinging {
  constructor(motion, swings) {
    this.motion = motion;
    this.list = swings;
    this.choose(0);
  }

  get still() { return this.now.phases < 2; }
  get most() { return this.now.levels[this.now.levels.length - 1]; }

  choose(i) {
    this.now = this.list[i];
    this.amount = this.now.start;
    this.times = Float64Array.from({ length: this.still ? 1 : this.now.phases + 1 }, (_, j) => (SWING * j) / this.now.phases);
  }

  // samples and their weights at a phase, between two levels and two phases
  mix(j, part) {
    const { home, phases, levels } = this.now, every = [0, ...levels], value = Math.min(this.amount, this.most);
    let i = 0;
    while (i < levels.length - 1 && every[i + 1] < value) i += 1;
    const up = (value - every[i]) / (every[i + 1] - every[i]);
    const at = (level, phase) => (level ? home + 1 + (level - 1) * phases + (phase % phases) : home);
    const found = [[at(i, j), (1 - up) * (1 - part)], [at(i + 1, j), up * (1 - part)], [at(i, j + 1), (1 - up) * part], [at(i + 1, j + 1), up * part]];
    return found.filter(([, weight]) => weight !== 0);
  }

  said() {
    const { of, unit } = this.now, value = number(this.amount);
    return unit === "×" ? `${value} ×` : `${value} ${unit} ${of ? `of ${of}` : "at most"}`;
  }
}

// the list of motions, what is known of the one that is shown, and how far it goes
function swingPanel(swinging, player, changed) {
  const list = find("swing-list"), facts = find("facts"), slider = find("amount"), said = find("amount-said");
  const tell = () => { said.textContent = swinging.said(); };
  const show = (i) => {
    swinging.choose(i);
    [...list.children].forEach((row, k) => row.setAttribute("aria-pressed", String(k === i)));
    const { facts: rows, shape } = swinging.now, table = element("table");
    for (const [what, value] of rows) line(table, [what, value, ""]);
    if (shape.length) line(table, ["shape", "", ""], "head");
    for (const row of shape) line(table, row);
    facts.replaceChildren(table);
    slider.value = String((1000 * swinging.amount) / swinging.most);
    tell();
    player.go(Math.min(swinging.motion.moment.t, swinging.motion.end));
    changed();
  };
  const line = (table, cells, name = "") => {
    const row = element("tr", name);
    cells.forEach((text, k) => row.append(element(k ? "td" : "th", "", text)));
    table.append(row);
  };
  swinging.list.forEach((swing, i) => {
    const row = element("button", "row");
    row.type = "button";
    row.append(element("b", "", swinging.still ? "" : String(i)), element("span", "", swing.name));
    row.addEventListener("click", () => show(i));
    list.append(row);
  });
  list.hidden = swinging.list.length < 2;
  slider.addEventListener("input", () => {
    swinging.amount = (Number(slider.value) / 1000) * swinging.most;
    tell();
    player.go(swinging.motion.moment.t);
  });
  find("swing-title").textContent = swinging.still ? "At rest" : "Natural motions";
  find("amount-name").textContent = swinging.still ? "exaggeration" : "amplitude";
  show(0);
}
