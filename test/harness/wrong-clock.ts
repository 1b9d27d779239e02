import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A clock of a Node process that is wrong by whole minutes. */
export interface WrongClock {
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the error of the clock in minutes. A running process applies it on SIGUSR2, and then writes a line. */
  set(minutes: number): void;
}

/** Shifts a process's `Date`, but not its monotonic clock and timers, like a change of the machine's time. */
const preload = `import { readFileSync } from "node:fs";
const Real = Date;
const read = () => Number(readFileSync(process.env.WRONG_CLOCK, "utf8")) * 60_000;
let offset = read();
process.on("SIGUSR2", () => {
  offset = read();
  process.stdout.write('{"msg":"clock set"}\\n');
});
const now = () => Real.now() + offset;
globalThis.Date = new Proxy(Real, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new Real(now()).toString(),
  get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
});
`;

/** Writes the clock's files to `folder`, which clocks with different names may share. */
export function wrongClock(folder: string, name: string, minutes: number): WrongClock {
  const [module, file] = [join(folder, "wrong-clock.mjs"), join(folder, `clock-${name}`)];
  writeFileSync(module, preload);
  const set = (wrongBy: number) => writeFileSync(file, String(wrongBy));
  set(minutes);
  return { set, env: { WRONG_CLOCK: file, NODE_OPTIONS: `--import ${pathToFileURL(module).href}` } };
}
