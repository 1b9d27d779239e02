// What a page shows, as its address has it after the `#`: every view has an address that can be kept and sent on.

import { computed, signal } from "@preact/signals";

const hash = signal(location.hash);
window.addEventListener("hashchange", () => {
  hash.value = location.hash;
});

/** The parts of the address after `#`, decoded: `#/api/orders/versions` is `["api", "orders", "versions"]`. */
export const route = computed<readonly string[]>(() =>
  hash.value.replace(/^#/, "").split("/").filter(Boolean).map(decoded),
);

/** The address of a view, from its parts. */
export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Shows another view. */
export function goTo(...parts: readonly string[]): void {
  location.hash = linkTo(...parts);
}

/** Gives the present view another address, without a step back to the one before. */
export function renameRoute(...parts: readonly string[]): void {
  history.replaceState(undefined, "", linkTo(...parts));
  hash.value = location.hash;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A `%` that somebody typed is one.
    return part;
  }
}
