// What the compiler knows of a component: the contract of every descriptor, ours and those of other packages.

import { resolveSchema } from "./resolve.ts";
import type { Schema } from "./schema.ts";

/** What a component is for a stream. */
export type Role = "input" | "processor" | "output" | "scanner" | "buffer" | ResourceRole;

/** What the components of a stream share, each under a label. */
export type ResourceRole = "cache" | "rate_limit";

/** A function of the runtime, for emitted code to import. */
export interface RuntimeLink {
  /** Module path below the package that brings it: `runtime/connectors/kafka/input.ts`. */
  readonly module: string;
  readonly symbol: string;
  /** The package, where it is another one. The compiler fills it in; descriptors leave it out. */
  readonly source?: LinkSource;
}

/** Where a function of another package comes from. */
export interface LinkSource {
  /** The name of the package. */
  readonly package: string;
  /** What emitted code calls the function: a name that no other link of the set has. */
  readonly local: string;
  /** Hex digest of what a gateway runs of the package. */
  readonly digest: string;
  /** The exports of a module of the package, for what runs in the process of the compiler: unit tests, probes. */
  readonly load: (module: string) => Readonly<Record<string, unknown>>;
}

/** The options of one component, as far as they are known before the gateway starts. */
export interface KnownOptions {
  /** Whether the document writes the field, whatever its value. */
  readonly has: (field: string) => boolean;
  /** Whether the field will hold something: neither absent, `null` nor an empty string. Environment variables count. */
  readonly isSet: (field: string) => boolean;
  /**
   * The value of a scalar field; `undefined` where it is absent, not a scalar, or known only at start. Dots lead into
   * blocks: `sharded_join.type`.
   */
  readonly literal: (field: string) => string | number | bigint | boolean | null | undefined;
  /** The strings of a list, or of one string; `undefined` for those known only at start. */
  readonly texts: (field: string) => readonly (string | undefined)[];
  /** The same as far as each is known: up to the first variable in it, empty where it begins with one. */
  readonly beginnings: (field: string) => readonly string[];
}

/** Channels of one broker that a component reads or writes. */
export interface BrokerChannels {
  /** As AsyncAPI names its bindings. */
  readonly protocol: string;
  readonly servers: readonly BrokerAddress[];
  /** Topics, subjects, queues; `undefined` for those that only messages or the start tell. */
  readonly addresses: readonly (string | undefined)[];
  /** The texts of the fields that name them, each up to where something is read or computed. */
  readonly beginnings?: readonly string[];
  /** Of the protocol, as AsyncAPI's bindings have it. */
  readonly channelBinding?: (address: string) => BindingFields;
  readonly operationBinding?: BindingFields;
}

/** Where a broker is. */
export interface BrokerAddress {
  /** As AsyncAPI calls it, where the connection is encrypted, too. */
  readonly protocol: string;
  /** As written; `undefined` for one that is known only at start. */
  readonly address: string | undefined;
}

/** Fields of a binding; those without a value are left out. */
export type BindingFields = Readonly<Record<string, unknown>>;

/** Says where a component reads or writes, from its options. */
export type ListBrokerChannels = (options: KnownOptions) => BrokerChannels;

/** What is known of every component. */
interface ComponentDescriptor {
  /** The name that documents use. */
  readonly name: string;
  /** Other names that documents may use. */
  readonly aliases?: readonly string[];
  /** The value under that name. */
  readonly schema: Schema;
  /** The function that makes the component of its options. */
  readonly runtime: RuntimeLink;
  /** Smaller or larger forms of that function; the first whose condition holds is linked instead. */
  readonly variants?: readonly RuntimeVariant[];
  /**
   * The function of the runtime that says what is wrong with options that only it can read, such as a query of another
   * language, and the type of the messages that the component gives: `(options) => Inspection`.
   */
  readonly inspect?: RuntimeLink;
  /** The function that tries its connection before a deployment; absent where it connects to nothing. */
  readonly probe?: RuntimeLink;
  /** Where it reads or writes at a broker, for descriptions; absent where there is none. */
  readonly brokerChannels?: ListBrokerChannels;
  /** Its value is the name of a channel between streams of one process. */
  readonly isChannel?: boolean;
  /** Only one of them may run in a process. */
  readonly isSingle?: boolean;
  /** Whether it collects the batches of its `batching` field, which otherwise is a function around it. */
  readonly batchesItself?: boolean;
  /** Whether a request of the input is answered with the messages that come to it. */
  readonly answersRequests?: boolean;
  /** What the compiler checks of this component besides what its schema says. */
  readonly rules?: readonly (ComponentRuleName | OptionRule)[];
}

/** A check of the options of one component, for packages: what is wrong with what a document writes. */
export type OptionRule = (options: KnownOptions) => readonly OptionProblem[];

/** What a function of the runtime finds in options. Those that are known only at the start are left out. */
export interface Inspection {
  /** Options that cannot be used, and why, in a clause that follows a colon. */
  readonly problems: readonly (Pick<OptionProblem, "message" | "hint"> & { readonly field: string })[];
  /** JSON Schema of the documents that the component makes; absent where that is not known. */
  readonly produces?: boolean | Readonly<Record<string, unknown>>;
}

