// One run of a mapping, check or interpolation on one message of a batch.

import { MappingError, toGatewayError } from "../errors.ts";
import { noteFailureAt } from "../failures/place.ts";
import { type Batch, Message, type Metadata, withoutName } from "../message/message.ts";
import { deleted, isObject, nothing, type Value } from "../message/value.ts";
import { DocumentFailure, undefinedContext } from "./failures.ts";
import { nativeTypeName } from "./kinds.ts";

/** A value given as `this` in place of a message's document. */
export interface MappingContext {
  readonly value: Value;
}

const noNames: ReadonlySet<string> = /* @__PURE__ */ new Set();

/** Metadata as a mapping builds it. */
interface Built {
  metadata: Metadata | undefined;
  /** As `Message.parameters`. */
  parameters: ReadonlySet<string> | undefined;
}

/**
 * The state of a run: which message it reads and the metadata it builds. The document it builds, the root,
 * is a local of the compiled mapping.
 */
export class MappingRun {
  batch: Batch;
  index: number;
  #built: Built | undefined;
  #mutates = false;
  #mutation: (() => Value | undefined) | undefined;
  #origin: Message | undefined;
  readonly #context: MappingContext | undefined;
  /** How many recursive maps are being applied inside each other. */
  depth = 0;

  /**
   * Reads message `index` of `batch`. What is built begins as `origin`: the same message, or another for
   * the result mapping of a branch. A `context` takes the place of the message's document as `this`.
   */
  constructor(batch: Batch, index: number, origin?: Message, context?: MappingContext) {
    this.batch = batch;
    this.index = index;
    this.#origin = origin ?? batch[index];
    this.#context = context;
  }

  /** The message that is read; `undefined` where `from` leads out of the batch. */
  message(): Message | undefined {
    return this.batch[this.index];
  }

  /** `this` of a mapping. `reference` is how the source spells its use, such as `this.foo`. */
  document(reference: string): Value {
    return this.#context === undefined ? documentOf(this.batch, this.index, reference) : this.#context.value;
  }

