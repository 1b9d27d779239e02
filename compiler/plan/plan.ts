// The one intermediate form: what a gateway runs, resolved and with defaults filled in, and where each
// part was written. It says nothing of how the emitted program spells it.

import type { Component, RuntimeLink } from "../../schemas/component.ts";
import type { FormatName } from "../../schemas/formats/formats.ts";
import type { Limit } from "../../schemas/limits.ts";
import type { BroughtName, Encoding, MakerName } from "../../schemas/schema.ts";
import type { Span } from "../source/source.ts";
import type { ComponentRole, EncodedText } from "../trees/api.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";
import type { MappingPlan, MappingSequence, QueryPlan, TemplatePlan } from "./mapping/ir.ts";

export type { BroughtName, Encoding, MakerName, RuntimeLink };

/** A whole gateway. */
export interface Plan {
  readonly settings: SettingsPlan;
  readonly apis: readonly ApiPlan[];
}

/** What belongs to the process, from `gateway.yaml`. */
export interface SettingsPlan {
  readonly streaming: boolean;
  readonly listen?: ValuePlan;
  readonly adminListen?: ValuePlan;
  /** `listen.tls`, as written. */
  readonly tls?: ObjectPlan;
  readonly trustedProxies?: ValuePlan;
  /** The keys of `limits` that were written. */
  readonly limits?: ObjectPlan;
  /** Where requests are counted; absent where none are. */
  readonly counters?: ObjectPlan;
  /** Where leases are kept; absent where none are. */
  readonly leases?: ObjectPlan;
  /** `policies` and `keys`, where an API asks who calls. */
  readonly keys?: ObjectPlan;
  /** The clients that get tokens of the gateway's own, and how; absent where there are none. */
  readonly oauth?: ObjectPlan;
  /** Where records are kept that change while the gateway runs; absent where nothing is. */
  readonly store?: StorePlan;
  /** The `portal` block, where it is enabled. */
  readonly portal?: ObjectPlan;
  readonly analytics: AnalyticsPlan;
}

/** The store of a gateway. */
export interface StorePlan {
  /** As written; without one the environment has to say. */
  readonly address?: ValuePlan;
}

/** What counts and records in a gateway; with none of both it carries nothing of it. */
export interface AnalyticsPlan {
  /** In the order of the schema. */
  readonly exporters: readonly ExporterPlan[];
  /** Whether any API may have a line in the log for each attempt to connect. */
  readonly logged: boolean;
}

/** Exporters by their name in `gateway.yaml`. */
export type ExporterName = "prometheus" | "opentelemetry" | "statsd";

/** Where numbers go. */
export interface ExporterPlan {
  readonly name: ExporterName;
  readonly origin: Origin;
  readonly options: ObjectPlan;
}

/** One API, mounted below its listen path. */
export interface ApiPlan {
  readonly id: string;
  readonly name?: string;
  /** Path of the document, as people see it. */
  readonly file: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  /** Whether each attempt to connect has a line in the log. */
  readonly logged: boolean;
  /** The only host name it is served under; any where there is none. */
  readonly host?: ValuePlan;
  /** Whether requests only get to it as a version of another API. */
  readonly internal?: boolean;
  readonly versions?: VersionsPlan;
  /** Its `upstream` block, where it names an address. */
  readonly upstream?: ObjectPlan;
  /** Where its address is written; present with it. */
  readonly upstreamOrigin?: Origin;
  /** Which pages of other origins may call it, as written. */
  readonly cors?: ObjectPlan;
  /** What requests pass before its streams and its upstream see them, in the order of the chain. */
  readonly protections: readonly ProtectionPlan[];
  readonly access: AccessPlan;
  readonly streams: readonly StreamPlan[];
}

/** The versions of an API, itself among them, and where requests name theirs. */
export interface VersionsPlan {
  readonly location: "url" | "header" | "url-param";
  readonly origin: Origin;
  readonly options: ObjectPlan;
}

/** Protections by the name of the function that makes them. */
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

/** Functions that `error_handling` brings along. */
export type HandlingName = "dead-letters" | "failure-samples" | "repeated-delivery";

/** Ways to prove who one is, by the name of the function that makes them. */
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

/** Where a part was written: for people to read in emitted code. */
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
  /** Batches among its processors at a time; absent where that is not bounded. */
  readonly threads?: number;
  readonly output: ComponentPlan;
  readonly errorHandling?: ObjectPlan;
  /** What its components share. */
  readonly resources: readonly ResourcePlan[];
  /** Names of the request's variables it reads; with any, each set of values has an instance of its own. */
  readonly variables: readonly string[];
  /** Whether it may run in every worker of a gateway; any other runs in one of them. */
  readonly spread: boolean;
  /** Whether one replica at a time reads its input, by a lease. */
  readonly leased: boolean;
  /** What its client endpoints serve, for the manifest and the route table. */
  readonly routes: readonly RoutePlan[];
  readonly messages: readonly MessageStepPlan[];
}

/** A cache or a rate limit, and what components call it. */
export interface ResourcePlan {
  readonly label: string;
  readonly component: ComponentPlan;
  /** The labels of the resources that it uses itself, which stand before it. */
  readonly uses: readonly string[];
}

/** What messages look like behind a step of a stream; becomes a type in `types.ts`. */
export interface MessageStepPlan {
  /** `input`, `processors[0].mapping`, `output`; unique within the stream. */
  readonly name: string;
  /** The name of the component: `mapping`. */
  readonly component: string;
  readonly label?: string;
  /** Where the component stands. */
  readonly span: Span;
  /** The name of the step whose messages come to it, where that is known. */
  readonly reads?: string;
  /** Whether a person wrote the schema. */
  readonly isDeclared: boolean;
  /** JSON Schema 2020-12, self-contained. */
  readonly schema: JsonSchema;
}

