// Measures whether the time of a piece of work grows faster than the size of its input.

/** Does the work once, on a prepared input. */
export type Run = () => unknown;

/** Work on an input of about `size` characters; making the input is not measured. */
export interface Work {
  readonly name: string;
  readonly prepare: (size: number) => Run;
}

/** The sizes to try, the first so small that even exponential time ends. */
const sizes = [24, 1024, 8192, 65_536];
/** Milliseconds of CPU time below which growth is not judged: a quadratic loop over the largest size takes seconds. */
const floor = 10;
/** The largest accepted time factor when the size doubles; linear time has the factor 2, quadratic time 4. */
const mostGrowth = 3;
/** The time factor up to which one run of each size is enough: noise does not make quadratic time look like it. */
const clearlyLinear = 2.5;
/** The longest expected time in milliseconds for a run of the next size; longer ones are not run. */
const patience = 20_000;

/** Returns milliseconds since an arbitrary moment. */
export type Clock = () => number;

/** The CPU time of this thread, which excludes other programs on the machine. */
const processorTime: Clock = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** The time of work, in milliseconds, and how many times as long it takes as at half the size. */
interface Growth {
  readonly time: number;
  readonly factor: number;
}

function isAccepted({ time, factor }: Growth): boolean {
  return time < floor || factor <= mostGrowth;
}

/** Prepares work of a size; each call of the result does it and returns its milliseconds. */
type Timed = (size: number) => () => Promise<number>;

/**
 * Returns a description of excessive growth, `undefined` if there is none. Growth is measured once the time is above
 * the floor. Unless one run is clearly linear, the minimum of several runs counts, which is confirmed at two, four and
 * eight times the size.
 */
export async function findGrowth(
  { name, prepare }: Work,
  clock = processorTime,
): Promise<string | undefined> {
  const timed: Timed = (size) => timeRuns(prepare(size), clock);
  for (const size of sizes) {
    if ((await timed(size)()) < floor) continue;
    const growth = await growthAt(timed, size);
    if (isAccepted(growth)) continue;
    // Memory that other programs use at the same moment slows this thread, too; they hardly do so twice.
    if (!(await isConfirmed(timed, size, growth.time)) || !(await isConfirmed(timed, size, growth.time)))
      continue;
    const time = `${Math.round(growth.time)} ms at ${size}`;
    return `${name}: ${time}, ${growth.factor.toFixed(1)} times as long as at half the size`;
  }
  return undefined;
}

/** Whether the time keeps growing too fast at larger sizes, as far as these can be run. */
async function isConfirmed(timed: Timed, size: number, time: number): Promise<boolean> {
  for (const times of [2, 4, 8]) {
    if (time * times ** 3 > patience) return true;
    const growth = await growthAt(timed, size * times);
    if (isAccepted(growth)) return false;
  }
  return true;
}

async function growthAt(timed: Timed, size: number): Promise<Growth> {
  const [runWhole, runHalf] = [timed(size), timed(size / 2)];
  const once = growthOf(await runWhole(), await runHalf());
  if (once.time < floor || once.factor <= clearlyLinear) return once;
  return growthOf(await leastTime(runWhole), await leastTime(runHalf));
}

function growthOf(whole: number, half: number): Growth {
  return { time: whole, factor: whole / Math.max(half, 0.1) };
}

/** Returns the minimum time of a few runs, of fewer if they take long. */
async function leastTime(timeRun: () => Promise<number>): Promise<number> {
  let least = await timeRun();
  for (let total = least, runs = 1; runs < 5 && total < 2000; runs++) {
    const time = await timeRun();
    least = Math.min(least, time);
    total += time;
  }
  return least;
}

function timeRuns(run: Run, clock: Clock): () => Promise<number> {
  return async () => {
    const before = clock();
    await run();
    return clock() - before;
  };
}
