// The page: puts the parts together, and plays.

const SPEEDS = [1, 2, 5];
const PLAIN = [2.5, 25]; // seconds of a motion that is first played as fast as it happens
const EIGHT = 8; // seconds that any other motion takes

class Player {
  constructor(motion, draw) {
    this.motion = motion;
    this.draw = draw;
    this.playing = false;
    this.loop = true;
    this.pending = false;
    this.last = 0;
    this.speeds = this.offered();
    this.speed = this.first();
    this.frames = 0;
  }

  get length() { return this.motion.end - this.motion.start; }

  first() {
    if (this.length >= PLAIN[0] && this.length <= PLAIN[1]) return 1;
    const wanted = Math.log(this.length / EIGHT || 1);
    return this.speeds.reduce((a, b) => (Math.abs(Math.log(b) - wanted) < Math.abs(Math.log(a) - wanted) ? b : a));
  }

  // 1, 2, 5 times powers of ten around real time and around a playing time of eight seconds
  offered() {
    const low = Math.min(-2, Math.floor(Math.log10(this.length / EIGHT || 1)) - 1);
    const high = Math.max(1, Math.ceil(Math.log10(this.length / EIGHT || 1)) + 1), result = [];
    for (let power = low; power <= high; power++) {
      for (const s of SPEEDS) result.push(Number((s * 10 ** power).toPrecision(1)));
    }
    return result;
  }

  faster(by) {
    const i = this.speeds.indexOf(this.speed) + by;
    if (i >= 0 && i < this.speeds.length) this.speed = this.speeds[i];
  }

  go(t) {
    this.motion.go(t);
    this.request();
  }

  step(by) {
    this.pause();
    const k = by > 0 ? this.motion.moment.k : Math.ceil(this.motion.moment.k + this.motion.moment.part);
    this.go(this.motion.t[Math.min(Math.max(k + by, 0), this.motion.count - 1)]);
  }

  play() {
    if (this.motion.count < 2 || this.motion.axis.words.length) return;
    if (this.motion.moment.t >= this.motion.end) this.motion.go(this.motion.start);
    this.playing = true;
    this.last = 0;
    this.request();
  }

  pause() {
    this.playing = false;
    this.request();
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  request() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.pending = false;
    if (this.playing) {
      const passed = this.last ? Math.min(now - this.last, 250) / 1000 : 0;
      this.last = now;
      let t = this.motion.moment.t + passed * this.speed;
      if (t >= this.motion.end) {
        if (this.loop) t = this.motion.start + ((t - this.motion.start) % this.length);
        else { t = this.motion.end; this.playing = false; }
      }
      this.motion.go(t);
    }
    this.draw();
    this.frames += 1;
    if (this.playing) this.request();
  }
}

// -- theme ---------------------------------------------------------------------------------------------------------------

const dark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
};

// -- everything together ---------------------------------------------------------------------------------------------------

function toggles(stage, redraw) {
  const { shown, paper } = stage, box = find("toggles"), buttons = new Map();
  const groups = [...new Set(paper.arrows.map((group) => group.name))];
  const letters = { traces: "t", velocity: "v", acceleration: "a", reaction: "r", load: "l", impulse: "i", effort: "e", names: "n", follow: "c" };
  const offered = { traces: !stage.motion.swinging && paper.points.some((p) => !p.fixed), follow: Boolean(paper.follow) };
  const names = ["traces", ...groups, "names", "follow"].filter((name) => offered[name] !== false);
  for (const name of names) {
    const button = element("button", "toggle", name);
    button.type = "button";
    button.title = `show ${name} (${letters[name] || ""})`;
    button.dataset.shows = name;
    const flip = () => {
      shown[name] = !shown[name];
      if (name === "follow") stage.fit();
      button.setAttribute("aria-pressed", String(shown[name]));
      redraw();
    };
    button.setAttribute("aria-pressed", String(Boolean(shown[name])));
    button.addEventListener("click", flip);
    box.append(button);
    buttons.set(letters[name], flip);
  }
  return buttons;
}

// what an arrow of a round length stands for, for every group that is shown
function arrowScales(stage) {
  const rows = [];
  for (const group of stage.paper.arrows) {
    if (!stage.shown[group.name] || !stage.factor(group) || (group.turning && stage.camera.flat)) continue;
    const value = nice(40 / stage.factor(group) / 2), row = element("div", "scale"), bar = element("i");
    bar.style.width = `${value * stage.factor(group)}px`;
    bar.style.background = stage.groupColour(group.name);
    row.append(bar, `${group.name} ${shortest(value, value)} ${group.unit}`);
    rows.push(row);
  }
  find("scales").replaceChildren(...rows);
}

