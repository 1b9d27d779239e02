// A run of a mapping, check or interpolation on one message of a batch.

import { MappingError, toGatewayError } from "../errors.ts";
import { noteFailureAt } from "../failures/place.ts";
import { type Batch, Message, type Metadata, withoutName } from "../message/message.ts";
import { deleted, isObject, nothing, type Value } from "../message/value.ts";
import { DocumentFailure, undefinedContext } from "./failures.ts";
import { nativeTypeName } from "./kinds.ts";

/** A value that replaces the message's document as `this`. */
export interface MappingContext {
  readonly value: Value;
}

const noNames: ReadonlySet<string> = /* @__PURE__ */ new Set();

/** The metadata that a mapping builds. */
interface Built {
  metadata: Metadata | undefined;
  /** Like `Message.parameters`. */
  parameters: ReadonlySet<string> | undefined;
}

/**
 * The state of a run: the message that it reads and the metadata that it builds. The document that it builds, the root,
 * is a local variable of the compiled mapping.
 */
export class MappingRun {
  batch: Batch;
  index: number;
  #built: Built | undefined;
  #mutates = false;
  #mutation: (() => Value | undefined) | undefined;
  #origin: Message | undefined;
  readonly #context: MappingContext | undefined;
  /** The current nesting depth of recursive maps. */
  depth = 0;

  /**
   * Reads message `index` of `batch`. `origin`: the message to start from, by default the same message; the result
   * mapping of a branch starts from another one. `context`: replaces the message's document as `this`.
   */
  constructor(batch: Batch, index: number, origin?: Message, context?: MappingContext) {
    this.batch = batch;
    this.index = index;
    this.#origin = origin ?? batch[index];
    this.#context = context;
  }

  /** Returns the message that is read; `undefined` if `from` points outside the batch. */
  message(): Message | undefined {
    return this.batch.at(this.index);
  }

  /** Returns `this` of a mapping. `reference`: how the source spells the access, such as `this.foo`. */
  document(reference: string): Value {
    return this.#context === undefined ? documentOf(this.batch, this.index, reference) : this.#context.value;
  }

