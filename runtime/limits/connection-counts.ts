// Connections that are open, by name.

import type { Occupancy, Seat } from "../counters.ts";

/** As `Counters.enter`, in memory; what nobody holds takes none. */
export function createConnectionCounts(): (seats: readonly Seat[]) => Occupancy | number {
  const open = new Map<string, number>();
  return (seats) => {
    const full = seats.findIndex(({ key, max }) => (open.get(key) ?? 0) >= max);
    if (full !== -1) return full;
    for (const { key } of seats) open.set(key, (open.get(key) ?? 0) + 1);
    let isOpen = true;
    return {
      leave() {
        if (!isOpen) return;
        isOpen = false;
        for (const { key } of seats) {
          const left = (open.get(key) ?? 1) - 1;
          if (left === 0) open.delete(key);
          else open.set(key, left);
        }
      },
    };
  };
}
