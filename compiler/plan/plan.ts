// The intermediate form between check and emission: what a gateway runs, resolved and with defaults filled in, and where
// each part was written. It does not prescribe the form of the emitted program.

import type { Component, ComponentRole, LibraryLink, RuntimeLink } from "../../schemas/component.ts";
import type { FormatName } from "../../schemas/formats/formats.ts";
import type { Limit } from "../../schemas/limits.ts";
import type { BroughtName, Encoding, MakerName } from "../../schemas/schema.ts";
import type { Span } from "../source/source.ts";
import type { EncodedText } from "../trees/api.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";
import type { MappingPlan, MappingSequence, QueryPlan, TemplatePlan } from "./mapping/ir.ts";

export type { BroughtName, Encoding, MakerName, RuntimeLink };

/** A whole gateway. */
export interface Plan {
  readonly settings: SettingsPlan;
  readonly apis: readonly ApiPlan[];
}

/** The settings of the process, from `gateway.yaml`. */
export interface SettingsPlan {
  readonly streaming: boolean;
  readonly listen?: ValuePlan;
  readonly adminListen?: ValuePlan;
  /** `listen.tls`, as written. */
  readonly tls?: ObjectPlan;
  readonly trustedProxies?: ValuePlan;
  /** The keys of `limits` that were written. */
  readonly limits?: ObjectPlan;
  /** Where requests are counted; absent if none are counted. */
  readonly counters?: ObjectPlan;
  /** Where leases are stored; absent if there are none. */
  readonly leases?: ObjectPlan;
  /** `policies` and `keys`, if an API authenticates callers. */
  readonly keys?: ObjectPlan;
  /** The clients that get tokens from the gateway itself, and the grants; absent if there are none. */
  readonly oauth?: ObjectPlan;
  /** Where records that change at runtime are stored; absent if there are none. */
  readonly store?: StorePlan;
  /** The `portal` block, if it is enabled. */
  readonly portal?: ObjectPlan;
  readonly analytics: AnalyticsPlan;
}

/** The store of a gateway. */
export interface StorePlan {
  /** The address as written; if absent, the environment must supply it. */
  readonly address?: ValuePlan;
}

/** The metrics and logs of a gateway. With neither, the gateway contains no code for them. */
export interface AnalyticsPlan {
  /** In the order of the schema. */
  readonly exporters: readonly ExporterPlan[];
  /** Whether any API can log a line for each connection attempt. */
  readonly logged: boolean;
}

/** Exporters by their name in `gateway.yaml`. */
export type ExporterName = "prometheus" | "opentelemetry" | "statsd";

/** A destination of metrics. */
export interface ExporterPlan {
  readonly name: ExporterName;
  readonly origin: Origin;
  readonly options: ObjectPlan;
}

/** One API, mounted below its listen path. */
export interface ApiPlan {
  readonly id: string;
  readonly name?: string;
  /** Path of the document, as shown to people. */
  readonly file: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  /** Whether each connection attempt is logged. */
  readonly logged: boolean;
  /** The only host name under which the API is served; absent if any host name is accepted. */
  readonly host?: ValuePlan;
  /** Whether requests reach it only as a version of another API. */
  readonly internal?: boolean;
  readonly versions?: VersionsPlan;
  /** Its `upstream` block, if it has an address. */
  readonly upstream?: ObjectPlan;
  /** The source of the upstream's address; present together with `upstream`. */
  readonly upstreamOrigin?: Origin;
  /** The origins whose pages may call the API, as written. */
  readonly cors?: ObjectPlan;
  /** The checks that requests pass before streams and the upstream receive them, in the order of the chain. */
  readonly protections: readonly ProtectionPlan[];
  readonly access: AccessPlan;
  readonly streams: readonly StreamPlan[];
}

/** The versions of an API, including itself, and where requests name a version. */
export interface VersionsPlan {
  readonly location: "url" | "header" | "url-param";
  readonly origin: Origin;
  readonly options: ObjectPlan;
}

/** Protections by the name of the runtime function that creates them. */
export type ProtectionName =
  | "expiration"
  | "ip_access"
  | "client_certificates"
  | "request_size"
  | "authentication"
  | "access_rights"
  | "rate_limits"
  | "connection_limits"
  | "message_limits"
  | "request_validation";

/** Runtime functions that `error_handling` requires. */
export type HandlingName = "dead-letters" | "failure-samples" | "repeated-delivery";