/** A route of a stream, its path including the listen path it is found below. */
export interface RoutePlan {
  readonly transport: "http" | "websocket";
  readonly verbs: readonly string[];
  readonly path: string;
  /** What requests call its API there, where that is a version. */
  readonly version?: string;
  /** By verb; that of sockets is GET. */
  readonly callers: Readonly<Record<string, CallersPlan>>;
}

/**
 * Security requirements as OpenAPI writes them, security schemes with the scopes that they ask for: each lets a caller in that
 * satisfies all of it, and an empty one needs no credential.
 */
export type CallersPlan = "open" | readonly Readonly<Record<string, readonly string[]>>[];

/** Who may call an API, beside its routes. */
export interface AccessPlan {
  /** On paths that no operation describes. */
  readonly callers: CallersPlan;
  /** Operations with `security` of their own; paths are below the listen path. */
  readonly operations: readonly {
    readonly verb: string;
    readonly path: string;
    readonly callers: CallersPlan;
  }[];
  /** Ids of the policies of the settings that open it; those of a store come besides. */
  readonly policies: readonly string[];
  /** Names of the keys of the settings that open it; empty for one that has none. */
  readonly keys: readonly string[];
}

/**
 * The option that holds what stands as `processors:` beside an input or output inside another component; no
 * schema has a field of that name.
 */
export const besideOption = "processors beside";

/** A component and its options; nested components are values among the options. */
export interface ComponentPlan {
  readonly kind: "Component";
  readonly role: ComponentRole;
  /** The component's name in documents: `http_server`. */
  readonly name: string;
  readonly origin: Origin;
  /** What people call it. */
  readonly label?: string;
  readonly options: ObjectPlan;
  /** What is known of the component. */
  readonly descriptor: Component;
  /** The function that makes it of these options. */
  readonly runtime: RuntimeLink;
  /** It looks at messages between the processors inside it, which therefore stay apart. */
  readonly isStepwise?: boolean;
  /** The runtime is given how to make it, as it may have to be made more than once. */
  readonly isMadeLater?: boolean;
}

/** What the only option of a component is called whose value is not an object; no field can have that name. */
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
  /** What it is called in emitted code, in words: `create order body`. */
  readonly name: string;
  /** JSON Schema 2020-12, self-contained. */
  readonly schema: JsonSchema & object;
  /** Texts count as the numbers, truth values and lists that the schema asks for. */
  readonly takesTexts: boolean;
  /** Whether it tells all that is wrong, or stops at the first of it. */
  readonly tellsAll: boolean;
}

/** A resource of the stream, by its label. */
export interface ResourceUse {
  readonly kind: "Resource";
  readonly label: string;
}

/** A value known now. Durations are milliseconds. */
export interface LiteralPlan {
  readonly kind: "Literal";
  readonly value: null | boolean | number | bigint | string;
}

/** A value read when the gateway starts, or when an instance of the stream does. */
export interface EnvironmentPlan {
  readonly kind: "Environment";
  readonly type: "string" | "integer" | "number" | "boolean" | "duration" | "list";
  readonly parts: readonly EnvironmentPartPlan[];
  /** What the value, or each item of a list, has to meet besides; looked at where it is one variable. */
  readonly limit?: Limit | undefined;
  /** The runtime splits the text at commas, so that no request may give one. */
  readonly isSplit?: true;
}

export type EnvironmentPartPlan =
  | { readonly kind: "Text"; readonly text: string }
  | { readonly kind: "Variable"; readonly name: string; readonly fallback?: Fallback; readonly span?: Span }
  | { readonly kind: "File"; readonly path: string }
  | RequestPartPlan;

/** Filled by the request a stream instance is made for; `name` with its source: `context.headers_X_Tenant`. */
export interface RequestPartPlan {
  readonly kind: "Request";
  readonly name: string;
  /** What it has to be in place of what the whole value has to be. */
  readonly limit?: Limit;
}

/** Text whose parts follow each other, some read when the gateway starts, some computed per message. */
export interface JoinedTextPlan {
  readonly kind: "JoinedText";
  readonly parts: readonly (LiteralPlan | EnvironmentPlan | TemplatePlan)[];
  /** Present where values of messages and requests are encoded by their position. */
  readonly encoded?: EncodedPlan;
  /** Present where the text is a pattern: what each part has to be that a message or a request gives. */
  readonly given?: FormatName;
}

/** How the parts of a joined text are encoded. */
export interface EncodedPlan extends EncodedText {
  /** In an address: a part may stand in front of the path. */
  readonly isHostOpen: boolean;
}

/** What stands in for a variable that is not set, read as its field's type; durations in milliseconds. */
export type Fallback = string | number | boolean | readonly string[];

export interface ListPlan {
  readonly kind: "List";
  readonly items: readonly ValuePlan[];
}

export interface ObjectPlan {
  readonly kind: "Object";
  readonly fields: readonly FieldPlan[];
}

/** `defaulted`: it was not written, or what was written is the default. */
export interface FieldPlan {
  readonly name: string;
  readonly value: ValuePlan;
  readonly defaulted: boolean;
  /** The runtime is given what this function of its own makes of the value. */
  readonly maker?: MakerName | MethodName | HandlingName;
  /** The runtime is given this function of its own in place of the value. */
  readonly brings?: BroughtName | HandlingName;
  /** Texts that the mapping writes out, where the runtime has to tell them from those that messages give. */
  readonly writtenTexts?: readonly string[];
}