/** Something that options should not say. */
export interface OptionProblem {
  /** The field to point at; without it, the name of the component. */
  readonly field?: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What to do about it, in the imperative. */
  readonly hint?: string;
  /** `error` unless it says otherwise. */
  readonly severity?: "error" | "warning";
}

/** Checks that some components share; `compiler/check/document/rules.ts` has the function of each. */
export type ComponentRuleName =
  | "branch-order"
  | "copied-endpoints"
  | "drop-conditions"
  | "dropped-without-cache"
  | "early-acknowledgements"
  | "endpoint-fields"
  | "fan-out-to-clients"
  | "falling-through"
  | "json-schema"
  | "key-of-messages"
  | "kafka-batches"
  | "kafka-logins"
  | "kafka-topics"
  | "kafka-writes"
  | "mqtt-sessions"
  | "one-authorization"
  | "poll-intervals"
  | "schedules"
  | "switch-cases"
  | "unused-logins";

/** A form of a component that some options need or suffice with, so that bundles carry no other. */
export interface RuntimeVariant {
  readonly when: (options: KnownOptions) => boolean;
  readonly runtime: RuntimeLink;
}

/** Where messages come from. */
export interface InputDescriptor extends ComponentDescriptor {
  readonly role: "input";
  /** Whether it is what a stream reads with that has a buffer; it holds the input as `child` and the buffer as `buffer`. */
  readonly holdsBuffer?: boolean;
  /** Whether whoever sent a message gets what the stream answers. */
  readonly answersSenders?: boolean;
  /** How several readers share the messages; absent where that is not for this input to say. */
  readonly division?: InputDivision;
}

/** How processes or replicas that read the same share its messages. */
export interface InputDivision {
  /** Whether each message goes to one reader. */
  readonly isDivided: (options: KnownOptions) => boolean;
  /** Whether asking for that shows that there are several: a single reader would have the same messages without. */
  readonly showsReplicas?: boolean;
  /** What each replica does otherwise, in a clause that follows "Each of several gateways", and what to do about it. */
  readonly otherwise?: { readonly clause: string; readonly hint: string };
}

/** Where messages go. */
export interface OutputDescriptor extends ComponentDescriptor {
  readonly role: "output";
  readonly flow: OutputFlow;
  /** The route on which clients choose between HTTP and WebSocket where no other route holds connections open. */
  readonly negotiatedRoute?: string;
  /** Whether the portal delivers its messages as webhooks. */
  readonly isPortalWebhook?: boolean;
}

/**
 * What becomes of messages, and of those that something failed on:
 * - `write`: they are written, or handed to every output inside;
 * - `discard`: they are gone, flagged ones too;
 * - `refuse`: they go back to the input, flagged ones for their own reason;
 * - `refuse-flagged`: flagged ones go back, others go to the output inside;
 * - `repeat`: the output inside gets them until it accepts them;
 * - `drop-refused`: what the output inside refuses may be dropped (`error`);
 * - `first-accepting`: each output inside gets what the one before it refused;
 * - `cases`: the cases of `cases` choose among outputs.
 */
export type OutputFlow =
  | "write"
  | "discard"
  | "refuse"
  | "refuse-flagged"
  | "repeat"
  | "drop-refused"
  | "first-accepting"
  | "cases";

/** A step of a pipeline. */
export interface ProcessorDescriptor extends ComponentDescriptor {
  readonly role: "processor";
  readonly flow: ProcessorFlow;
  /** Why it may fail on a message, apart from its scripts and inner processors; absent where it cannot. */
  readonly mayFail?: string | ((options: KnownOptions) => string | undefined);
  /** Whether it may pass on more messages than it got, or fewer. */
  readonly changesCount?: boolean;
  /** Whether it adds numbers of its own to those of the gateway, under `name`. */
  readonly definesMetric?: boolean;
  /** Whether what its own scripts fail on is only logged, and flags no message. */
  readonly onlyLogsFailures?: boolean;
}

/** The way of messages through a processor. */
export type ProcessorFlow =
  /** One mapping makes the message, or changes it. */
  | { readonly kind: "mapping" }
  /** A copy of the message passes processors, and a result map merges it into the message. */
  | { readonly kind: "branch" | "workflow" }
  /** Processors in order: those of `field`, or of the value itself. */
  | { readonly kind: "sequence" | "try" | "catch" | "retry" | "loop"; readonly field?: string }
  /** Processors of the items of `field`, each with a `check`. */
  | { readonly kind: "cases"; readonly field: string }
  /** The result of `processors` is kept under a key. */
  | { readonly kind: "cached" }
  /** A message comes out for a message that goes in. */
  | { readonly kind: "message"; readonly effect: MessageEffect | ((options: KnownOptions) => MessageEffect) };

