/** The change of one stream, in steps; the changes of one API are taken together, each step of all before the next. */
export interface Change {
  /** Whether `commit` depends on another part, which may fail; such changes are committed before the others. */
  readonly isRisky: boolean;
  /** Starts what can be started beside what runs; nothing of it is used yet. Where it rejects, nothing is left of it. */
  prepare(): Promise<void>;
  /** Has what is new be used. Where it rejects, what ran before goes on, and nothing is left of it. */
  commit(): Promise<void>;
  /** Goes back to what ran before. May follow `prepare` or `commit`. */
  undo(): Promise<void>;
  /** It stays: ends what is not used any more, when nothing is in flight there, without being waited for. */
  finish(): void;
}

/** Takes all changes as one: where one of them fails, goes back with all, and rejects with its failure. */
export async function commitAll(changes: readonly Change[], afterwards: () => void): Promise<void> {
  const begun: Change[] = [];
  try {
    for (const change of changes) {
      await change.prepare();
      begun.push(change);
    }
    // What is gone back from should have had as little to do as can be.
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
