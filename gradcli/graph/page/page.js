"use strict";
(() => {
const $ = id => document.getElementById(id);
const data = JSON.parse($("trace").textContent), more = JSON.parse($("more").textContent);
const H = 24, FEW = 200, nodes = data.nodes, at = new Map();
nodes.forEach((n, i) => at.set(n.id, i));
for (const l of data.leaves) if (l.unused && !at.has(l.name)) {
  at.set(l.name, nodes.length);
  nodes.push({ id: l.name, kind: "leaf", variable: l.name, order: 0, edges: [], ...l, name: "AccumulateGrad" });
}

// What would turn or hide text is shown by its code.
const clean = s => String(s).replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
  c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
function make(tag, name, ...inside) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...inside.map(x => x instanceof Node ? x : clean(x)));
  return made;
}
const plain = x => x === "nan" ? NaN : x === "inf" ? Infinity : x === "-inf" ? -Infinity : x;
const size = g => g === null || g === undefined ? null : Math.abs(plain(typeof g === "object" ? g.norm : g));
const few = x => x === null || x === undefined ? "-" : typeof x === "string" ? x : String(+(+x).toPrecision(4));
const lengths = n => n.outputs ? n.outputs.some(o => o.grad) ? Math.hypot(...n.outputs.map(o => size(o.grad) || 0)) : null
  : n.kind === "call" ? plain(n.gradient_in) : n.kind === "const" ? null : size(n.grad);
const grads = nodes.map(lengths);
const inputs = n => n.arguments ? n.edges.concat(n.arguments) : n.edges;
const users = nodes.map(() => []);
nodes.forEach((n, i) => { for (const e of inputs(n)) if (e.to !== null && at.has(e.to)) users[at.get(e.to)].push([i, e]); });

let low = Infinity, high = 0;
const measure = x => { if (x > 0 && x < Infinity) { low = Math.min(low, x); high = Math.max(high, x); } };
grads.forEach(measure);
for (const n of nodes) for (const e of n.edges) measure(size(e.grad));
const share = x => x === Infinity ? 1 : !(x > 0) ? 0 : high > low ? .06 + .94 * Math.log(x / low) / Math.log(high / low) : .5;

// Rows: what is not made by an op stands before its first user, in the calls that all its users are in.
const layered = nodes.some(n => n.order > 0);
const pathOf = n => [...(layered ? ["\0" + n.order] : []), ...(n.scope || [])];
const paths = nodes.map((n, i) => n.kind === "leaf" || n.kind === "const" ? null : pathOf(n));
nodes.forEach((n, i) => {
  if (paths[i]) return;
  const all = users[i].map(u => paths[u[0]] || []);
  paths[i] = all.length ? all.reduce((a, b) => { let k = 0; while (k < a.length && a[k] === b[k]) k++; return a.slice(0, k); }) : [];
});
const top_ = { kids: [], depth: 0, open: true, path: "", ops: 0 }, groups = new Map(), leaves = [], rowFor = new Array(nodes.length);
let deepest = 0;
function group(path) {
  let here = top_;
  for (const id of path) {
    const key = here.path + "\n" + id;
    let next = groups.get(key);
    if (!next) {
      const layer = id[0] === "\0" ? +id.slice(1) : null, told = more.scopes[id];
      next = { kids: [], depth: here.depth + 1, up: here, path: key, id, scope: told,
        label: layer === null ? id : layer ? "recorded by backward " + layer : "forward", open: true, ops: 0 };
      groups.set(key, next);
      here.kids.push(next);
      deepest = Math.max(deepest, next.depth);
    }
    here = next;
  }
  return here;
}
function put(i, user) {
  const up = group(paths[i]), row = { i, up, depth: up.depth + 1 }, next = user && groups.get(up.path + "\n" + user[up.depth]);
  rowFor[i] = row;
  up.kids.splice(next ? up.kids.lastIndexOf(next) : up.kids.length, 0, row);
}
nodes.forEach((n, i) => {
  if (n.kind === "leaf" || n.kind === "const") return;
  for (const e of inputs(n)) { const j = at.get(e.to); if (j !== undefined && !rowFor[j] && /leaf|const/.test(nodes[j].kind)) put(j, paths[i]); }
  put(i);
});
nodes.forEach((n, i) => rowFor[i] || put(i));
const settle = up => {
  up.first = leaves.length;
  up.kids.forEach((kid, n) => {
    kid.place = n + 1;
    if (kid.kids) up.ops += settle(kid).ops;
    else { kid.k = leaves.push(kid) - 1; if (!/leaf|const/.test(nodes[kid.i].kind)) up.ops++; }
  });
  up.last = leaves.length - 1;
  return up;
};
settle(top_);
const count = leaves.length;