async function main() {
  const paper = JSON.parse(find("scene").textContent), packed = find("data");
  const columns = new Columns(paper.columns, await unpacked(packed.textContent), paper.count);
  packed.remove();
  const motion = new Motion(paper, columns);
  motion.go(motion.start);
  const steps = motion.axis.words.length > 0, shown = { traces: paper.count > 1 && !steps && !motion.swinging, follow: Boolean(paper.follow && paper.follow.first), points: paper.traces, tail: 0.12 * (motion.end - motion.start) };
  for (const group of paper.shown) shown[group] = true;
  const stage = new Stage(find("stage"), motion, shown), tip = new Tip(find("tip"), motion);
  const player = new Player(motion, draw), charts = new Charts(find("charts"), stage, (t) => { player.pause(); player.go(t); });
  const scrub = find("scrub"), clock = find("clock"), play = find("play"), speed = find("speed");
  let pointer = null;

  function draw() {
    stage.draw();
    scrub.value = String(motion.nearest);
    clock.textContent = motion.axis.said(motion.moment.t);
    scrub.setAttribute("aria-valuetext", clock.textContent);
    play.classList.toggle("on", player.playing);
    play.setAttribute("aria-label", player.playing ? "pause" : "play");
    charts.follow();
    if (pointer) point(...pointer); else tip.follow();
  }

  // name what is under the pointer, and light it up
  function point(x, y) {
    const found = Number.isFinite(x) ? stage.under(x, y) : null, before = stage.lit;
    pointer = Number.isFinite(x) ? [x, y] : null;
    stage.lit = found && found.part;
    tip.show(found, x, y);
    if ((before && before.name) !== (stage.lit && stage.lit.name)) player.request();
  }

  const redraw = () => { player.request(); arrowScales(stage); };
  const home = handle(stage, redraw, point);
  const flips = toggles(stage, redraw);
  const dress = () => {
    stage.dress(getComputedStyle(document.documentElement));
    charts.repaint();
    redraw();
  };
  // at once: a canvas of another size is empty, and the next frame comes after this one is seen
  const layout = () => {
    stage.resize();
    charts.repaint();
    draw();
    arrowScales(stage);
  };

  // speeds, the slider, buttons
  const fill = () => { speed.value = String(player.speed); };
  for (const value of player.speeds) {
    const option = element("option", "", `${value < 1e-4 || value >= 1e4 ? value.toExponential(0) : value}×`);
    option.value = String(value);
    speed.append(option);
  }
  fill();
  speed.addEventListener("change", () => { player.speed = Number(speed.value); });
  scrub.max = String(motion.count - 1);
  if (motion.swinging) player.speed = 1;
  scrub.addEventListener("input", () => { player.pause(); player.go(motion.t[Number(scrub.value)]); });
  const faster = (by) => { player.faster(by); fill(); };
  const theme = () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; dress(); };
  const loop = () => { player.loop = !player.loop; find("loop").setAttribute("aria-pressed", String(player.loop)); };
  const help = () => { const box = find("help"); if (box.open) box.close(); else box.showModal(); };
  const panel = () => { document.body.classList.toggle("alone"); layout(); };
  const zoom = (factor) => { stage.camera.zoom(factor, stage.camera.width / 2, stage.camera.height / 2); redraw(); };
  const turn = (yaw, pitch) => { stage.camera.turnTo(stage.camera.yaw + yaw, stage.camera.pitch + pitch); redraw(); };
  const clicks = {
    play: () => player.toggle(), back: () => player.step(-1), next: () => player.step(1), loop, theme, panel, fit: home,
    "help-button": help, "help-close": help, "zoom-in": () => zoom(1.25), "zoom-out": () => zoom(0.8),
  };
  for (const [id, action] of Object.entries(clicks)) find(id).addEventListener("click", action);
  keys({
    " ": () => player.toggle(), k: () => player.toggle(), ArrowLeft: (e) => player.step(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => player.step(e.shiftKey ? 10 : 1), Home: () => { player.pause(); player.go(motion.start); },
    End: () => { player.pause(); player.go(motion.end); }, "+": () => zoom(1.25), "=": () => zoom(1.25),
    "-": () => zoom(0.8), f: home, 0: home, "]": () => faster(1), "[": () => faster(-1), ".": () => faster(1),
    ",": () => faster(-1), d: theme, o: loop, p: panel, "?": help,
    ArrowUp: (e) => (e.shiftKey ? turn(0, 0.1) : zoom(1.1)), ArrowDown: (e) => (e.shiftKey ? turn(0, -0.1) : zoom(1 / 1.1)),
    x: () => turn(0.1, 0), z: () => turn(-0.1, 0), ...Object.fromEntries(flips),
  });

  modelTable(paper);
  certificate(paper);
  ending(paper);
  traceList(paper, shown, redraw);
  markList(motion.axis, (t) => { player.pause(); player.go(t); });
  scrub.setAttribute("aria-label", motion.axis.name);
  find("axis-name").textContent = motion.axis.name === "time" ? "" : motion.axis.name;
  quantityField(paper, (index) => charts.add(index));
  document.body.classList.toggle("still", paper.count < 2);
  document.body.classList.toggle("steps", steps);
  document.body.classList.toggle("plain", motion.axis.log);
  document.body.classList.toggle("swings", Boolean(motion.swinging));
  document.body.classList.toggle("static", Boolean(motion.swinging && motion.swinging.still));
  document.body.classList.toggle("space", paper.dimension === 3);
  stage.dress(getComputedStyle(document.documentElement));
  stage.resize();
  if (motion.swinging) swingPanel(motion.swinging, player, () => { stage.fit(); redraw(); });
  for (const group of paper.charts) for (const index of group) charts.add(index);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
  new ResizeObserver(layout).observe(find("view"));
  stage.draw();
  draw();
  window.particlemech = { player, motion, stage, charts, columns, looks: Object.keys(PRIMITIVES) }; // for those who look inside
  document.body.dataset.ready = "yes";
}

main().catch((error) => {
  find("failed").hidden = false;
  find("failed").textContent = `This page cannot be shown: ${error.message}. A browser from 2023 or later is needed.`;
  throw error;
});
