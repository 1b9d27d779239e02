import { administratorsScript } from "./script-administrators.ts";
import { developersScript } from "./script-developers.ts";

/** What both parts of the page need: asking, saying what happened, tables, dialogs. All of it as text, which is served as it is. */
const common = `"use strict";
const byId = (id) => document.getElementById(id);

function say(text, isBad = false) {
  byId("message").textContent = text;
  byId("message").className = isBad ? "bad" : "";
}

/** Gives the JSON of an answer; what is refused is thrown, in the words of the answer. */
async function ask(method, path, body, headers = {}) {
  const options = { method, cache: "no-store", headers: { ...headers } };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(path, options);
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const words = [answer.Message ?? "The answer was " + response.status + ".", ...(answer.Errors ?? [])];
  throw Object.assign(new Error(words.join(" ")), { status: response.status });
}

/** Runs what a person asked for, and says why it did not work. */
async function attempt(work) {
  say("");
  try {
    await work();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
  }
}

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

/** A button that does something; a name tells it from others of the same word. */
function button(text, name, work) {
  const made = element("button", text);
  made.type = "button";
  if (name !== "") made.setAttribute("aria-label", text + ": " + name);
  made.addEventListener("click", () => attempt(work));
  return made;
}

/** Makes the rows of a table those given: lists of texts and elements; the first is the row's name. */
function fill(table, rows) {
  table.tBodies[0].replaceChildren(...rows.map((cells) => {
    const row = element("tr");
    cells.forEach((cell, column) => {
      const made = element(column === 0 ? "th" : "td");
      if (column === 0) made.scope = "row";
      made.append(...(Array.isArray(cell) ? cell : [cell]));
      row.append(made);
    });
    return row;
  }));
  table.parentElement.hidden = rows.length === 0;
  table.parentElement.nextElementSibling.hidden = rows.length > 0;
}

function describe(list, entries) {
  list.replaceChildren(...entries.flatMap(([name, text]) => [element("dt", name), element("dd", text)]));
}

/** Shows a credential until somebody has taken it, and forgets it then. */
function showCredential(credential) {
  const names = { RawKey: "Key or user name", Password: "Password", client_id: "Client", secret: "Secret",
    policy_id: "Policy", redirect_uri: "Redirects to" };
  const known = Object.entries(credential).filter(([name, value]) => name in names && value !== "");
  if (known.length === 0) return say("The access was added to the key that the developer has.");
  describe(byId("secret"), known.map(([name, value]) => [names[name], String(value)]));
  byId("credential").addEventListener("close", () => byId("secret").replaceChildren(), { once: true });
  byId("credential").showModal();
}

/** Whether a person means it. */
function isSure(question) {
  byId("sure-title").textContent = question;
  byId("sure").returnValue = "";
  byId("sure").showModal();
  return new Promise((resolve) => {
    byId("sure").addEventListener("close", () => resolve(byId("sure").returnValue === "yes"), { once: true });
  });
}

function show(part, who) {
  for (const id of ["enter", "administer", "develop"]) byId(id).hidden = id !== part;
  byId("who").textContent = who;
  byId("leave").hidden = part === "enter";
}

const day = (text) => (text ?? "").slice(0, 10);
`;

/** What the page does in a browser. */
export const pageScript = common + administratorsScript + developersScript;