/** Authentication methods, by the name of the runtime function that creates them. */
export type MethodName =
  | "auth-token"
  | "basic"
  | "jwt"
  | "jwt-of-keys"
  | "introspection"
  | "open-id-connect"
  | "access-token"
  | "signed-requests"
  | "mutual-tls";

/** One protection of an API. */
export interface ProtectionPlan {
  readonly name: ProtectionName;
  readonly origin: Origin;
  readonly options: ObjectPlan;
}

/** The source of a part, for people who read emitted code. */
export interface Origin {
  readonly span: Span;
  /** Path in the document: `x-gw-streaming.streams.intake.input.kafka`. */
  readonly path: string;
}

/** One stream of an API. */
export interface StreamPlan {
  readonly name: string;
  readonly origin: Origin;
  readonly input: ComponentPlan;
  readonly pipeline: readonly ComponentPlan[];
  /** The number of batches that its processors handle at a time; absent if unlimited. */
  readonly threads?: number;
  readonly output: ComponentPlan;
  readonly errorHandling?: ObjectPlan;
  /** The resources that its components share. */
  readonly resources: readonly ResourcePlan[];
  /** Names of the request variables that it reads. If there are any, each set of values has an instance of its own. */
  readonly variables: readonly string[];
  /** Whether it may run in every worker of a gateway; otherwise it runs in one of them. */
  readonly spread: boolean;
  /** Whether only one replica at a time reads its input, controlled by a lease. */
  readonly leased: boolean;
  /** The routes of its client endpoints, for the manifest and the route table. */
  readonly routes: readonly RoutePlan[];
  readonly messages: readonly MessageStepPlan[];
}

/** A cache or a rate limit, and the label under which components use it. */
export interface ResourcePlan {
  readonly label: string;
  readonly component: ComponentPlan;
  /** The labels of the resources that it uses itself; they precede it in the list. */
  readonly uses: readonly string[];
}

/** The schema of messages after a step of a stream. It becomes a type in `types.ts`. */
export interface MessageStepPlan {
  /** `input`, `processors[0].mapping`, `output`; unique within the stream. */
  readonly name: string;
  /** The name of the component: `mapping`. */
  readonly component: string;
  readonly label?: string;
  /** The source range of the component. */
  readonly span: Span;
  /** The name of the step whose messages it receives, if known. */
  readonly reads?: string;
  /** Whether the schema was declared by the user. */
  readonly isDeclared: boolean;
  /** Whether the schema says anything about the messages: it is neither empty nor a boolean. */
  readonly isKnown: boolean;
  /** JSON Schema 2020-12, self-contained. */
  readonly schema: JsonSchema;
}

/** A route of a stream. The path includes the listen path. */
export interface RoutePlan {
  readonly transport: "http" | "websocket";
  readonly verbs: readonly string[];
  readonly path: string;
  /** The name of the API's version in requests, if the API is a version. */
  readonly version?: string;
  /** The accepted callers by verb. WebSocket routes have GET. */
  readonly callers: Readonly<Record<string, CallersPlan>>;
}

/**
 * Security requirements as in OpenAPI: security schemes with the scopes that they require. A caller must satisfy all schemes of
 * one requirement; an empty requirement needs no credential.
 */
export type CallersPlan = "open" | readonly Readonly<Record<string, readonly string[]>>[];

/** Who may call an API, apart from its routes. */
export interface AccessPlan {
  /** The callers accepted on paths that no operation describes. */
  readonly callers: CallersPlan;
  /** Operations with `security` of their own; paths are below the listen path. */
  readonly operations: readonly {
    readonly verb: string;
    readonly path: string;
    readonly callers: CallersPlan;
  }[];
  /** Ids of the policies in the settings that grant access; policies of a store are not included. */
  readonly policies: readonly string[];
  /** Names of the keys in the settings that grant access; empty for a key without a name. */
  readonly keys: readonly string[];
}

/**
 * The option for `processors:` next to an input or output inside another component. No
 * schema has a field with that name.
 */
export const besideOption = "processors beside";

/** A component and its options; nested components are values among the options. */
export interface ComponentPlan {
  readonly kind: "Component";
  readonly role: ComponentRole;
  /** The component's name in documents: `http_server`. */
  readonly name: string;
  readonly origin: Origin;
  /** The label that the document gives it. */
  readonly label?: string;
  readonly options: ObjectPlan;
  /** The description of the component type. */
  readonly descriptor: Component;
  /** The runtime function that creates it from these options. */
  readonly runtime: RuntimeLink;
  /** Whether it inspects messages between its inner processors, which therefore must not be merged. */
  readonly isStepwise?: boolean;
  /** Whether the runtime receives a factory for it, because it may have to create it more than once. */
  readonly isMadeLater?: boolean;
}