let shown = [], rowAt, lanes = [], branches = new Map(), picked = null, hits = new Set(), time = 2 * count, gutter = 24, step = 8;
function flatten() {
  shown = [];
  rowAt = new Int32Array(nodes.length);
  const walk = (up, hidden) => {
    for (const kid of up.kids) {
      if (!hidden) shown.push(kid);
      if (kid.kids) walk(kid, hidden || !kid.open); else rowAt[kid.i] = shown.length - 1;
    }
  };
  walk(top_, false);
  wire();
  $("pad").style.height = shown.length * H + "px";
  drawn = "";
  draw();
}
// A trunk leads from what made a tensor to its last user, a branch to each user: as thick as their gradient.
function wire() {
  const trunks = new Map();
  branches = new Map();
  nodes.forEach((n, i) => {
    const to = rowAt[i];
    for (const e of inputs(n)) {
      const j = at.get(e.to);
      if (j === undefined || rowAt[j] === to) continue;
      const from = rowAt[j], weight = size(e.grad) || 0;
      let t = trunks.get(from);
      if (!t) trunks.set(from, t = { from, lo: from, hi: from, weight: 0 });
      t.lo = Math.min(t.lo, to);
      t.hi = Math.max(t.hi, to);
      t.weight = Math.max(t.weight, weight);
      let here = branches.get(to);
      if (!here) branches.set(to, here = new Map());
      here.set(t, Math.max(here.get(t) || 0, weight));
    }
  });
  lanes = [];
  for (const t of [...trunks.values()].sort((a, b) => a.lo - b.lo || b.hi - a.hi)) {
    let lane = lanes.findIndex(l => l[l.length - 1].hi <= t.lo);
    if (lane < 0) lane = lanes.push([]) - 1;
    t.lane = lane;
    lanes[lane].push(t);
  }
  const room = innerWidth < 600 ? 60 : 120;
  step = Math.min(9, room / Math.max(1, lanes.length));
  gutter = Math.ceil(step * lanes.length) + 14;
}

