// The contract of component descriptors, for this package and other packages.

import { resolveSchema } from "./resolve.ts";
import type { Schema } from "./schema.ts";

/** The roles that components have in streams. */
export const componentRoles = [
  "input",
  "processor",
  "output",
  "scanner",
  "buffer",
  "cache",
  "rate_limit",
] as const;

export type ComponentRole = (typeof componentRoles)[number];

/** The roles of resources, which the components of a stream share by label. */
export type ResourceRole = "cache" | "rate_limit";

/** A function of the runtime that emitted code imports. */
export interface RuntimeLink {
  /** Module path within the package: `runtime/connectors/kafka/input.ts`. */
  readonly module: string;
  readonly symbol: string;
  /** The package, if it is another one. The compiler sets it; descriptors omit it. */
  readonly source?: LinkSource;
}

/** The origin of a function of another package. */
export interface LinkSource {
  /** The name of the package. */
  readonly package: string;
  /** The name of the function in emitted code, unique in the set. */
  readonly local: string;
  /** Hexadecimal digest of the package's code that a gateway runs. */
  readonly digest: string;
  /** Loads the exports of a module of the package, for code that runs in the compiler's process: unit tests, probes. */
  readonly load: (module: string) => Readonly<Record<string, unknown>>;
}

/** The options of one component, as far as they are known before the gateway starts. */
export interface KnownOptions {
  /** Whether the document sets the field, regardless of its value. */
  readonly has: (field: string) => boolean;
  /**
   * Whether the field has a value: it is neither absent, `null` nor an empty string. An environment variable counts
   * as one.
   */
  readonly isSet: (field: string) => boolean;
  /**
   * Returns the value of a scalar field; `undefined` if it is absent, not a scalar, or known only at startup. Dots
   * lead into blocks: `sharded_join.type`.
   */
  readonly literal: (field: string) => string | number | bigint | boolean | null | undefined;
  /** Returns the strings of a list, or a single string; `undefined` for strings known only at startup. */
  readonly texts: (field: string) => readonly (string | undefined)[];
  /** Returns the strings up to the first variable in each; empty for a string that begins with a variable. */
  readonly beginnings: (field: string) => readonly string[];
}

/** The channels of one broker that a component reads or writes. */
export interface BrokerChannels {
  /** The protocol, as named by AsyncAPI's bindings. */
  readonly protocol: string;
  readonly servers: readonly BrokerAddress[];
  /** Topics, subjects or queues; `undefined` for those known only from messages or at startup. */
  readonly addresses: readonly (string | undefined)[];
  /** The field that names them. */
  readonly field?: string;
  /** The texts of the fields that name them, each up to the first part that is read or computed. */
  readonly beginnings?: readonly string[];
  /** Bindings of the protocol, as defined by AsyncAPI. */
  readonly channelBinding?: (address: string) => BindingFields;
  readonly operationBinding?: BindingFields;
}

/** The address of a broker. */
export interface BrokerAddress {
  /** The protocol, as named by AsyncAPI, distinguishing encrypted connections. */
  readonly protocol: string;
  /** The address as written; `undefined` if it is known only at startup. */
  readonly address: string | undefined;
}

/** Fields of a binding. Fields without a value are omitted. */
export type BindingFields = Readonly<Record<string, unknown>>;

/** Returns the channels of a component from its options. */
export type ListBrokerChannels = (options: KnownOptions) => BrokerChannels;

/** The properties of every component. */
interface ComponentDescriptor {
  /** The name that documents use. */
  readonly name: string;
  /** Other names that documents may use. */
  readonly aliases?: readonly string[];
  /** The schema of the value under that name. */
  readonly schema: Schema;
  /** The runtime function that creates the component from its options. */
  readonly runtime: RuntimeLink;
  /** Alternative functions; the first whose condition holds is linked instead. */
  readonly variants?: readonly RuntimeVariant[];
  /**
   * The runtime function that checks options which only it can read, such as a query in another
   * language, and determines the type of the component's messages: `(options) => Inspection`.
   */
  readonly inspect?: RuntimeLink;
  /** The function that tests its connection before a deployment; absent if it connects to nothing. */
  readonly probe?: RuntimeLink;
  /** The channels that it reads or writes at a broker, for descriptions; absent if there are none. */
  readonly brokerChannels?: ListBrokerChannels;
  /** Whether its value is the name of a channel between streams of one process. */
  readonly isChannel?: boolean;
  /** Whether only one of them may run in a process. */
  readonly isSingle?: boolean;
  /** Whether it collects the batches of its `batching` field itself; otherwise a wrapper does. */
  readonly batchesItself?: boolean;
  /** Whether messages that reach it become the response to a request of the input. */
  readonly answersRequests?: boolean;
  /** The checks of this component in addition to its schema. */
  readonly rules?: readonly (ComponentRuleName | OptionRule)[];
}

/** A check of the options of one component, for packages. Returns the problems. */
export type OptionRule = (options: KnownOptions) => readonly OptionProblem[];

