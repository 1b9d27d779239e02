// `workflow`: branches in tiers. The branches of one tier run concurrently.

import type { ComponentContext, Processor } from "../component/component.ts";
import { closeProcessors } from "../component/pipeline.ts";
import { MappingError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import { isArray, isObject, type ObjectValue, type Value } from "../message/value.ts";
import { type WorkflowBranch, type WorkflowOptions, workflowDefaults } from "./generated/workflow-options.ts";
import { createSides, mergeSides, runSides, type SideFailure } from "./sides.ts";

/**
 * The branches of a tier see the messages as the previous tier left them, and are merged in the order of their names in
 * the configuration. The outcome of each branch is written to `meta_path` of the document. A branch that is listed
 * there as succeeded or skipped is skipped. Without `meta_path`, a message on which a branch failed is marked as failed
 * instead.
 */
export function workflow(options: WorkflowOptions): Processor {
  const { meta_path: metaPath, order, branches = {} } = { ...workflowDefaults, ...options };
  const path = splitPath(metaPath);
  const names = order.flat();
  return {
    async process(batch, context) {
      const work = new Work(
        batch,
        batch.map((message) => createRecord(message, path, names)),
      );
      for (const tier of order) await work.runTier(tier, branches, context);
      const finished = work.outcome((message, record) =>
        path.length === 0 ? flagFailed(message, record) : withRecord(message, record, path),
      );
      return [finished];
    },
    close: () => closeProcessors(Object.values(branches).flatMap(({ processors }) => processors)),
  };
}

/** The outcomes of the branches for one message. */
interface Progress {
  /** The branches that must not run on the message. */
  readonly passed: ReadonlySet<string>;
  readonly skipped: Set<string>;
  readonly failed: Map<string, string>;
  readonly names: readonly string[];
}

/** A batch during its processing by the tiers. */
class Work {
  readonly #records: readonly Progress[];
  #messages: Batch;

  constructor(batch: Batch, records: readonly Progress[]) {
    this.#messages = batch;
    this.#records = records;
  }

  async runTier(
    tier: readonly string[],
    branches: Readonly<Record<string, WorkflowBranch>>,
    context: ComponentContext,
  ): Promise<void> {
    const runs = tier.flatMap((name) => {
      const branch = branches[name];
      return branch === undefined ? [] : [{ name, branch, ...this.#createSides(name, branch) }];
    });
    const results = await Promise.all(
      runs.map(({ branch, sides }) => runSides(branch.processors, sides, this.#messages.length, context)),
    );
    for (const [at, { name, branch, sides, failures }] of runs.entries()) {
      const outcome = [...this.#messages];
      const merged = mergeSides(branch.result_map, sides, results[at] ?? [], outcome);
      this.#note(name, [...failures, ...merged]);
      this.#messages = outcome;
    }
  }

  /** Returns the messages. `finish`: adds the outcomes to each message. */
  outcome(finish: (message: Message, record: Progress) => Message): Batch {
    return this.#messages.flatMap((message, index) => {
      const record = this.#records[index];
      return record === undefined ? [] : [finish(message, record)];
    });
  }

  #createSides(name: string, branch: WorkflowBranch) {
    const takes = (index: number) => !this.#records[index]?.passed.has(name);
    const made = createSides(branch.request_map, this.#messages, takes);
    const tried = new Set([...made.sides, ...made.failures].map(({ index }) => index));
    for (const [index, record] of this.#records.entries()) if (!tried.has(index)) record.skipped.add(name);
    return made;
  }

  #note(name: string, failures: readonly SideFailure[]): void {
    for (const { index, failure } of failures) this.#records[index]?.failed.set(name, failure.message);
  }
}

function createRecord(message: Message, path: readonly string[], names: readonly string[]): Progress {
  const before = path.length === 0 ? undefined : readPath(message.document() ?? null, path);
  return { passed: passedBefore(before, names), skipped: new Set(), failed: new Map(), names };
}

/** Returns the branches that an earlier run completed and, if that run lists branches to apply, all others. */
function passedBefore(before: Value | undefined, names: readonly string[]): ReadonlySet<string> {
  if (before === undefined || !isObject(before)) return new Set();
  const apply = textsIn(before.apply);
  const others = apply.length > 0 ? names.filter((name) => !apply.includes(name)) : [];
  return new Set([...others, ...textsIn(before.succeeded), ...textsIn(before.skipped)]);
}

function textsIn(value: Value | undefined): readonly string[] {
  if (value === undefined || !isArray(value)) return [];
  return value.filter((each): each is string => typeof each === "string");
}

function withRecord(
  message: Message,
  { names, skipped, failed }: Progress,
  path: readonly string[],
): Message {
  const document = message.document();
  if (document === undefined) {
    const reason = message.documentFailure();
    return message.withFailure(
      new MappingError(reason, `failed to write the record of a workflow: ${reason}`),
    );
  }
  const succeeded = names.filter((name) => !skipped.has(name) && !failed.has(name)).toSorted();
  const left = [...skipped].filter((name) => !failed.has(name)).toSorted();
  const previous = readPath(document, path);
  const record: ObjectValue = {
    ...(succeeded.length > 0 && { succeeded }),
    ...(left.length > 0 && { skipped: left }),
    ...(failed.size > 0 && { failed: Object.fromEntries(failed) }),
    ...(previous !== undefined && previous !== null && { previous }),
  };
  const written = writePath(document, path, record);
  return written === undefined ? message : message.withDocument(written);
}

function flagFailed(message: Message, { failed }: Progress): Message {
  if (failed.size === 0) return message;
  return message.withFailure(
    new MappingError(`workflow branches failed: [${[...failed.keys()].toSorted().join(" ")}]`),
  );
}

/** Returns the keys of a path. `~1` stands for a dot in a key, `~0` for a tilde. An empty path has no keys. */
function splitPath(path: string): readonly string[] {
  if (path === "") return [];
  return path.split(".").map((key) => key.replaceAll("~1", ".").replaceAll("~0", "~"));
}

/** Returns the value at a path; `undefined` if there is none. */
function readPath(value: Value, path: readonly string[]): Value | undefined {
  let at: Value | undefined = value;
  for (const key of path)
    at = at !== undefined && isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

/** Returns a copy with another value at a path; `undefined` if a value on the path is neither null nor an object. */
function writePath(value: Value, path: readonly string[], written: Value): Value | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return written;
  if (value !== null && !isObject(value)) return undefined;
  const inner = value !== null && Object.hasOwn(value, key) ? (value[key] ?? null) : null;
  const made = writePath(inner, rest, written);
  return made === undefined ? undefined : { ...value, [key]: made };
}