const box = $("rows"), list = $("list"), canvas = $("arcs");
let drawn = "";
function draw() {
  const first = Math.max(0, Math.floor(box.scrollTop / H / 8) * 8 - 8);
  const last = Math.min(shown.length, first + Math.ceil(box.clientHeight / H) + 24);
  const key = [first, last, box.clientWidth].join();
  if (key === drawn) return;
  drawn = key;
  $("window").style.transform = `translateY(${first * H}px)`;
  list.replaceChildren(...shown.slice(first, last).map(row));
  arcs(first, last);
}
function arcs(first, last) {
  const ratio = devicePixelRatio || 1, pen = canvas.getContext("2d"), high = (last - first) * H;
  canvas.width = gutter * ratio;
  canvas.height = high * ratio;
  canvas.style.width = gutter + "px";
  canvas.style.height = high + "px";
  pen.scale(ratio, ratio);
  const tone = getComputedStyle(document.documentElement).getPropertyValue("--arc").trim().split(" ").join(",");
  const x = t => gutter - 10 - step * (t.lane + .5), y = r => (r - first + .5) * H, wide = w => .6 + 3.4 * share(w);
  const stroke = (t, w, path) => {
    pen.beginPath();
    path();
    pen.lineWidth = Math.min(wide(w), Math.max(1, step - 1));
    pen.strokeStyle = `rgba(${tone},${w > 0 ? .4 + .6 * share(w) : .22})`;
    pen.setLineDash(w > 0 ? [] : [2, 3]);
    pen.stroke();
  };
  for (const lane of lanes) {
    let a = 0, b = lane.length;
    while (a < b) { const m = a + b >> 1; if (lane[m].hi < first) a = m + 1; else b = m; }
    for (; a < lane.length && lane[a].lo <= last; a++) {
      const t = lane[a];
      stroke(t, t.weight, () => {
        pen.moveTo(gutter - 6, y(t.from));
        pen.quadraticCurveTo(x(t), y(t.from), x(t), y(t.from) + (t.from < t.hi ? 7 : -7));
        pen.moveTo(x(t), Math.max(y(t.lo), y(first)) + 7);
        pen.lineTo(x(t), Math.min(y(t.hi), y(last)) - 7);
      });
    }
  }
  for (let r = first; r < last; r++) {
    for (const [t, w] of branches.get(r) || []) stroke(t, w, () => {
      pen.moveTo(gutter - 6, y(r));
      pen.quadraticCurveTo(x(t), y(r), x(t), y(r) + (r > t.from ? -7 : 7));
    });
    if (shown[r].kids) continue;
    pen.beginPath();
    pen.arc(gutter - 5, y(r), 3, 0, 7);
    pen.fillStyle = `rgb(${tone})`;
    pen.fill();
  }
}
const called = n => n.variable || n.label || n.id;
const shape = n => n.shape ? "(" + n.shape.join(",") + (n.shape.length === 1 ? ",)" : ")") : "";
const value = v => v === null || v === undefined ? "" : typeof v !== "object" ? few(v) : `${few(v.min)}..${few(v.max)}`;
const lengthOf = r => r.kids ? r.scope && r.id[0] !== "\0" ? plain(r.scope[3]) : null : grads[r.i];
const nameOf = r => r.kids ? r.label : called(nodes[r.i]);
function bar(x) {
  const made = make("span", "g", x === null ? "-" : few(x)), u = make("u");
  u.style.width = 100 * share(x) + "%";
  made.prepend(u);
  return made;
}
function row(r) {
  const n = r.kids ? null : nodes[r.i], made = make("div", "row"), name = make("span", "n"), grad = lengthOf(r);
  made.id = "row" + (r.kids ? "g" + r.first + "-" + r.depth : r.i);
  made.setAttribute("role", "treeitem");
  made.setAttribute("aria-level", r.depth);
  made.setAttribute("aria-setsize", r.up.kids.length);
  made.setAttribute("aria-posinset", r.place);
  made.setAttribute("aria-selected", r === picked);
  if (r.kids) made.setAttribute("aria-expanded", r.open);
  made.style.paddingLeft = gutter + "px";
  name.style.paddingLeft = (r.depth - 1) * 12 + "px";
  if (r.kids) {
    const twist = make("span", "twist", r.open ? "▾" : "▸");
    twist.onclick = e => { e.stopPropagation(); toggle(r); };
    name.append(twist, make("b", "", r.label), make("span", "op", `${r.scope && r.scope[2] || ""} ${r.ops} op${r.ops === 1 ? "" : "s"}`));
  } else name.append(make("b", "", called(n)), make("span", "op", n.kind === "op" ? n.name : n.kind));
  made.append(name, make("span", "s", n ? shape(n) : ""), make("span", "v", n ? value(n.value) : ""), bar(grad),
    make("span", "l", n && n.source ? n.source.line : ""));
  made.setAttribute("aria-label", clean(`${nameOf(r)}, ${n ? n.name : r.ops + " ops"}${n ? " " + shape(n) : ""}, ${grad === null ? "no gradient" : "gradient " + few(grad)}`));
  if (r === picked) made.classList.add("on");
  if (hits.has(r)) made.classList.add("hit");
  if (time < 2 * count) {
    const [a, b] = r.kids ? [r.first, r.last] : [r.k, r.k], back = time - count;
    if (a >= time) made.classList.add("later");
    if (back <= count - 1 - b) made.classList.add("ahead");
    if (r === current()) made.classList.add("now", back > 0 ? "back" : "fore");
  }
  made.onclick = () => { pick(r); box.focus({ preventScroll: true }); };
  made.ondblclick = () => toggle(r);
  return made;
}
const again = () => { drawn = ""; draw(); };
function toggle(r) { if (r.kids) { r.open = !r.open; flatten(); press(); } }
function reveal(r) {
  let closed = false;
  for (let g = r.up; g; g = g.up) if (!g.open) g.open = closed = true;
  if (closed) flatten();
  const y = shown.indexOf(r) * H;
  if (y < box.scrollTop + H) box.scrollTop = y - H;
  else if (y + 2 * H > box.scrollTop + box.clientHeight) box.scrollTop = y + 2 * H - box.clientHeight;
}
function pick(r, quiet) {
  picked = r;
  reveal(r);
  again();
  box.setAttribute("aria-activedescendant", "row" + (r.kids ? "g" + r.first + "-" + r.depth : r.i));
  for (const on of document.querySelectorAll("#source .on")) on.classList.remove("on");
  const from = !r.kids && nodes[r.i].source;
  if (from) for (let l = from.line; l <= from.end_line; l++) {
    const line = $("source").children[l - 1];
    if (line) { line.classList.add("on"); if (l === from.line) line.scrollIntoView({ block: "nearest" }); }
  }
  inspect(r);
  if (!quiet && !r.kids && location.protocol !== "about:") history.replaceState(null, "", "#" + encodeURIComponent(nodes[r.i].id));
}

