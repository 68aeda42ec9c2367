// A sweep: curves over one parameter, maps over two, and beside them the variant of the case under the pointer.

const scene = JSON.parse(document.getElementById("scene").textContent);
const find = (id) => document.getElementById(id);
const { parameters, quantities, dims, shape, count } = scene;
const sampled = dims.length === 1 && parameters.length > 1; // cases that lie anywhere between bounds
const axes = sampled ? parameters.map((p) => p.name) : dims;
const state = { quantity: 0, across: 0, up: axes.length > 1 ? 1 : -1, fixed: dims.map(() => 0), at: 0 };
const ROOM = { left: 78, right: 92, top: 16, bottom: 52 };
// a map of colours from dark to light that is even to the eye and to those who see no red
const COLOURS = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

const strides = shape.map((_, k) => shape.slice(k + 1).reduce((a, b) => a * b, 1));
const index = (k, dim) => Math.floor(k / strides[dim]) % shape[dim];
const of = (name) => parameters.find((p) => p.name === name);
const values = (axis) => sampled ? parameters[axis] : parameters.find((p) => p.dim === dims[axis]);
const value = (axis, k) => values(axis).values[sampled ? k : index(k, axis)];
const labelled = (name, unit) => unit && unit !== "1" ? `${name} [${unit}]` : name;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// the cases that are seen: where more than two parameters vary, the others stand still
function seen() {
  const all = [...Array(count).keys()];
  if (sampled) return all;
  return all.filter((k) => dims.every((_, d) => d === state.across || d === state.up || index(k, d) === state.fixed[d]));
}

function range(list) {
  const known = list.filter((x) => x !== null && Number.isFinite(x));
  if (!known.length) return [0, 1];
  const low = Math.min(...known), high = Math.max(...known);
  return high > low ? [low, high] : [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
}

function tint(part) {
  const at = Math.max(0, Math.min(1, part)) * (COLOURS.length - 1), k = Math.min(Math.floor(at), COLOURS.length - 2);
  const mixed = COLOURS[k].map((c, i) => Math.round(c + (at - k) * (COLOURS[k + 1][i] - c)));
  return `rgb(${mixed.join(",")})`;
}

function fitted(canvas) {
  const box = canvas.getBoundingClientRect(), scale = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(box.width * scale));
  canvas.height = Math.max(1, Math.round(box.height * scale));
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, box.width, box.height);
  pen.font = "12px system-ui, sans-serif";
  return [pen, box.width, box.height];
}

function ticks([low, high], most) {
  const step = nice((high - low) / most), found = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * step; x += step) found.push([x, shortest(x, step)]);
  return found;
}

// edges of the cells around values that may stand unevenly
function edges(list) {
  if (list.length < 2) return [list[0] - 0.5, list[0] + 0.5];
  const middle = list.slice(1).map((x, i) => (x + list[i]) / 2);
  return [2 * list[0] - middle[0], ...middle, 2 * list[list.length - 1] - middle[middle.length - 1]];
}

let layout = null; // of the chart as it was drawn last: where each case is

