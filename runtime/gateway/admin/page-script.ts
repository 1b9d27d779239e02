/**
 * What the page does in a browser: asks the listener every two seconds, and writes what changed. As text, which the
 * listener serves as it is.
 */
export const pageScript = `"use strict";
const period = 2000;
const ok = ["running", "waiting", "finished"];
const bad = ["failed", "blocked"];
const byId = (id) => document.getElementById(id);
let earlier = new Map();
let timer;
let paused = false;

async function ask(path) {
  const response = await fetch(path, { cache: "no-store", headers: { accept: "application/json" } });
  if (!response.ok && response.status !== 503) throw new Error(path + " answers " + response.status);
  return response.json();
}

function write(element, text, name = "") {
  if (element.textContent !== text) element.textContent = text;
  if (element.className !== name) element.className = name;
}

/** Makes the rows of a table those given: lists of cells, each a text and a class; the first is the row's name. */
function fill(table, rows) {
  const body = table.tBodies[0];
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((cells, index) => {
    const row = body.rows[index] ?? body.insertRow();
    cells.forEach(([text, name], column) => {
      let cell = row.cells[column];
      if (cell === undefined) {
        cell = document.createElement(column === 0 ? "th" : "td");
        if (column === 0) cell.scope = "row";
        row.append(cell);
      }
      write(cell, text, name);
    });
  });
  table.parentElement.nextElementSibling.hidden = rows.length > 0;
  table.parentElement.hidden = rows.length === 0;
}

const keyOf = (state) => JSON.stringify([state.api, state.stream, state.instance, state.worker]);

function nameOf(state) {
  const parts = [state.stream];
  if (state.instance !== undefined) parts.push("instance " + state.instance);
  if (state.worker !== undefined) parts.push("worker " + state.worker);
  return parts.join(", ");
}

/** Messages a second since the answer before; nothing where there is none, or the count began anew. */
function rate(state, name, now) {
  const before = earlier.get(keyOf(state));
  if (before === undefined || state.messages[name] < before.messages[name]) return "";
  const perSecond = ((state.messages[name] - before.messages[name]) * 1000) / (now - before.at);
  return perSecond === 0 ? "0" : perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
}

function showStreams(states, now) {
  const number = (text) => [text === undefined ? "" : String(text), "number"];
  fill(byId("streams"), states.map((state) => {
    const { status, reason, messages } = state;
    const name = ok.includes(status) ? "ok" : bad.includes(status) ? "bad" : "odd";
    return [
      [state.api, ""], [nameOf(state), ""], [reason === undefined ? status : status + ": " + reason, name],
      ...["received", "delivered", "failed"].map((each) => number(rate(state, each, now))),
      number(messages.received), number(messages.delivered), number(messages.failed),
      number(messages.inFlight), number(state.clients), number(state.lag),
    ];
  }));
  earlier = new Map(states.map((state) => [keyOf(state), { messages: state.messages, at: now }]));
}

/** One text where all verbs ask for the same, else one for each. */
function whoMayCall({ callers, policies = [] }) {
  const texts = [...new Set(Object.values(callers))];
  const text = texts.length === 1 ? texts[0] : Object.entries(callers).map((each) => each.join(": ")).join("; ");
  const isOpen = texts.every((each) => each === "open");
  return isOpen || policies.length === 0 ? text : text + "; policies: " + policies.join(", ");
}

function showRoutes(routes) {
  fill(byId("routes"), routes.map((route) => [
    [(route.host ?? "") + route.path + (route.version === undefined ? "" : " (" + route.version + ")"), ""],
    [route.transport === "websocket" ? "WebSocket" : route.verbs.join(", ") || "all others", ""],
    [route.stream === undefined ? "upstream" : route.stream + " (" + route.role.replace("_", " ") + ")", ""],
    [route.api, ""], [whoMayCall(route), ""], [route.protections.join(", "), ""],
  ]));
}

function showReady({ reasons: refusing = [], notes = [] }) {
  const isReady = refusing.length === 0;
  const reasons = [...refusing, ...notes];
  write(byId("ready"), isReady ? "Ready" : "Not ready", isReady ? "ok" : "bad");
  const list = byId("reasons");
  list.hidden = reasons.length === 0;
  while (list.children.length > reasons.length) list.lastElementChild.remove();
  reasons.forEach((reason, index) => {
    write(list.children[index] ?? list.appendChild(document.createElement("li")), reason);
  });
}

async function refresh() {
  clearTimeout(timer);
  try {
    const [ready, { streams }, { routes }] = await Promise.all([ask("/readyz"), ask("/streams"), ask("/routes")]);
    showReady(ready);
    showStreams(streams, performance.now());
    showRoutes(routes);
    write(byId("updated"), "as of " + new Date().toLocaleTimeString());
  } catch (error) {
    write(byId("ready"), "The gateway does not answer", "bad");
    earlier = new Map();
  }
  if (!paused && !document.hidden) timer = setTimeout(refresh, period);
}

byId("pause").addEventListener("click", () => {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", String(paused));
  clearTimeout(timer);
  if (!paused) refresh();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && !paused) refresh();
});
refresh();
`;