// The inspector
function link(id) {
  const i = at.get(id);
  if (i === undefined) return make("code", "", id);
  const made = make("a", "", called(nodes[i]));
  made.href = "#" + encodeURIComponent(id);
  return made;
}
const all = x => x === null || x === undefined ? "-" : String(x);
function numbers(x) {
  if (x === null || x === undefined) return make("span", "dim", "-");
  if (typeof x !== "object") return make("code", "", all(x));
  const body = make("tbody");
  for (const key of ["min", "max", "norm", "nan", "inf"]) if (key in x) body.append(make("tr", "", make("td", "", key), make("td", "", all(x[key]))));
  return make("table", "", body);
}
function histogram(counts, what) {
  const most = Math.max(...counts), svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${counts.length * 10} 44`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Histogram of the ${what}: ${counts.join(", ")}`);
  counts.forEach((c, i) => {
    const rect = document.createElementNS(svg.namespaceURI, "rect"), high = c && Math.max(1, 42 * c / most);
    for (const [k, v] of Object.entries({ x: i * 10 + .5, y: 44 - high, width: 9, height: high })) rect.setAttribute(k, v);
    svg.append(rect);
  });
  return svg;
}
function table(rows) {
  const body = make("tbody"), made = make("table", "", body);
  const add = some => body.append(...some.map(cells => make("tr", "", ...cells.map(c => make("td", "", c)))));
  add(rows.slice(0, 50));
  if (rows.length > 50) {
    const button = make("button", "", `… ${rows.length - 50} more`);
    button.onclick = () => { button.remove(); add(rows.slice(50)); };
    made.append(make("tfoot", "", make("tr", "", make("td", "", button))));
  }
  return made;
}
function inspect(r) {
  const out = [], add = (title, ...inside) => out.push(make("h3", "", title), ...inside);
  if (r.kids) {
    const s = r.scope;
    out.push(make("h2", "", r.label), make("p", "dim", (s && r.id[0] !== "\0" ? s[0] + " " + (s[2] || "") : "layer") + `, ${r.ops} ops`));
    if (s && r.id[0] !== "\0") add("Gradient", table([["arrives at its results", all(s[3])], ["goes on", all(s[4])]]));
    const inside = leaves.slice(r.first, r.last + 1).filter(x => nodes[x.i].kind === "op");
    if (inside.length) add("Ops", table(inside.map(x => [link(nodes[x.i].id), few(grads[x.i])])));
  } else {
    const n = nodes[r.i], bins = more.histograms[r.i] || [0, 0];
    out.push(make("h2", "", called(n)));
    out.push(make("p", "", n.name + (n.kind === "op" ? "" : ", " + n.kind), n.order ? `, recorded by backward ${n.order}` : ""));
    if (more.why[n.id]) out.push(make("p", "why", more.why[n.id]));
    if (n.source) out.push(make("p", "dim", `${more.source === null && n.source.file || "line"} ${n.source.line}`), make("pre", "", n.source.text));
    add("Value", make("p", "dim", [shape(n), n.dtype].filter(Boolean).join(" ")), numbers(n.value));
    if (bins[0]) out.push(histogram(bins[0], "value"));
    add("Gradient", numbers(n.kind === "call" ? n.gradient_in : n.grad));
    if (bins[1]) out.push(histogram(bins[1], "gradient"));
    if (n.arrived !== undefined) add("Before a hook", numbers(n.arrived));
    (n.outputs || []).forEach((o, k) => add(`Output ${k} ${o.name || ""}`, make("p", "dim", shape(o)), table([["value", value(o.value)], ["gradient", all(o.grad && size(o.grad))]])));
    const edge = (e, other) => [other, e.output_nr ? `${e.arg} ← output ${e.output_nr}` : e.arg, all(e.grad && (typeof e.grad === "object" ? e.grad.norm : e.grad))];
    if (inputs(n).length) add("Arguments and the gradient to each", table(inputs(n).map(e => edge(e, e.to === null ? make("span", "dim", "None") : link(e.to)))));
    if (users[r.i].length) add("Used by, and the gradient from each", table(users[r.i].map(([j, e]) => edge(e, link(nodes[j].id)))));
    const kept = Object.entries(n.saved || {});
    if (n.kind === "op") add("Kept for backward", kept.length ? table(kept.map(([k, v]) => [k, typeof v === "string" ? link(v) : make("code", "", JSON.stringify(v))])) : make("p", "dim", "nothing"), make("p", "dim", `${n.saved_bytes} B of its own`));
    const rules = Object.entries(more.rules[n.name] || {});
    if (rules.length) add("Rule of the derivative", ...rules.map(([k, v]) => make("p", "", make("span", "dim", k + " "), make("code", "", v))));
    if (n.parent) add("Recorded by the backward of", link(n.parent));
  }
  $("inspector").replaceChildren(...out);
  $("inspector").scrollTop = 0;
}

