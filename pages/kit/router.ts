// Routing by the fragment of the address: every view has an address that can be bookmarked and shared, including its
// sorting, filters and open dialogs, such as `#/requests?show=approved&requests.page=2`.

import { computed, signal } from "@preact/signals";

const hash = signal(location.hash);
window.addEventListener("hashchange", () => {
  hash.value = location.hash;
});

const halves = computed<readonly [path: string, query: string]>(() => {
  const [, path = "", query = ""] = /^#?([^?]*)\??(.*)$/s.exec(hash.value) ?? [];
  return [path, query];
});

/** The decoded segments of the fragment: `#/api/orders/versions` is `["api", "orders", "versions"]`. */
export const route = computed<readonly string[]>(() =>
  halves.value[0].split("/").filter(Boolean).map(decoded),
);

const query = computed(() => new URLSearchParams(halves.value[1]));

/** Returns a display setting from the query of the fragment; empty if it is not set. */
export function inQuery(name: string): string {
  return query.value.get(name) ?? "";
}

/** Changes display settings in the query, without a history entry. Empty values are removed. */
export function setInQuery(changes: Readonly<Record<string, string>>): void {
  replace(halves.value[0], changed(query.value, changes));
}

/** Returns the address of a view from its segments. */
export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Like `linkTo`, with display settings. */
export function linkWith(shown: Readonly<Record<string, string>>, ...parts: readonly string[]): string {
  return withQuery(linkTo(...parts), changed(new URLSearchParams(), shown));
}

/** Navigates to another view. */
export function goTo(...parts: readonly string[]): void {
  location.hash = linkTo(...parts);
  // The hashchange event fires later; until then, other changes of the address must start from this one.
  hash.value = location.hash;
}

/** Changes the address of the current view without a history entry, keeping its display settings. */
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
    // A `%` typed by the user is literal.
    return part;
  }
}