  /** Returns `this`, or null if there is no document, as in `this.a | "x"`. */
  documentIfAny(): Value {
    if (this.#context !== undefined) return this.#context.value;
    return this.message()?.document() ?? null;
  }

  /** Returns `this` of an interpolation. Throws if the message is not JSON. `reference`: as for `document`. */
  templateDocument(reference: string): Value {
    if (this.#context !== undefined) return this.#context.value;
    const document = this.message()?.document();
    if (document !== undefined) return document;
    throw new MappingError(undefinedContext(reference));
  }

  /** Returns the same run for message `index`, which counts from the end if negative. What is built is shared. */
  from(index: number): MappingRun {
    const run = new MappingRun(this.batch, index, undefined, this.#context);
    run.#origin = this.#origin;
    this.#built ??= { metadata: undefined, parameters: undefined };
    run.#built = this.#built;
    run.#mutates = this.#mutates;
    run.#mutation = this.#mutation;
    return run;
  }

  /** Returns `query` evaluated on each message of the batch, for `.from_all()`. */
  fromAll(query: (run: MappingRun) => Value): Value {
    return this.batch.map((_, index) => query(this.from(index)));
  }

  /** Returns the initial root of a `mutation` or of the result mapping of a branch. */
  initialRoot(): Value {
    return this.#origin?.document() ?? nothing;
  }

  /** Returns the initial root if it is a text, which becomes the content without quotes; `nothing` otherwise. */
  initialText(): Value {
    return this.#origin?.jsonText() ?? nothing;
  }

  /** The metadata being built. */
  get metadata(): Metadata {
    return this.#built?.metadata ?? this.#origin?.metadata ?? new Map();
  }

  /**
   * From now on, functions that read metadata see the assignments of this mutation, and functions that read the message
   * see its current `document`.
   */
  mutate(document?: () => Value | undefined): void {
    this.#mutates = true;
    this.#mutation = document;
  }

  /**
   * Returns `this` of a mutation: the root, or `replaced`, the root before it was replaced. `undefined` if the message
   * has no document, whatever the root is now.
   */
  mutated(root: Value, replaced?: Value): Value | undefined {
    if (this.#origin?.document() === undefined) return undefined;
    return replaced === undefined ? root : replaced;
  }

  /** The message that functions read: the original one, or in a mutation its current state. */
  get current(): Message | undefined {
    const message = this.message();
    const document = message === this.#origin ? this.#mutation?.() : undefined;
    // A text keeps its quotes until the mutation ends.
    return document === undefined || typeof document === "string" ? message : message?.withDocument(document);
  }

  /** The metadata that functions read: the message's, or in a mutation its current state. */
  get readable(): Metadata {
    const message = this.message();
    if (this.#mutates && message === this.#origin) return this.metadata;
    return message?.metadata ?? new Map();
  }

  /** `@name` */
  metadataValue(name: string): Value {
    return this.metadata.get(name) ?? null;
  }

  /** `@`: returns an object of all metadata being built. */
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

  /** Like `setMetadata`, but has no effect unless the run builds the message that it reads. */
  keepMetadata(name: string, value: Value): void {
    if (this.#origin !== undefined && this.#origin === this.message()) this.setMetadata(name, value);
  }

  /**
   * `meta = value`. Values copied from parameters stay parameters: `meta = @` does not turn a parameter into a header.
   */
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
   * Returns the resulting message with `root` as its document; `undefined` if it is dropped. If the root was never
   * assigned, the bytes do not change. `Content`: the type that the compiler inferred.
   */
  finish<Content>(root: Value): Message<Content> | undefined {
    const origin = this.#origin ?? Message.fromBytes(new Uint8Array());
    if (root === deleted) return undefined;
    const message = root === nothing ? origin : origin.withDocument(root);
    const { metadata, parameters } = this.#built ?? {};
    const built = metadata === undefined ? message : message.withMetadata(metadata, parameters ?? noNames);
    // Only the compiler's inference knows the type of what the mapping has built.
    return built as Message<Content>;
  }

  /**
   * Ends one of several consecutive mappings: the next one reads the message that this one built. Returns false if the
   * message is dropped.
   */
  advance(root: Value): boolean {
    const message = this.finish(root);
    if (message !== undefined) this.#read(message);
    return message !== undefined;
  }

  /**
   * Like `advance`, for a mapping that failed: the message continues unchanged, marked as failed. `at` and `component`:
   * the place of the mapping in the source, as in `placed`.
   */
  fail<Content>(error: unknown, at: string, component: string): Message<Content> {
    const origin = this.#origin ?? Message.fromBytes(new Uint8Array());
    const failure = toGatewayError(error, 500, "the mapping failed");
    noteFailureAt(failure, { component, at });
    const failed = origin.withFailure(failure);
    this.#read(failed);
    // A failed message has its original content.
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

  /** The names of the metadata being built that came as parameters. */
  get #parameters(): ReadonlySet<string> | undefined {
    return this.#built?.metadata === undefined ? this.#origin?.parameters : this.#built.parameters;
  }

  /**
   * Returns the names whose values are still those of parameters, either of what was built so far or of the message
   * read.
   */
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

  /** A value has no metadata to assign. An empty batch, as at the start of `generate`, means a new message. */
  #assignable(): Metadata {
    if (this.#origin === undefined && this.#context !== undefined)
      throw new MappingError("unable to assign metadata in the current context");
    return this.metadata;
  }
}

/** Returns the document of message `index`, for functions that need only `this` and no run. */
export function documentOf(batch: Batch, index: number, reference: string): Value {
  const message = batch.at(index);
  if (message === undefined) throw new MappingError("context was undefined");
  const document = message.document();
  if (document !== undefined) return document;
  const text = `unable to reference message as structured (with '${reference}'): ${message.parseFailure()}`;
  const detail = `\`${reference}\` needs JSON, and the message is not JSON`;
  throw new DocumentFailure([text, text, detail], undefinedContext(reference));
}