// Source
const heat = [], firstOn = [];
nodes.forEach((n, i) => {
  if (!n.source || n.kind === "const") return;
  for (let l = n.source.line; l <= n.source.end_line; l++) {
    if (l === n.source.line && (firstOn[l] === undefined || n.kind === "op")) firstOn[l] = i;
    if (grads[i] > (heat[l] || 0)) heat[l] = grads[i];
  }
});
if (more.source !== null) more.source.split("\n").forEach((text, k) => {
  const line = make("div", "", make("i", "", k + 1), text), l = k + 1;
  if (heat[l]) { line.style.setProperty("--heat", share(heat[l])); line.title = `largest gradient: ${few(heat[l])}`; }
  if (firstOn[l] !== undefined) { line.classList.add("has"); line.onclick = () => pick(rowFor[firstOn[l]]); }
  $("source").append(line);
}); else $("source").append(make("p", "dim", " no source"));

// Levels
function level(k) {
  for (const g of groups.values()) g.open = g.depth < k;
  flatten();
  press(k);
}
const press = k => { for (const b of $("levels").children) b.setAttribute("aria-pressed", String(k) === b.dataset.level); };
for (let k = 1; k <= deepest + 1 && deepest; k++) {
  const button = make("button", "", k > deepest ? "all" : k);
  button.dataset.level = k;
  button.title = k > deepest ? "every op" : `calls as boxes, ${k} deep`;
  button.onclick = () => level(k);
  $("levels").append(button);
}

// Search
let matches = [], place = -1;
$("find").oninput = () => {
  const text = $("find").value.toLowerCase().trim();
  const rows = [...groups.values(), ...leaves].sort((a, b) => (a.kids ? a.first - .5 : a.k) - (b.kids ? b.first - .5 : b.k));
  matches = text ? rows.filter(r => (r.kids ? r.label + " " + (r.scope && r.scope[2] || "") : [nodes[r.i].id, called(nodes[r.i]), nodes[r.i].name, nodes[r.i].source ? nodes[r.i].source.text : ""].join(" ")).toLowerCase().includes(text)) : [];
  hits = new Set(matches);
  place = -1;
  $("found").textContent = text ? `${matches.length} found` : "";
  again();
};
$("find").onkeydown = e => {
  if (e.key === "Escape") { $("find").value = ""; $("find").oninput(); box.focus(); }
  if (e.key !== "Enter" || !matches.length) return;
  place = (place + (e.shiftKey ? -1 : 1) + matches.length) % matches.length;
  $("found").textContent = `${place + 1} of ${matches.length}`;
  pick(matches[place]);
};

