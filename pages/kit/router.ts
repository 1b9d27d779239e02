// What a page shows, as its address has it after the `#`: every view has an address that can be kept and sent on, with what is
// sorted, filtered and open in it, such as `#/requests?show=approved&requests.page=2`.

import { computed, signal } from "@preact/signals";

const hash = signal(location.hash);
window.addEventListener("hashchange", () => {
  hash.value = location.hash;
});

const halves = computed<readonly [path: string, query: string]>(() => {
  const [, path = "", query = ""] = /^#?([^?]*)\??(.*)$/s.exec(hash.value) ?? [];
  return [path, query];
});

/** The parts of the address after `#`, decoded: `#/api/orders/versions` is `["api", "orders", "versions"]`. */
export const route = computed<readonly string[]>(() =>
  halves.value[0].split("/").filter(Boolean).map(decoded),
);

const query = computed(() => new URLSearchParams(halves.value[1]));

/** What the address says of how a view is shown, by name; empty where it says nothing. */
export function inQuery(name: string): string {
  return query.value.get(name) ?? "";
}

/** Changes what the address says of how the view is shown, without a step back; empty texts are left out. */
export function setInQuery(changes: Readonly<Record<string, string>>): void {
  replace(halves.value[0], changed(query.value, changes));
}

/** The address of a view, from its parts. */
export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** The same with how it is shown. */
export function linkWith(shown: Readonly<Record<string, string>>, ...parts: readonly string[]): string {
  return withQuery(linkTo(...parts), changed(new URLSearchParams(), shown));
}

/** Shows another view. */
export function goTo(...parts: readonly string[]): void {
  location.hash = linkTo(...parts);
  // The event comes later; what changes the address until then has to start from this one.
  hash.value = location.hash;
}

/** Gives the present view another address, without a step back to the one before; how it is shown stays. */
export function renameRoute(...parts: readonly string[]): void {
  replace(linkTo(...parts), query.value);
}

function replace(path: string, shown: URLSearchParams): void {
  history.replaceState(undefined, "", withQuery(`#/${path.replace(/^#?\/?/, "")}`, shown));
  hash.value = location.hash;
}

function withQuery(path: string, shown: URLSearchParams): string {
  return shown.size === 0 ? path : `${path}?${shown}`;
}

function changed(before: URLSearchParams, changes: Readonly<Record<string, string>>): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") after.delete(name);
    else after.set(name, value);
  }
  return after;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A typed `%` is a literal one.
    return part;
  }
}
