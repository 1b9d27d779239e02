// What the page shows, as its address has it after the `#`.

let shown = "";

/** Whether the address is the one of what is shown. */
export function isShown(): boolean {
  return location.hash === shown;
}

/** The address of what is shown now; empty for the list. */
export function shownAddress(): string {
  return shown;
}

/** Notes that what the address says is shown. */
export function noteShown(): void {
  shown = location.hash;
}

/** Nothing is shown, whatever the address says. */
export function noteNothingShown(): void {
  shown = "";
}

/** What is shown has got an address of its own. */
export function rename(address: string): void {
  history.replaceState(undefined, "", address);
  shown = address;
}