/** The findings of a runtime function about options. Options known only at startup are omitted. */
export interface Inspection {
  /** Invalid options, each with the reason in a clause that follows a colon. */
  readonly problems: readonly InspectedProblem[];
  /** JSON Schema of the documents that the component produces; absent if unknown. */
  readonly produces?: boolean | Readonly<Record<string, unknown>>;
  /** The runtime functions that the options call, by the name in the options. The component gets them as `library`. */
  readonly links?: Readonly<Record<string, LibraryLink>>;
}

/** A function of the runtime that options call. */
export interface LibraryLink extends Pick<RuntimeLink, "module" | "symbol"> {
  /** Its parameters, for the component. */
  readonly takes: string;
}

/** A problem that an inspection found. Dots in `field` lead into blocks. */
export interface InspectedProblem extends Pick<OptionProblem, "message" | "hint"> {
  readonly field: string;
  /** The part of the text, as UTF-16 offsets; absent for the whole. */
  readonly place?: { readonly start: number; readonly end: number };
  /** A name that does not exist, and those that do, for a suggestion. */
  readonly unknown?: { readonly name: string; readonly among: readonly string[] };
}

/** A problem with options. */
export interface OptionProblem {
  /** The field to report; if absent, the name of the component is reported. */
  readonly field?: string;
  /** The problem, in one sentence. */
  readonly message: string;
  /** The remedy, in the imperative. */
  readonly hint?: string;
  /** `error` by default. */
  readonly severity?: "error" | "warning";
}

/** Checks that several components share; implemented in `compiler/check/document/rules.ts`. */
export type ComponentRuleName =
  | "branch-order"
  | "continued-case"
  | "copied-endpoints"
  | "drop-conditions"
  | "dropped-without-cache"
  | "early-acknowledgements"
  | "endpoint-fields"
  | "fan-out-to-clients"
  | "json-schema"
  | "key-of-messages"
  | "kafka-batches"
  | "kafka-logins"
  | "kafka-topics"
  | "kafka-writes"
  | "kept-value"
  | "mqtt-sessions"
  | "nats-headers"
  | "one-authorization"
  | "poll-intervals"
  | "schedules"
  | "switch-cases"
  | "unused-logins";

/** A variant of a component for certain options, so that bundles contain only the code they need. */
export interface RuntimeVariant {
  readonly when: (options: KnownOptions) => boolean;
  readonly runtime: RuntimeLink;
}

/** The source of messages. */
export interface InputDescriptor extends ComponentDescriptor {
  readonly role: "input";
  /**
   * Whether it is the implied input of a stream with a buffer; it contains the input as `child` and the buffer as
   * `buffer`.
   */
  readonly holdsBuffer?: boolean;
  /** Whether the sender of a message receives the response of the stream. */
  readonly answersSenders?: boolean;
  /** How several readers share the messages; absent if that does not apply to this input. */
  readonly division?: InputDivision;
}

/** How processes or replicas that read from the same source share its messages. */
export interface InputDivision {
  /** Whether each message goes to only one reader. */
  readonly isDivided: (options: KnownOptions) => boolean;
  /** Whether a configuration that divides messages implies several readers, since a single reader does not need it. */
  readonly showsReplicas?: boolean;
  /**
   * What each replica does if messages are not divided, in a clause that follows "Each of several gateways", and the
   * remedy.
   */
  readonly otherwise?: { readonly clause: string; readonly hint: string };
}

/** The destination of messages. */
export interface OutputDescriptor extends ComponentDescriptor {
  readonly role: "output";
  readonly flow: OutputFlow;
  /** The route on which clients choose between HTTP and WebSocket, if no other route keeps connections open. */
  readonly negotiatedRoute?: string;
  /** Whether the portal delivers its messages as webhooks. */
  readonly isPortalWebhook?: boolean;
}

/**
 * What an output does with messages, and with those flagged by a failure:
 * - `write`: writes them, or passes them to every output inside;
 * - `discard`: discards them, including flagged ones;
 * - `refuse`: returns them to the input, flagged ones with their own reason;
 * - `refuse-flagged`: returns flagged ones, and passes others to the output inside;
 * - `repeat`: passes them to the output inside until it accepts them;
 * - `drop-refused`: may drop messages that the output inside refuses (`error`);
 * - `first-accepting`: passes messages that an output refused to the next output inside;
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
  /** Why it may fail on a message, apart from its scripts and inner processors; absent if it cannot. */
  readonly mayFail?: string | ((options: KnownOptions) => string | undefined);
  /** Whether it may emit more or fewer messages than it receives. */
  readonly changesCount?: boolean;
  /** Whether it defines metrics in addition to those of the gateway, under `name`. */
  readonly definesMetric?: boolean;
  /** Whether failures of its own scripts are only logged and flag no message. */
  readonly onlyLogsFailures?: boolean;
}