/** The result of a processor, by its input. */
export interface MessageEffect {
  /**
   * `list`: an array of the contents of the batch; `elements`: an element of the array; `reply`: that of the HTTP call;
   * `inspected`: what `inspect` says of it.
   */
  readonly content: "same" | "bytes" | "object" | "unknown" | "reply" | "list" | "elements" | "inspected";
  /** Metadata that it sets, all of it strings. */
  readonly metadata?: readonly string[];
  /** Whether messages of bytes, without metadata, come besides. */
  readonly inserts?: boolean;
}

/** A cache or a rate limit. */
export interface ResourceDescriptor extends ComponentDescriptor {
  readonly role: ResourceRole;
}

/** How an input cuts what it reads into messages. */
export interface ScannerDescriptor extends ComponentDescriptor {
  readonly role: "scanner";
}

/** What keeps messages between the input and the pipeline of a stream. */
export interface BufferDescriptor extends ComponentDescriptor {
  readonly role: "buffer";
  /** Whether it is the same as no buffer. */
  readonly keepsNothing?: boolean;
}

/** Any component. */
export type Component =
  | InputDescriptor
  | OutputDescriptor
  | ProcessorDescriptor
  | ScannerDescriptor
  | BufferDescriptor
  | ResourceDescriptor;

/** The descriptors of each role. */
export interface Descriptors {
  readonly input: InputDescriptor;
  readonly output: OutputDescriptor;
  readonly processor: ProcessorDescriptor;
  readonly scanner: ScannerDescriptor;
  readonly buffer: BufferDescriptor;
  readonly cache: ResourceDescriptor;
  readonly rate_limit: ResourceDescriptor;
}

/** The descriptor of a component that was read, where it is one of that role. */
export function descriptorOf<R extends Role>(
  role: R,
  { descriptor }: { readonly descriptor?: Component | undefined },
): Descriptors[R] | undefined {
  // The role decides which of the descriptors it is.
  return descriptor?.role === role ? (descriptor as Descriptors[R]) : undefined;
}

/**
 * The forms of a component by the value of one option, so that a bundle carries those that its documents name. What stands
 * behind a colon in the value is for the component to read.
 */
export function oneOf(
  option: string,
  forms: readonly [RuntimeForm, ...RuntimeForm[]],
): Pick<ComponentDescriptor, "runtime" | "variants"> {
  const variants = forms.map(([value, module, symbol]) => ({
    when: (options: KnownOptions) => String(options.literal(option)).split(":", 1)[0] === value,
    runtime: { module, symbol },
  }));
  const [[, module, symbol]] = forms;
  return { runtime: { module, symbol }, variants };
}

/** A value of the option, and the function for it. */
export type RuntimeForm = readonly [value: string, module: string, symbol: string];

/** A descriptor as it is written: its schema is the content of a file, with references to `shared/`. */
type Written<T> = Omit<T, "schema" | "role"> & { readonly schema: unknown };

/** Whether clients connect to the component over HTTP or WebSocket. */
export function servesClients({ schema }: Component): boolean {
  return Object.values(schema.properties ?? {}).some((property) => property["x-route"] !== undefined);
}

/** The function that makes the component with these options. */
export function runtimeOf({ runtime, variants = [] }: Component, options: KnownOptions): RuntimeLink {
  return variants.find(({ when }) => when(options))?.runtime ?? runtime;
}

/** Every function that may make the component. */
export function runtimesOf({ runtime, variants = [] }: Component): readonly RuntimeLink[] {
  return [runtime, ...variants.map((variant) => variant.runtime)];
}

/** An input; `schema` is the content of its schema file. */
export function defineInput(input: Written<InputDescriptor>): InputDescriptor {
  return { ...input, role: "input", schema: resolveSchema(input.schema) };
}

/** An output; `flow` is `write` unless it says otherwise. */
export function defineOutput(
  output: Omit<Written<OutputDescriptor>, "flow"> & { readonly flow?: OutputFlow },
): OutputDescriptor {
  return { flow: "write", ...output, role: "output", schema: resolveSchema(output.schema) };
}

/** A processor. */
export function defineProcessor(processor: Written<ProcessorDescriptor>): ProcessorDescriptor {
  return { ...processor, role: "processor", schema: resolveSchema(processor.schema) };
}

/** A cache. */
export function defineCache(cache: Written<ResourceDescriptor>): ResourceDescriptor {
  return { ...cache, role: "cache", schema: resolveSchema(cache.schema) };
}

/** A rate limit. */
export function defineRateLimit(rateLimit: Written<ResourceDescriptor>): ResourceDescriptor {
  return { ...rateLimit, role: "rate_limit", schema: resolveSchema(rateLimit.schema) };
}

/** A scanner. */
export function defineScanner(scanner: Written<ScannerDescriptor>): ScannerDescriptor {
  return { ...scanner, role: "scanner", schema: resolveSchema(scanner.schema) };
}

/** A buffer. */
export function defineBuffer(buffer: Written<BufferDescriptor>): BufferDescriptor {
  return { ...buffer, role: "buffer", schema: resolveSchema(buffer.schema) };
}
