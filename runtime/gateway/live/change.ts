/** The change of one stream, in steps. An API's streams change together: each step runs for all before the next. */
export interface Change {
  /** Whether `commit` depends on an external system that may fail; such changes are committed first. */
  readonly isRisky: boolean;
  /**
   * Starts whatever can start while the old parts run; nothing uses it yet. If it rejects, it leaves nothing behind.
   */
  prepare(): Promise<void>;
  /** Starts using the new parts. If it rejects, the old parts continue, and it leaves nothing behind. */
  commit(): Promise<void>;
  /** Returns to the old parts. May follow `prepare` or `commit`. */
  undo(): Promise<void>;
  /** Makes the change final: ends unused parts once nothing is in flight there. The caller does not wait for that. */
  finish(): void;
}

/** Applies all changes together: if one of them fails, undoes all of them, and rejects with its error. */
export async function commitAll(changes: readonly Change[], afterwards: () => void): Promise<void> {
  const begun: Change[] = [];
  try {
    for (const change of changes) {
      await change.prepare();
      begun.push(change);
    }
    // Risky changes come first, so that a failure has as little as possible to undo.
    for (const change of changes.toSorted((a, b) => Number(b.isRisky) - Number(a.isRisky))) {
      try {
        await change.commit();
      } catch (error) {
        begun.splice(begun.indexOf(change), 1);
        throw error;
      }
    }
    afterwards();
  } catch (error) {
    for (const change of begun.toReversed()) await change.undo();
    throw error;
  }
  for (const change of changes) change.finish();
}
