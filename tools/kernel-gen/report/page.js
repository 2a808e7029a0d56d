"use strict";
// Names come from packages and are only ever set as text.
const {columns, packages, notes} = JSON.parse(document.getElementById("data").textContent);
const two = packages.length === 2;
const at = Object.fromEntries(columns.map((name, i) => [name, i]));
const element = (id) => document.getElementById(id);
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, " ");

function make(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

function spellBytes(n) {
  if (n < 1024) return n + " B";
  const units = ["KiB", "MiB", "GiB"];
  let unit = -1;
  do { n /= 1024; ++unit; } while (n >= 1024 && unit < 2);
  return n.toFixed(1) + " " + units[unit];
}

// Text columns have no `lower`; it says which way a figure is better. A title says what a column is, with its unit.
const whole = (n) => n.toFixed(0), hundredths = (n) => n.toFixed(2);
const shown = [
  {key: "kernel", title: "Name of the kernel"},
  {key: "module", title: "Module that the kernel is compiled in"},
  {key: "target", title: "GPU or CPU that the code is for"},
  {key: "size", lower: true, title: "Bytes of instructions"},
  {key: "VGPRs", lower: true, title: "Vector registers of a thread"},
  {key: "AGPRs", lower: true, title: "Accumulation registers of a thread"},
  {key: "SGPRs", lower: true, title: "Scalar registers of a wave"},
  {key: "LDS", lower: true, title: "Bytes of shared memory of a block"},
  {key: "waves", lower: false, title: "Waves in flight on a SIMD"},
  {key: "spills", lower: true, title: "Registers that are spilled"},
  {key: "scratch", lower: true, title: "Bytes of scratch memory of a thread"},
  {key: "bound", lower: true, spell: whole, title: "Least cycles of a SIMD for one pass of the hottest loop"},
  {key: "pipe", title: "Pipe that the bound is of"},
  {key: "share", lower: false, spell: hundredths, title: "Matrix cycles among those and the vector unit's, 0 to 1"},
  {key: "memory", lower: true, spell: whole, title: "Cycles until the loop's bytes have come at full bandwidth"},
  {key: "seconds", lower: true, spell: hundredths, title: "CPU seconds of the module's last compile here"},
  {key: "launches", lower: true, title: "Counted launches on a simulated GPU, which the next columns sum"},
  {key: "least µs", lower: true, spell: hundredths, title: "Least time of the launches on the card, in µs"},
  {key: "limit", title: "What that time is limited by"},
  {key: "VALU", lower: true, title: "Executed vector instructions, one for a wave"},
  {key: "matrix", lower: true, title: "Executed matrix instructions, one for a wave"},
  {key: "traffic", lower: true, title: "Bytes of different lines of 64 bytes: the traffic of an ideal cache"},
  {key: "conflicts", lower: true, title: "LDS cycles that bank conflicts add"},
].filter((column) => packages.some((p) => p.rows.some((row) => row[at[column.key]] !== null)));
for (const column of shown) column.isText = column.lower === undefined;

// A row of the page is a kernel's code for a target in either package. Of others' libraries several modules may have it.
const rows = [];
const byName = new Map();
packages.forEach((p, side) => {
  const copies = new Map();
  p.rows.forEach((figures) => {
    const own = JSON.stringify([figures[at.kernel], figures[at.target]]);
    copies.set(own, (copies.get(own) || 0) + 1);
    const name = own + copies.get(own);
    let row = byName.get(name);
    if (!row) {
      row = {sides: [null, null], words: [figures[at.kernel], figures[at.module], figures[at.target]].join(" ").toLowerCase()};
      byName.set(name, row);
      rows.push(row);
    }
    row.sides[side] = figures;
  });
});
const figure = (row, side, key) => row.sides[side] ? row.sides[side][at[key]] : null;
const value = (row, key) => figure(row, row.sides[0] ? 0 : 1, key);
const differs = (row) => !row.sides[0] || !row.sides[1] ||
  shown.some((c) => c.key !== "seconds" && figure(row, 0, c.key) !== figure(row, 1, c.key));

const state = {sort: "size", down: true, most: 200, measure: "size"};

function compare(a, b) {
  const x = value(a, state.sort), y = value(b, state.sort);
  // What has no such figure comes last either way.
  if (x === null || y === null) return (x === null) - (y === null);
  const order = typeof x === "string" ? (x < y ? -1 : x > y ? 1 : 0) : x - y;
  return state.down ? -order : order;
}

function makeCell(row, column) {
  const spell = (n) => n === null ? "–" : column.isText ? n : column.spell ? column.spell(n) : grouped(n);
  const mine = value(row, column.key);
  const cell = make("td", spell(mine), column.isText ? "name" : "");
  if (column.isText) cell.title = mine || "";
  if (!two || !row.sides[0] || !row.sides[1]) return cell;
  const other = figure(row, 1, column.key);
  if (mine === other) return cell;
  cell.append(make("small", spell(other)));
  if (!column.isText && mine !== null && other !== null) cell.className = (mine < other) === column.lower ? "better" : "worse";
  return cell;
}

function drawTable() {
  const words = element("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const target = element("target").value;
  const kept = rows.filter((row) => words.every((word) => row.words.includes(word)) &&
    (!target || value(row, "target") === target) && (!element("changed").checked || differs(row)));
  kept.sort(compare);
  element("rows").replaceChildren(...kept.slice(0, state.most).map((row) => {
    const line = make("tr", undefined, !row.sides[0] ? "gone" : two && !row.sides[1] ? "new" : "");
    line.append(...shown.map((column) => makeCell(row, column)));
    return line;
  }));
  element("count").textContent = `${grouped(kept.length)} of ${grouped(rows.length)} rows`;
  element("more").hidden = kept.length <= state.most;
  element("more").textContent = `Show all ${grouped(kept.length)}`;
}

function drawHead() {
  element("head").replaceChildren(...shown.map((column) => {
    const head = make("th", undefined, column.isText ? "name" : "");
    if (column.key === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    const button = make("button", column.key);
    button.type = "button";
    button.title = column.title;
    button.addEventListener("click", () => {
      state.down = column.key === state.sort ? !state.down : !column.isText;
      state.sort = column.key;
      drawHead();
      drawTable();
      element("head").children[shown.indexOf(column)].firstChild.focus();
    });
    head.append(button);
    return head;
  }));
}

const targets = [...new Set(packages.flatMap((p) => p.objects.map((object) => object.target)))];
const colour = (target) => `hsl(${Math.round(360 * targets.indexOf(target) / targets.length)} 50% var(--lightness))`;
const measures = [{key: "size", name: "Bytes", spell: spellBytes}, {key: "seconds", name: "Seconds", spell: (n) => n.toFixed(1) + " s"}]
  .filter(({key}) => packages.some((p) => p.objects.some((object) => object[key] !== null)));

function svg(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, v] of Object.entries(attributes)) made.setAttribute(name, v);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Parts of a module share its name up to a dot.
const moduleOf = (object) => object.module.split(".")[0];

// A bar a module, the longest first, with a piece for each target; the other package's below it.
function drawBars() {
  const {key, spell} = measures.find((measure) => measure.key === state.measure);
  const sums = new Map();
  packages.forEach((p, side) => p.objects.forEach((object) => {
    if (!sums.has(moduleOf(object))) sums.set(moduleOf(object), [0, 0]);
    sums.get(moduleOf(object))[side] += object[key] || 0;
  }));
  const modules = [...sums.keys()].sort((a, b) => Math.max(...sums.get(b)) - Math.max(...sums.get(a)));
  const width = element("bars").clientWidth, left = 140, right = 80, height = two ? 26 : 18, gap = 4;
  const scale = Math.max(1, width - left - right) / Math.max(1e-9, ...[...sums.values()].flat());
  const picture = svg("svg", {height: modules.length * (height + gap), role: "img", "aria-label": `${key} by module`});
  modules.forEach((module, line) => {
    const y = line * (height + gap);
    const bar = svg("g", {});
    bar.append(svg("text", {x: left - 8, y: y + 13, "text-anchor": "end"}, module));
    packages.forEach((p, side) => {
      let x = left;
      for (const object of p.objects.filter((one) => moduleOf(one) === module)) {
        const piece = svg("rect", {x, y: y + side * 17, width: (object[key] || 0) * scale, height: side ? 8 : 16,
          fill: colour(object.target), class: side ? "other" : ""});
        piece.append(svg("title", {}, `${object.module}, ${object.target}: ${spell(object[key] || 0)}`));
        bar.append(piece);
        x += (object[key] || 0) * scale;
      }
    });
    const [mine] = sums.get(module);
    bar.append(svg("text", {x: left + Math.max(...sums.get(module)) * scale + 6, y: y + 13, class: "value"}, spell(mine)));
    bar.addEventListener("click", () => {
      element("filter").value = module;
      drawTable();
    });
    picture.append(bar);
  });
  element("bars").replaceChildren(picture);
  for (const button of element("measures").children) button.setAttribute("aria-pressed", button.dataset.key === key);
}

element("about").textContent = packages.map((p) =>
  `${p.name}: ${spellBytes(p.bytes)} for ${p.targets} target${p.targets === 1 ? "" : "s"}`).join("; beside ");
element("notes").append(...notes.map((note) => make("li", note)));
element("legend").append(...targets.map((target) => {
  const entry = make("span", target), box = make("i");
  box.style.background = colour(target);
  entry.prepend(box);
  return entry;
}));
element("measures").append(...measures.map(({key, name}) => {
  const button = make("button", name);
  button.type = "button";
  button.dataset.key = key;
  button.addEventListener("click", () => {
    state.measure = key;
    drawBars();
  });
  return button;
}));
element("target").append(...["", ...targets].map((target) => {
  const option = make("option", target || "all targets");
  option.value = target;
  return option;
}));
element("measures").hidden = measures.length < 2;
element("changes").hidden = !two;
for (const id of ["filter", "target", "changed"]) element(id).addEventListener("input", drawTable);
element("more").addEventListener("click", () => {
  state.most = Infinity;
  drawTable();
});
addEventListener("resize", drawBars);
drawHead();
drawTable();
drawBars();