/** How messages flow through a processor. */
export type ProcessorFlow =
  /** A mapping creates or changes the message. */
  | { readonly kind: "mapping" }
  /** A copy of the message passes processors, and a result map merges it into the message. */
  | { readonly kind: "branch" | "workflow" }
  /** Processors run in order: those of `field`, or of the value itself. */
  | { readonly kind: "sequence" | "try" | "catch" | "retry" | "loop"; readonly field?: string }
  /** Processors of the items of `field`, each with a `check`. */
  | { readonly kind: "cases"; readonly field: string }
  /** The result of `processors` is cached under a key. */
  | { readonly kind: "cached" }
  /** One message is emitted for each message received. */
  | { readonly kind: "message"; readonly effect: MessageEffect | ((options: KnownOptions) => MessageEffect) };

/** How a processor's result depends on its input. */
export interface MessageEffect {
  /**
   * `list`: an array of the contents of the batch; `elements`: an element of the array; `reply`: the response of the
   * HTTP call;
   * `inspected`: the type returned by `inspect`.
   */
  readonly content: "same" | "bytes" | "object" | "unknown" | "reply" | "list" | "elements" | "inspected";
  /** Metadata that it sets; all values are strings. */
  readonly metadata?: readonly string[];
  /** Whether it can set any other metadata. */
  readonly setsMetadata?: boolean;
  /** Whether it also emits messages of bytes without metadata. */
  readonly inserts?: boolean;
}

/** A cache or a rate limit. */
export interface ResourceDescriptor extends ComponentDescriptor {
  readonly role: ResourceRole;
}

/** Splits the data that an input reads into messages. */
export interface ScannerDescriptor extends ComponentDescriptor {
  readonly role: "scanner";
}

/** Keeps messages between the input and the pipeline of a stream. */
export interface BufferDescriptor extends ComponentDescriptor {
  readonly role: "buffer";
  /** Whether it is equivalent to having no buffer. */
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

/** The descriptor types by role. */
export interface Descriptors {
  readonly input: InputDescriptor;
  readonly output: OutputDescriptor;
  readonly processor: ProcessorDescriptor;
  readonly scanner: ScannerDescriptor;
  readonly buffer: BufferDescriptor;
  readonly cache: ResourceDescriptor;
  readonly rate_limit: ResourceDescriptor;
}

/** Returns the descriptor of a component that was read, if it has that role. */
export function descriptorOf<R extends ComponentRole>(
  role: R,
  { descriptor }: { readonly descriptor?: Component | undefined },
): Descriptors[R] | undefined {
  // The role determines the type of the descriptor.
  return descriptor?.role === role ? (descriptor as Descriptors[R]) : undefined;
}

/**
 * Returns the runtime function and its variants by the value of one option, so that a bundle contains only those that
 * its documents use. The component reads the part of the value after a colon.
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

/** A descriptor as written: its schema is the content of a file, with references to `shared/`. */
type Written<T> = Omit<T, "schema" | "role"> & { readonly schema: unknown };

/** Whether clients connect to the component over HTTP or WebSocket. */
export function servesClients({ schema }: Component): boolean {
  return Object.values(schema.properties ?? {}).some((property) => property["x-route"] !== undefined);
}

/** Returns the function that creates the component with these options. */
export function runtimeOf({ runtime, variants = [] }: Component, options: KnownOptions): RuntimeLink {
  return variants.find(({ when }) => when(options))?.runtime ?? runtime;
}

/** Returns every function that may create the component. */
export function runtimesOf({ runtime, variants = [] }: Component): readonly RuntimeLink[] {
  return [runtime, ...variants.map((variant) => variant.runtime)];
}

/** Returns the schema of a descriptor with its references resolved. */
function schemaOf({ name, schema }: { readonly name: string; readonly schema: unknown }): Schema {
  try {
    return resolveSchema(schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the schema of \`${name}\` is invalid: ${reason}`, { cause });
  }
}

/** Defines an input. `schema` is the content of its schema file. */
export function defineInput(input: Written<InputDescriptor>): InputDescriptor {
  return { ...input, role: "input", schema: schemaOf(input) };
}

/** Defines an output. `flow` is `write` by default. */
export function defineOutput(
  output: Omit<Written<OutputDescriptor>, "flow"> & { readonly flow?: OutputFlow },
): OutputDescriptor {
  return { flow: "write", ...output, role: "output", schema: schemaOf(output) };
}

/** Defines a processor. */
export function defineProcessor(processor: Written<ProcessorDescriptor>): ProcessorDescriptor {
  return { ...processor, role: "processor", schema: schemaOf(processor) };
}

/** Defines a cache. */
export function defineCache(cache: Written<ResourceDescriptor>): ResourceDescriptor {
  return { ...cache, role: "cache", schema: schemaOf(cache) };
}

/** Defines a rate limit. */
export function defineRateLimit(rateLimit: Written<ResourceDescriptor>): ResourceDescriptor {
  return { ...rateLimit, role: "rate_limit", schema: schemaOf(rateLimit) };
}

/** Defines a scanner. */
export function defineScanner(scanner: Written<ScannerDescriptor>): ScannerDescriptor {
  return { ...scanner, role: "scanner", schema: schemaOf(scanner) };
}

/** Defines a buffer. */
export function defineBuffer(buffer: Written<BufferDescriptor>): BufferDescriptor {
  return { ...buffer, role: "buffer", schema: schemaOf(buffer) };
}