function frame(pen, width, height, x, y, names) {
  const right = width - ROOM.right, bottom = height - ROOM.bottom;
  const across = (v) => ROOM.left + ((v - x[0]) / (x[1] - x[0])) * (right - ROOM.left);
  const up = (v) => bottom - ((v - y[0]) / (y[1] - y[0])) * (bottom - ROOM.top);
  pen.strokeStyle = colour("--grid");
  pen.fillStyle = colour("--faint");
  pen.lineWidth = 1;
  pen.textAlign = "center";
  for (const [v, text] of ticks(x, Math.max(2, width / 110))) {
    pen.beginPath(); pen.moveTo(across(v), ROOM.top); pen.lineTo(across(v), bottom); pen.stroke();
    pen.fillText(text, across(v), bottom + 16);
  }
  pen.textAlign = "right";
  for (const [v, text] of ticks(y, Math.max(2, height / 70))) {
    pen.beginPath(); pen.moveTo(ROOM.left, up(v)); pen.lineTo(right, up(v)); pen.stroke();
    pen.fillText(text, ROOM.left - 6, up(v) + 4);
  }
  pen.fillStyle = colour("--ink");
  pen.textAlign = "center";
  pen.fillText(names[0], (ROOM.left + right) / 2, bottom + 38);
  pen.save();
  pen.translate(14, (ROOM.top + bottom) / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(names[1], 0, 0);
  pen.restore();
  return [across, up, right, bottom];
}

function drawCurve(pen, width, height, cases) {
  const q = quantities[state.quantity], p = values(state.across);
  const sorted = [...cases].sort((a, b) => value(state.across, a) - value(state.across, b));
  const x = range(cases.map((k) => value(state.across, k))), y = range(cases.map((k) => q.values[k]));
  const slack = 0.05 * (y[1] - y[0]);
  const [across, up] = frame(pen, width, height, x, [y[0] - slack, y[1] + slack], [labelled(p.name, p.unit), labelled(q.name, q.unit)]);
  pen.strokeStyle = pen.fillStyle = colour("--accent");
  pen.lineWidth = 1.6;
  pen.beginPath();
  let on = false;
  for (const k of sorted) {
    const v = q.values[k];
    if (v === null) { on = false; continue; }
    on ? pen.lineTo(across(value(state.across, k)), up(v)) : pen.moveTo(across(value(state.across, k)), up(v));
    on = true;
  }
  pen.stroke();
  layout = new Map();
  for (const k of sorted) {
    const v = q.values[k], at = [across(value(state.across, k)), v === null ? height - ROOM.bottom : up(v)];
    layout.set(k, at);
    pen.beginPath();
    if (v === null) { pen.fillStyle = colour("--alarm"); pen.fillRect(at[0] - 2, at[1] - 4, 4, 8); pen.fillStyle = colour("--accent"); }
    else if (sorted.length < 200) { pen.arc(...at, 2.5, 0, 7); pen.fill(); }
  }
}

function drawMap(pen, width, height, cases) {
  const q = quantities[state.quantity], p = values(state.across), r = values(state.up);
  const across0 = sampled ? range(p.values) : range(edges(p.values)), up0 = sampled ? range(r.values) : range(edges(r.values));
  const [across, up, right, bottom] = frame(pen, width, height, across0, up0, [labelled(p.name, p.unit), labelled(r.name, r.unit)]);
  const z = range(cases.map((k) => q.values[k]));
  const xs = sampled ? null : edges(p.values), ys = sampled ? null : edges(r.values);
  layout = new Map();
  for (const k of cases) {
    const v = q.values[k], at = [across(value(state.across, k)), up(value(state.up, k))];
    layout.set(k, at);
    pen.fillStyle = v === null ? colour("--grid") : tint((v - z[0]) / (z[1] - z[0]));
    if (sampled) { pen.beginPath(); pen.arc(...at, 4.5, 0, 7); pen.fill(); continue; }
    const i = index(k, state.across), j = index(k, state.up);
    const [x0, x1] = [across(xs[i]), across(xs[i + 1])].sort((a, b) => a - b), [y0, y1] = [up(ys[j]), up(ys[j + 1])].sort((a, b) => a - b);
    pen.fillRect(x0, y0, x1 - x0 + 0.6, y1 - y0 + 0.6);
  }
  for (let i = 0; i < 100; i++) {
    pen.fillStyle = tint(i / 99);
    pen.fillRect(right + 12, bottom - ((i + 1) / 100) * (bottom - ROOM.top), 12, (bottom - ROOM.top) / 100 + 0.6);
  }
  pen.fillStyle = colour("--faint");
  pen.textAlign = "left";
  for (const [v, text] of ticks(z, 6)) pen.fillText(text, right + 28, bottom - ((v - z[0]) / (z[1] - z[0])) * (bottom - ROOM.top) + 4);
}

function drawChart() {
  const [pen, width, height] = fitted(find("chart")), cases = seen();
  if (!cases.includes(state.at)) state.at = cases[0];
  state.up < 0 ? drawCurve(pen, width, height, cases) : drawMap(pen, width, height, cases);
  const here = layout.get(state.at);
  pen.strokeStyle = colour("--ink");
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(...here, 6.5, 0, 7);
  pen.stroke();
}

function drawVariant() {
  const [pen, width, height] = fitted(find("variant")), { bodies, places, box } = scene.drawing, flat = places[state.at];
  if (!flat) return;
  const size = Math.max(box[2] - box[0], box[3] - box[1]) || 1;
  const scale = 0.86 * Math.min(width / Math.max(box[2] - box[0], 0.2 * size), height / Math.max(box[3] - box[1], 0.2 * size));
  const at = (i) => [width / 2 + scale * (flat[2 * i] - (box[0] + box[2]) / 2), height / 2 - scale * (flat[2 * i + 1] - (box[1] + box[3]) / 2)];
  pen.lineJoin = pen.lineCap = "round";
  for (const body of bodies) {
    pen.beginPath();
    body.at.forEach((i, n) => (n ? pen.lineTo(...at(i)) : pen.moveTo(...at(i))));
    if (body.at.length > 2) { pen.closePath(); pen.fillStyle = colour("--plate"); pen.globalAlpha = 0.6; pen.fill(); pen.globalAlpha = 1; }
    if (body.at.length === 1) pen.rect(at(body.at[0])[0] - 7, at(body.at[0])[1] - 5, 14, 10);
    pen.strokeStyle = colour("--rod"); pen.lineWidth = body.at.length === 1 ? 2 : 8; pen.stroke();
  }
  for (const i of scene.drawing.ground) {
    const [x, y] = at(i);
    pen.beginPath(); pen.moveTo(x, y); pen.lineTo(x - 9, y + 14); pen.lineTo(x + 9, y + 14); pen.closePath();
    pen.strokeStyle = colour("--faint"); pen.lineWidth = 1.5; pen.stroke();
  }
  for (const body of bodies) for (const i of body.at) {
    pen.beginPath(); pen.arc(...at(i), 3.5, 0, 7);
    pen.fillStyle = colour("--paper"); pen.fill();
    pen.strokeStyle = colour("--ink"); pen.lineWidth = 1.4; pen.stroke();
  }
}

function row(table, name, text, shown) {
  const line = table.insertRow();
  line.className = shown ? "shown" : "";
  line.insertCell().textContent = name;
  line.insertCell().textContent = text;
}

function tell() {
  const table = find("facts"), k = state.at;
  table.replaceChildren();
  for (const p of parameters) {
    const d = sampled ? 0 : dims.indexOf(p.dim);
    row(table, p.about ? `${p.name}, ${p.about}` : p.name, `${number(p.values[sampled ? k : index(k, d)])} ${p.unit}`, false);
  }
  quantities.forEach((q, n) => row(table, q.name, q.values[k] === null ? "–" : `${number(q.values[k])} ${q.unit}`, n === state.quantity));
  const [status, message] = scene.ends[scene.end[k]];
  find("message").textContent = status === "completed" ? "" : `${status}: ${message}`;
}

function draw() { drawChart(); drawVariant(); tell(); }

function select(id, names, chosen, changed) {
  const field = find(id);
  names.forEach((name, n) => field.add(new Option(name, String(n), false, n === chosen)));
  field.addEventListener("change", () => { changed(Number(field.value)); hold(); draw(); });
}

// sliders for the parameters that are neither across nor up
function hold() {
  const held = find("held");
  held.replaceChildren();
  if (sampled) return;
  dims.forEach((dim, d) => {
    if (d === state.across || d === state.up || shape[d] < 2) return;
    const label = document.createElement("label"), slider = document.createElement("input"), said = document.createElement("output");
    const p = values(d), show = () => { said.textContent = `${number(p.values[state.fixed[d]])} ${p.unit}`; };
    Object.assign(slider, { type: "range", min: 0, max: shape[d] - 1, step: 1, value: state.fixed[d] });
    slider.addEventListener("input", () => { state.fixed[d] = Number(slider.value); show(); draw(); });
    label.append(dim, slider, said);
    held.append(label);
    show();
  });
}

function pointed(event) {
  const box = find("chart").getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  let best = Infinity, at = state.at;
  for (const [k, [u, v]] of layout) {
    const far = state.up < 0 ? Math.abs(u - x) + 1e-3 * Math.abs(v - y) : (u - x) ** 2 + (v - y) ** 2;
    if (far < best) { best = far; at = k; }
  }
  if (at !== state.at) { state.at = at; draw(); }
}

function stepped(dx, dy) {
  const here = layout.get(state.at);
  let best = Infinity, at = state.at;
  for (const [k, [u, v]] of layout) {
    const x = u - here[0], y = state.up < 0 ? 0 : here[1] - v, along = x * dx + y * dy;
    const far = along + 4 * Math.abs(x * dy - y * dx);
    if (k !== state.at && along > 0.5 && far < best) { best = far; at = k; }
  }
  state.at = at;
  draw();
}

select("quantity", quantities.map((q) => q.name), 0, (n) => { state.quantity = n; });
select("across", axes, state.across, (n) => { if (n === state.up) { state.up = state.across; find("up").value = String(state.up); } state.across = n; });
select("up", axes, state.up, (n) => { if (n === state.across) { state.across = state.up; find("across").value = String(state.across); } state.up = n; });
find("across-field").hidden = find("up-field").hidden = axes.length < 2;
find("chart").addEventListener("pointermove", pointed);
find("chart").addEventListener("pointerdown", pointed);
find("chart").addEventListener("keydown", (event) => {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (way) { event.preventDefault(); stepped(...way); }
});
function turned() {
  const root = document.documentElement, dark = getComputedStyle(root).getPropertyValue("--dark").trim() === "1";
  root.dataset.theme = dark ? "light" : "dark";
  draw();
}
find("theme").addEventListener("click", turned);
document.addEventListener("keydown", (event) => { if (event.key === "d" && !event.ctrlKey && !event.metaKey) turned(); });
new ResizeObserver(draw).observe(find("chart"));
new ResizeObserver(draw).observe(find("variant"));
hold();
draw();
document.body.dataset.ready = "yes";
