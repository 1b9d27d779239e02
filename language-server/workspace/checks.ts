// Decides when units are checked again: immediately if a check is quick, otherwise after a pause in typing. The results of a
// check are discarded if its text has changed meanwhile.

import type { OpenTexts } from "./texts.ts";
import { checkUnit, type Unit } from "./unit.ts";
import type { Units } from "./units.ts";

/** The events of checks: a check has ended, or an internal error occurred. */
export interface CheckEvents {
  checked(): void;
  failed(error: unknown): void;
}

/** The checks of stale units, one after the other. */
export interface Checks {
  /** Starts the next check when it is due. */
  schedule(): void;
  /** Resolves after the next check, or if none is pending. */
  next(): Promise<void>;
  /** Checks a unit without a pause, because a request waits for it. Resolves as `next` does. */
  hurry(unit: Unit): Promise<void>;
  isStopped(): boolean;
  stop(): void;
}

/** The longest pause in typing before a check, in milliseconds; quick checks wait less. */
const longestPause = 100;

/** The longest duration, in milliseconds, of checks that run immediately. */
const quickCheck = 100;

/** Whether a unit is checked immediately. */
export function isQuick({ duration }: Unit): boolean {
  return duration <= quickCheck;
}

/** Returns the checks of `units`. None runs before `schedule` is called. */
export function createChecks(units: Units, texts: OpenTexts, events: CheckEvents): Checks {
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isStopped = false;

  const staleUnits = () => units.all().filter(({ isStale }) => isStale);

  const schedule = (): void => {
    if (isStopped || isRunning || timer !== undefined) return;
    const stale = staleUnits();
    if (stale.length === 0) {
      settle();
      return;
    }
    const due = Math.min(...stale.map(dueAt));
    timer = setTimeout(run, Math.max(0, due - performance.now()));
  };

  const settle = (): void => {
    const resolved = waiting;
    waiting = [];
    for (const resolve of resolved) resolve();
  };

  const run = async (): Promise<void> => {
    timer = undefined;
    isRunning = true;
    const unit = staleUnits().sort((one, other) => dueAt(one) - dueAt(other))[0];
    try {
      if (unit !== undefined && (await checkUnit(unit, texts))) {
        units.assign();
        events.checked();
        settle();
      }
    } catch (error) {
      // The next change triggers another attempt. The old analysis belongs to another text and is not used any longer.
      if (unit !== undefined) {
        unit.isStale = false;
        delete unit.analysis;
      }
      events.failed(error);
      settle();
    } finally {
      isRunning = false;
      schedule();
    }
  };

  const next = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    schedule();
    return promise;
  };

  return {
    schedule,
    next,
    hurry(unit) {
      unit.duration = Math.min(unit.duration, quickCheck);
      clearTimeout(timer);
      timer = undefined;
      return next();
    },
    isStopped: () => isStopped,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      settle();
    },
  };
}

function dueAt(unit: Unit): number {
  return isQuick(unit) ? unit.changed : unit.changed + Math.min(longestPause, unit.duration / 4);
}