  /** `this` where not having one counts as null, as for `this.a | "x"`. */
  documentIfAny(): Value {
    if (this.#context !== undefined) return this.#context.value;
    return this.message()?.document() ?? null;
  }

  /** `this` of an interpolation: there is none when the message is not JSON. `reference` is as for `document`. */
  templateDocument(reference: string): Value {
    if (this.#context !== undefined) return this.#context.value;
    const document = this.message()?.document();
    if (document !== undefined) return document;
    throw new MappingError(undefinedContext(reference));
  }

  /** The same run reading message `index`, from the end when negative; what is built stays shared. */
  from(index: number): MappingRun {
    const position = index < 0 ? this.batch.length + index : index;
    const run = new MappingRun(this.batch, position, undefined, this.#context);
    run.#origin = this.#origin;
    this.#built ??= { metadata: undefined, parameters: undefined };
    run.#built = this.#built;
    run.#mutates = this.#mutates;
    run.#mutation = this.#mutation;
    return run;
  }

  /** `query` evaluated on each message of the batch: what `.from_all()` gives. */
  fromAll(query: (run: MappingRun) => Value): Value {
    return this.batch.map((_, index) => query(this.from(index)));
  }

  /** What the root begins as in a `mutation` or the result mapping of a branch. */
  initialRoot(): Value {
    return this.#origin?.document() ?? nothing;
  }

  /** The metadata being built. */
  get metadata(): Metadata {
    return this.#built?.metadata ?? this.#origin?.metadata ?? new Map();
  }

  /**
   * From here on functions that read metadata see what this mutation has assigned; those that read the message see the
   * `document` it has become.
   */
  mutate(document?: () => Value | undefined): void {
    this.#mutates = true;
    this.#mutation = document;
  }

  /**
   * `this` of a mutation: the root, or what it was before another took its place; undefined where the message is no
   * document, whatever the root is by now.
   */
  mutated(root: Value, replaced?: Value): Value | undefined {
    if (this.#origin?.document() === undefined) return undefined;
    return replaced === undefined ? root : replaced;
  }

  /** The message that functions read: as it came, in a mutation as it has become. */
  get current(): Message | undefined {
    const message = this.message();
    const document = message === this.#origin ? this.#mutation?.() : undefined;
    return document === undefined ? message : message?.withDocument(document);
  }

  /** The metadata that functions read: of the message, in a mutation as it has become. */
  get readable(): Metadata {
    const message = this.message();
    if (this.#mutates && message === this.#origin) return this.metadata;
    return message?.metadata ?? new Map();
  }

  /** `@name` */
  metadataValue(name: string): Value {
    return this.metadata.get(name) ?? null;
  }

  /** `@`: an object of all metadata being built. */
  allMetadata(): Value {
    return Object.fromEntries(this.metadata);
  }

  /** `meta name = value` */
  setMetadata(name: string, value: Value): void {
    if (value === nothing) return;
    const changed = new Map(this.#assignable());
    if (value === deleted) changed.delete(name);
    else changed.set(name, value);
    this.#build(changed, withoutName(this.#parameters, name));
  }

  /** As `setMetadata`, for a run on its own message that builds one; any other keeps nothing. */
  keepMetadata(name: string, value: Value): void {
    if (this.#origin !== undefined && this.#origin === this.message()) this.setMetadata(name, value);
  }

  /** `meta = value`. What is copied as a whole keeps its origin: `meta = @` makes no header of a parameter. */
  setAllMetadata(value: Value): void {
    if (value === nothing) return;
    this.#assignable();
    if (value !== deleted && !isObject(value)) {
      throw new MappingError(
        `setting root meta object requires object value, received: ${nativeTypeName(value)}`,
      );
    }
    const metadata = new Map(value === deleted ? [] : Object.entries(value));
    this.#build(metadata, this.#copiedParameters(metadata));
  }

  /**
   * The message that comes out with `root` as built; `undefined` when it is dropped. A root that was never
   * assigned keeps the bytes as they are. `Content` is what the compiler inferred of it.
   */
  finish<Content>(root: Value): Message<Content> | undefined {
    const origin = this.#origin ?? Message.fromBytes(new Uint8Array());
    if (root === deleted) return undefined;
    const message = root === nothing ? origin : origin.withDocument(root);
    const { metadata, parameters } = this.#built ?? {};
    const built = metadata === undefined ? message : message.withMetadata(metadata, parameters ?? noNames);
    // Nothing but the compiler's inference says what the mapping has built.
    return built as Message<Content>;
  }

  /**
   * Ends one of several mappings in a row: the message it built is what the next one reads. False where the
   * message is dropped.
   */
  advance(root: Value): boolean {
    const message = this.finish(root);
    if (message !== undefined) this.#read(message);
    return message !== undefined;
  }

  /**
   * As `advance`, for a mapping that failed: the message goes on as it was before it, flagged. `at` and `component` say
   * where it was written, as `placed` has it.
   */
  fail<Content>(error: unknown, at: string, component: string): Message<Content> {
    const origin = this.#origin ?? Message.fromBytes(new Uint8Array());
    const failure = toGatewayError(error, 500, "the mapping failed");
    noteFailureAt(failure, { component, at });
    const failed = origin.withFailure(failure);
    this.#read(failed);
    // What carries a flag is as it was before.
    return failed as Message<Content>;
  }

  #read(message: Message): void {
    this.batch = [message];
    this.index = 0;
    this.#origin = message;
    this.#built = undefined;
    this.#mutates = false;
    this.#mutation = undefined;
  }

  #build(metadata: Metadata, parameters: ReadonlySet<string> | undefined): void {
    this.#built ??= { metadata, parameters };
    this.#built.metadata = metadata;
    this.#built.parameters = parameters;
  }

  /** Of the metadata being built, those that came as parameters. */
  get #parameters(): ReadonlySet<string> | undefined {
    return this.#built?.metadata === undefined ? this.#origin?.parameters : this.#built.parameters;
  }

  /** Names whose values are still those of parameters, of what was built before or of the message that is read. */
  #copiedParameters(metadata: Metadata): ReadonlySet<string> | undefined {
    const read = this.message();
    const sources = [
      { names: this.#parameters, values: this.metadata },
      { names: read === this.#origin ? undefined : read?.parameters, values: read?.metadata },
    ];
    const copied = sources.flatMap(({ names, values }) =>
      [...(names ?? [])].filter((name) => metadata.has(name) && metadata.get(name) === values?.get(name)),
    );
    return copied.length === 0 ? undefined : new Set(copied);
  }

  #assignable(): Metadata {
    if (this.#origin === undefined)
      throw new MappingError("unable to assign metadata in the current context");
    return this.metadata;
  }
}

/** What `this` is in a function that needs no run besides: the document of message `index`. */
export function documentOf(batch: Batch, index: number, reference: string): Value {
  const message = batch[index];
  if (message === undefined) throw new MappingError("context was undefined");
  const document = message.document();
  if (document !== undefined) return document;
  const text = `unable to reference message as structured (with '${reference}'): ${message.parseFailure()}`;
  const detail = `\`${reference}\` needs JSON, and the message is not JSON`;
  throw new DocumentFailure([text, text, detail], undefinedContext(reference));
}
