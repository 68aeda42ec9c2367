// The panel beside the stage: charts, traces, the table of the model; and the certificate and the tip on the stage.
// Text of the model goes through textContent only.

function element(tag, name = "", text = "") {
  const result = document.createElement(tag);
  if (name) result.className = name;
  if (text !== "") result.textContent = text;
  return result;
}

const find = (id) => document.getElementById(id);

// -- the model ---------------------------------------------------------------------------------------------------------

function modelTable(paper) {
  const sections = new Map();
  for (const row of paper.table) {
    if (!sections.has(row.section)) sections.set(row.section, []);
    sections.get(row.section).push(row);
  }
  const plural = { body: "bodies" };
  for (const [section, rows] of sections) {
    const details = element("details", "section");
    details.open = rows.length <= 12;
    details.append(element("summary", "", `${plural[section] || `${section}s`} (${rows.length})`));
    const table = element("table");
    for (const row of rows) {
      const line = element("tr"), name = element("th"), kind = element("td", "kind", row.kind), keys = element("td");
      name.append(element("bdi", "", row.name));
      name.scope = "row";
      for (const [key, value] of row.keys) {
        const pair = element("span", "pair");
        pair.append(element("span", "key", key), " ", element("bdi", "", value));
        keys.append(pair, " ");
      }
      if (row.kind) keys.prepend(kind.textContent ? element("span", "kind", row.kind) : "", " ");
      line.append(name, keys);
      table.append(line);
    }
    details.append(table);
    find("model").append(details);
  }
}

// in short where it is closed: what is said of closure and energy
function certificate(paper) {
  const box = find("certificate"), short = paper.certificate.filter(([what]) => /status|warning|closure|energy|second/.test(what));
  if (!paper.certificate.length) {
    box.hidden = true;
    return;
  }
  const body = element("dl"), summary = box.querySelector("summary");
  for (const [what, said] of paper.certificate) body.append(element("dt", "", what), element("dd", "", said));
  // how it ended comes first, and needs no word before it
  const words = short.map(([what, said]) => (what === "status" ? said : `${what} ${said}`));
  summary.append(element("span", "short", ` · ${words.join(" · ")}`));
  box.classList.toggle("bad", Boolean(paper.ended));
  box.append(body);
}

// a run that did not complete says so before anything else
function ending(paper) {
  const box = find("ended");
  box.hidden = !paper.ended;
  if (!paper.ended) return;
  box.replaceChildren(element("strong", "", `This run did not complete: ${paper.ended}.`), " ", element("bdi", "", paper.message));
}

// -- choices -------------------------------------------------------------------------------------------------------------

function traceList(paper, shown, changed) {
  const box = find("traces");
  paper.points.forEach((point, i) => {
    if (point.fixed) return;
    const label = element("label", "choice"), tick = element("input");
    tick.type = "checkbox";
    tick.checked = shown.points.includes(i);
    tick.addEventListener("change", () => {
      shown.points = tick.checked ? [...shown.points, i] : shown.points.filter((p) => p !== i);
      changed();
    });
    label.append(tick, element("bdi", "", point.name));
    box.append(label);
  });
  if (!box.children.length) find("traces-section").hidden = true;
}

// a field that finds quantities by any part of their name
function quantityField(paper, add) {
  const field = find("quantity"), list = find("found");
  const words = paper.quantities.map((q) => q.name.toLowerCase());
  const refresh = () => {
    const asked = field.value.trim().toLowerCase(), rows = [];
    for (let i = 0; i < words.length && rows.length < 40; i++) {
      if (!words[i].includes(asked)) continue;
      const q = paper.quantities[i], row = element("button", "row");
      row.type = "button";
      row.append(element("bdi", "", q.name), element("span", "kind", `${q.what} [${q.unit}]`));
      row.addEventListener("click", () => {
        add(i);
        close();
      });
      rows.push(row);
    }
    list.replaceChildren(...(rows.length ? rows : [element("span", "none", "no quantity of that name")]));
    list.hidden = false;
  };
  const close = () => {
    list.hidden = true;
    field.value = "";
  };
  field.addEventListener("focus", refresh);
  field.addEventListener("input", refresh);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { close(); field.blur(); }
    const first = list.querySelector("button");
    if (event.key === "Enter" && first) first.click();
    if (event.key === "ArrowDown" && first) { event.preventDefault(); first.focus(); }
  });
  document.addEventListener("pointerdown", (event) => { if (!event.target.closest("#chooser")) list.hidden = true; });
}

// -- the tip ---------------------------------------------------------------------------------------------------------------

class Tip {
  constructor(box, motion) {
    this.box = box;
    this.motion = motion;
    this.shown = null;
    const { paper } = motion;
    const key = (section, name) => JSON.stringify([section, name]);
    this.of = new Map(paper.parts.map((part) => [key(part.section, part.name), part.of]));
    this.kinds = new Map(paper.table.map((row) => [key(row.section, row.name), row.kind]));
    this.key = key;
  }

  // show what is under the pointer, with its numbers; the rows are made once and their values follow the time
  show(found, x, y) {
    this.box.hidden = !found;
    if (!found) { this.shown = null; return; }
    const { part, point } = found, id = JSON.stringify([part && [part.section, part.name], point && point.name]);
    if (this.shown !== id) {
      this.shown = id;
      this.values = [];
      const blocks = [];
      if (part) {
        const own = this.key(part.section, part.name), kind = this.kinds.get(own);
        blocks.push(this.block(part.name, kind ? `${kind} ${part.section}` : part.section, this.of.get(own) || []));
      }
      if (point) blocks.push(this.block(point.name, "point", point.of));
      this.box.replaceChildren(...blocks);
    }
    this.follow();
    const frame = this.box.parentElement.getBoundingClientRect(), own = this.box.getBoundingClientRect();
    const left = x + 16 + own.width > frame.width ? x - own.width - 12 : x + 16;
    this.box.style.left = `${Math.max(4, left)}px`;
    this.box.style.top = `${Math.max(4, Math.min(y + 12, frame.height - own.height - 4))}px`;
  }

  block(name, kind, indices) {
    const block = element("div", "block"), head = element("div", "head"), table = element("table");
    head.append(element("bdi", "name", name), element("span", "kind", kind));
    for (const index of indices.slice(0, 12)) {
      const q = this.motion.paper.quantities[index], row = element("tr"), value = element("td", "value");
      const field = q.name.startsWith(`${name}.`) ? q.name.slice(name.length + 1) : q.name;
      const title = element("th");
      title.append(element("bdi", "", field));
      row.append(title, value, element("td", "unit", q.unit));
      table.append(row);
      this.values.push([q, value]);
    }
    block.append(head, table);
    return block;
  }

  follow() {
    if (!this.shown) return;
    for (const [q, value] of this.values) {
      value.textContent = number(this.motion.now(q.column), this.motion.columns.heads[q.column][1]);
    }
  }
}
