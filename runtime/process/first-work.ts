// Loads what is of use only under load when a gateway has work for the first time, so that an idle one stays small.

const waiting: (() => void)[] = [];

/** Calls `prepare` once, before the first client or the first batch is served. */
export function beforeFirstWork(prepare: () => void): void {
  waiting.push(prepare);
}

/** Says that a client has connected, or that an input delivers. */
export function beginWork(): void {
  for (let prepare = waiting.pop(); prepare !== undefined; prepare = waiting.pop()) prepare();
}