// Time: forward up to the count of rows, backward up to twice as much
const slider = $("time");
slider.max = time;
slider.value = time;
let playing = 0;
const current = () => time <= 0 || time >= 2 * count ? null : leaves[time <= count ? time - 1 : 2 * count - time];
function moment(t) {
  time = t;
  slider.value = t;
  const here = current(), name = here ? clean(nameOf(here)) : "";
  $("now").textContent = t >= 2 * count ? "" : t <= count ? `forward ${t} of ${count} ${name}` : `backward ${t - count} of ${count} ${name}`;
  if (here) { const up = []; for (let g = here.up; g; g = g.up) up.push(g); const closed = up.reverse().find(g => !g.open); reveal(closed || here); }
  again();
}
slider.oninput = () => { stop(); moment(+slider.value); };
function stop() { cancelAnimationFrame(playing); playing = 0; $("play").textContent = "▶"; $("play").setAttribute("aria-label", "Play"); }
$("play").onclick = () => {
  if (playing) return stop();
  const start = performance.now(), from = time >= 2 * count ? 0 : time, pace = Math.max(2 * count / 20000, .004);
  $("play").textContent = "❚❚";
  $("play").setAttribute("aria-label", "Pause");
  const tick = now => {
    const t = Math.min(2 * count, from + Math.max(0, Math.floor((now - start) * pace)));
    if (t !== time) moment(t);
    if (t >= 2 * count) stop(); else playing = requestAnimationFrame(tick);
  };
  playing = requestAnimationFrame(tick);
};
$("show").onclick = () => $("show").setAttribute("aria-pressed", document.body.classList.toggle("sourced"));

// Keys
box.onkeydown = e => {
  const here = Math.max(0, shown.indexOf(picked)), page = Math.max(1, Math.floor(box.clientHeight / H) - 1), r = shown[here];
  const to = { ArrowDown: picked ? here + 1 : 0, ArrowUp: here - 1, PageDown: here + page, PageUp: here - page, Home: 0, End: shown.length - 1 }[e.key];
  if (e.ctrlKey || e.metaKey || e.altKey || !r) return;
  if (to !== undefined) pick(shown[Math.max(0, Math.min(shown.length - 1, to))]);
  else if (e.key === "ArrowRight" && r.kids) { if (r.open) pick(r.kids[0]); else toggle(r); }
  else if (e.key === "ArrowLeft") { if (r.kids && r.open) toggle(r); else if (r.up !== top_) pick(r.up); }
  else if ((e.key === "Enter" || e.key === " ") && r.kids) toggle(r);
  else if (!["ArrowRight", "Enter", " "].includes(e.key)) return;
  e.preventDefault();
};
document.onkeydown = e => {
  if (e.target.tagName === "INPUT" || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "/") { e.preventDefault(); $("find").focus(); }
  else if (e.key === "p") $("play").click();
};

// Beginning
$("title").textContent = clean(more.title);
const s = data.stats;
const which = data.backward;
const chosen = which ? [`backward ${which.number}` + (which.of ? ` of ${which.of}` : "")] : [];
$("counts").textContent = [...chosen, ...[[s.ops, "op"], [s.leaves, "leaf", "leaves"], [s.constants, "constant"], [s.edges, "edge"]]
  .map(([k, one, many]) => `${k} ${k === 1 ? one : many || one + "s"}`)].join(" · ") + (data.truncated ? " · a part of the graph" : "");
box.onscroll = draw;
addEventListener("resize", () => { wire(); again(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
let k = deepest + 1;
const rowsAt = k => { let sum = 0; const walk = up => { for (const kid of up.kids) { sum++; if (kid.kids && kid.depth < k) walk(kid); } }; walk(top_); return sum; };
while (k > 1 && rowsAt(k) > FEW) k--;
level(k);
function go() {
  let id = "";
  try { id = decodeURIComponent(location.hash.slice(1)); } catch (e) { if (!(e instanceof URIError)) throw e; }
  if (at.has(id)) pick(rowFor[at.get(id)], true);
  return at.has(id);
}
addEventListener("hashchange", go);
if (!go() && at.has(data.root)) inspect(rowFor[at.get(data.root)]);
})();
