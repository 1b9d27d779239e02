// Tracks current problems from their begin to their end.

/** Ends a condition. A second call does nothing. */
export type EndCondition = () => void;

/** Begins a condition; it is open until the returned function is called. */
export type BeginCondition<T> = (details: T) => EndCondition;

/** Begins an outage of a connection, or of something else that a stream depends on, with the reason for operators. */
export type BeginOutage = BeginCondition<string>;

interface Open<T> {
  readonly details: T;
}

/** Listeners that are called after a change. */
export interface ConditionListeners<T> {
  /** Called with each condition that begins. */
  onBegin?(details: T): void;
  /** Called when the last open condition has ended. */
  onClear?(): void;
}

/** Conditions of one kind. Conditions with equal details count separately. */
export class Conditions<T> {
  /** Created when the first one begins: most streams never have any. */
  #open: Set<Open<T>> | undefined;
  readonly #listeners: ConditionListeners<T>;

  constructor(listeners: ConditionListeners<T> = {}) {
    this.#listeners = listeners;
  }

  /** The number of open conditions. */
  get size(): number {
    return this.#open?.size ?? 0;
  }

  /** The condition that has been open longest; `undefined` if none is open. */
  get oldest(): T | undefined {
    return this.#open?.values().next().value?.details;
  }

  /** Returns how a component begins conditions. Its open ones end when `scope` is aborted; after that none begins. */
  within(scope: AbortSignal): BeginCondition<T> {
    let own: Set<Open<T>> | undefined;
    const end = (condition: Open<T>) => {
      own?.delete(condition);
      if (this.#open?.delete(condition) && this.#open.size === 0) this.#listeners.onClear?.();
    };
    const begin = () => {
      const begun = new Set<Open<T>>();
      scope.addEventListener("abort", () => begun.forEach(end), { once: true });
      return begun;
    };
    return (details) => {
      if (scope.aborted) return () => undefined;
      const condition = { details };
      own ??= begin();
      own.add(condition);
      this.#open ??= new Set();
      this.#open.add(condition);
      this.#listeners.onBegin?.(details);
      return () => end(condition);
    };
  }
}

/** A problem with something that requests depend on, for operators. */
export interface Trouble {
  readonly text: string;
  /** Whether requests are refused because of it. */
  readonly isRefusing: boolean;
}
