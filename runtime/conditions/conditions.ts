// What is wrong at this moment, from its begin to its end.

/** Ends a condition. A second call does nothing. */
export type EndCondition = () => void;

/** Begins a condition; it is open until what this returns is called. */
export type BeginCondition<T> = (details: T) => EndCondition;

/** Begins the loss of a connection, or of what else a stream cannot work without, with the reason for operators. */
export type BeginOutage = BeginCondition<string>;

interface Open<T> {
  readonly details: T;
}

/** What is called at changes, after the change. */
export interface ConditionListeners<T> {
  /** With each condition that begins. */
  onBegin?(details: T): void;
  /** When the last open one has ended. */
  onClear?(): void;
}

/** Conditions of one kind. Several with equal details count as several. */
export class Conditions<T> {
  readonly #open = new Set<Open<T>>();
  readonly #listeners: ConditionListeners<T>;

  constructor(listeners: ConditionListeners<T> = {}) {
    this.#listeners = listeners;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** The one that has been open longest; `undefined` while none is. */
  get oldest(): T | undefined {
    return this.#open.values().next().value?.details;
  }

  /** How a component begins conditions. Those it has not ended end with `scope`, and after that none begins. */
  within(scope: AbortSignal): BeginCondition<T> {
    const own = new Set<Open<T>>();
    const end = (condition: Open<T>) => {
      own.delete(condition);
      if (this.#open.delete(condition) && this.#open.size === 0) this.#listeners.onClear?.();
    };
    scope.addEventListener("abort", () => own.forEach(end), { once: true });
    return (details) => {
      if (scope.aborted) return () => undefined;
      const condition = { details };
      own.add(condition);
      this.#open.add(condition);
      this.#listeners.onBegin?.(details);
      return () => end(condition);
    };
  }
}

/** What operators are to know of something that requests depend on. */
export interface Trouble {
  readonly text: string;
  /** Whether requests are refused because of it. */
  readonly isRefusing: boolean;
}