/** The name of the option of a component whose value is not an object; no field can have that name. */
export const bareOption = "";

/** The value of an option. */
export type ValuePlan =
  | LiteralPlan
  | EnvironmentPlan
  | ListPlan
  | ObjectPlan
  | ComponentPlan
  | ResourceUse
  | SchemaCheckPlan
  | MappingPlan
  | MappingSequence
  | QueryPlan
  | TemplatePlan
  | JoinedTextPlan;

/** A schema that validates requests, compiled when the gateway is built. */
export interface SchemaCheckPlan {
  readonly kind: "SchemaCheck";
  /** The name in emitted code, in words: `create order body`. */
  readonly name: string;
  /**
   * JSON Schema 2020-12, self-contained, but with texts as limits of numbers. `numbers` lists the texts of those in `enum`
   * and `const`.
   */
  readonly schema: JsonSchema & object;
  /** Whether texts are converted to the numbers, booleans and lists that the schema requires. */
  readonly takesTexts: boolean;
  /** Whether it reports all errors, or only the first. */
  readonly tellsAll: boolean;
}

/** A resource of the stream, by its label. */
export interface ResourceUse {
  readonly kind: "Resource";
  readonly label: string;
}

/** A value known at compile time. Durations are milliseconds. */
export interface LiteralPlan {
  readonly kind: "Literal";
  readonly value: null | boolean | number | bigint | string;
}

/** A value read when the gateway or an instance of the stream starts. */
export interface EnvironmentPlan {
  readonly kind: "Environment";
  readonly type: "string" | "integer" | "number" | "boolean" | "duration" | "list";
  readonly parts: readonly EnvironmentPartPlan[];
  /** A constraint on the value, or on each item of a list. Checked if the value is a single variable. */
  readonly limit?: Limit | undefined;
  /** Set if the runtime splits the text at commas, so that values of requests must not contain any. */
  readonly isSplit?: true;
}

export type EnvironmentPartPlan =
  | { readonly kind: "Text"; readonly text: string }
  | { readonly kind: "Variable"; readonly name: string; readonly fallback?: Fallback; readonly span?: Span }
  | { readonly kind: "File"; readonly path: string }
  | RequestPartPlan;

/** A part that the request of a stream instance supplies; `name` includes the source: `context.headers_X_Tenant`. */
export interface RequestPartPlan {
  readonly kind: "Request";
  readonly name: string;
  /** The constraint on this part, which replaces the constraint on the whole value. */
  readonly limit?: Limit;
}

/** A text of consecutive parts, some read when the gateway starts, some computed per message. */
export interface JoinedTextPlan {
  readonly kind: "JoinedText";
  readonly parts: readonly (LiteralPlan | EnvironmentPlan | TemplatePlan)[];
  /** Present if values of messages and requests are encoded according to their position. */
  readonly encoded?: EncodedPlan;
  /** Present if the text is a pattern: the format required of each part that a message or a request supplies. */
  readonly given?: FormatName;
}

/** How the parts of a joined text are encoded. */
export interface EncodedPlan extends EncodedText {
  /** Whether a part may precede the path of an address. */
  readonly isHostOpen: boolean;
}

/** The value of a variable that is not set, read as its field's type; durations are milliseconds. */
export type Fallback = string | number | boolean | readonly string[];

export interface ListPlan {
  readonly kind: "List";
  readonly items: readonly ValuePlan[];
}

export interface ObjectPlan {
  readonly kind: "Object";
  readonly fields: readonly FieldPlan[];
}

/** `defaulted`: the field is not written, or its written value is the default. */
export interface FieldPlan {
  readonly name: string;
  readonly value: ValuePlan;
  readonly defaulted: boolean;
  /** The runtime function whose result for the value is passed in its place. */
  readonly maker?: MakerName | MethodName | HandlingName;
  /** The runtime function that is passed in place of the value. */
  readonly brings?: BroughtName | HandlingName;
  /** Functions of the runtime that other options call, which are passed in place of the value. */
  readonly library?: Readonly<Record<string, LibraryLink>>;
  /** Texts that the mapping writes out, if the runtime must distinguish them from texts of messages. */
  readonly writtenTexts?: readonly string[];
}
