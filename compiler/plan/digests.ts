// Digests of the parts of a stream that determine its behaviour. When a gateway gets a new version, it keeps the parts whose
// digests are equal. Two parts have the same digest only if they do the same, wherever in a file they were written. The
// runtime is not part of the digests; it has a digest of its own.

import { createHash } from "node:crypto";
import { posix } from "node:path";
import { servesClients } from "../../schemas/component.ts";
import { InternalError } from "../diagnostics/invariant.ts";
import { isRecord } from "../value-types/records.ts";
import { asksForSource } from "./failure-sources.ts";
import type { Calculate, Local, PlannedCall, Slot } from "./mapping/ir.ts";
import type {
  ApiPlan,
  ComponentPlan,
  FieldPlan,
  ObjectPlan,
  RuntimeLink,
  StreamPlan,
  ValuePlan,
} from "./plan.ts";
import { valuesWithin } from "./values.ts";

/**
 * Returns the canonical text of a part of a plan. Source locations are left out, except what the gateway sees of them: the
 * folder from which a script reads files and, if processors report their names (`namesSources`), their paths and labels.
 */
function canonicalText(part: unknown, { namesSources }: { readonly namesSources: boolean }): string {
  return write(part, { bound: new Map(), namesSources });
}

interface Writing {
  /** Variables and values bound by the plan, distinguished by identity and numbered in order of appearance. */
  readonly bound: Map<object, number>;
  readonly namesSources: boolean;
}

/** Fields that say where a value was written, and whether it was written at all. */
const places = new Set(["span", "defaulted"]);

/** Fields that name a component. */
const names = new Set(["origin", "label"]);

function write(value: unknown, writing: Writing): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "boolean":
    case "undefined":
      return String(value);
    case "object":
      return value === null ? "null" : writeObject(value, writing);
    default:
      throw new InternalError(`a plan is data, not a ${typeof value} (compiler bug, please report)`);
  }
}

function writeObject(value: object, writing: Writing): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, writing)).join(",")}]`;
  if (value instanceof Map) return `Map${write([...value], writing)}`;
  const { bound, namesSources } = writing;
  const number = bound.get(value);
  if (number !== undefined) return `#${number}`;
  if (isBound(value)) bound.set(value, bound.size);
  const isUnseen = (name: string) =>
    places.has(name) ||
    // The runtime receives only the function of a descriptor that creates the component.
    (name === "descriptor" && kindOf(value) === "Component") ||
    (names.has(name) && !namesSources && kindOf(value) === "Component");
  const fields = Object.entries(value)
    .filter(([name, field]) => field !== undefined && !isUnseen(name))
    .map(([name, field]) => `${JSON.stringify(name)}:${writeField(name, field, value, writing)}`);
  return `{${[...fields, ...seenOfPlace(value)].join(",")}}`;
}

function writeField(name: string, field: unknown, owner: object, writing: Writing): string {
  if (name === "origin" && isRecord(field)) return write(field.path, writing);
  // The compiler's description of a builtin contains functions; the runtime has a digest of its own.
  if (name === "builtin" && isCall(owner)) return write(textOfBuiltin(owner.builtin), writing);
  if (name === "runtime" && isComponentPlan(owner) && owner.runtime.source !== undefined)
    return write(textOfLink(owner.runtime), writing);
  // Options are identified by name: neither their order nor whether they were written makes a difference.
  if (name === "fields" && isObjectPlan(owner)) return write(sorted(owner.fields), writing);
  // A schema is the document's own data: its keys may have the same names as the fields of the plan.
  if (name === "schema" && kindOf(owner) === "SchemaCheck") return JSON.stringify(field);
  return write(field, writing);
}

/** Returns the identity of a builtin's function; for a builtin of another package, including the version of the package. */
function textOfBuiltin({ link, module, symbol }: PlannedCall["builtin"]): string {
  return link === undefined ? `${module} ${symbol}` : textOfLink(link);
}

function textOfLink({ module, symbol, source }: RuntimeLink): string {
  return [source?.package, source?.digest, module, symbol].join(" ");
}

/** Returns the parts of a source location that emission reads. */
function seenOfPlace(value: object): readonly string[] {
  if (isCall(value) && value.builtin.needs === "folder")
    return [`"folder":${JSON.stringify(posix.dirname(value.span.source.file.path))}`];
  // `-a` is planned as `0 - a`, with the same source range for both.
  if (isCalculate(value) && value.left.span === value.span) return ['"negation":true'];
  return [];
}

function sorted(fields: readonly FieldPlan[]): readonly FieldPlan[] {
  return fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isObjectPlan(value: object): value is ObjectPlan {
  return kindOf(value) === "Object";
}

function isComponentPlan(value: object): value is ComponentPlan {
  return kindOf(value) === "Component";
}

function kindOf(value: object): unknown {
  return "kind" in value ? value.kind : undefined;
}

function isBound(value: object): value is Slot | Local {
  return kindOf(value) === "Slot" || kindOf(value) === "Local";
}

function isCall(value: object): value is PlannedCall {
  return kindOf(value) === "Call";
}

function isCalculate(value: object): value is Calculate {
  return kindOf(value) === "Calculate";
}

/** SHA-256 digests in hexadecimal. Equal digests mean equal behaviour; moving lines in a file changes none of them. */
export interface StreamDigests {
  readonly input: string;
  /** Digest of the processors and of the error handling. */
  readonly pipeline: string;
  readonly output: string;
  /** Digest of the resources that the components share. */
  readonly resources: string;
  /** Digest of the output's endpoints as clients see them: transport, path, verbs, format. */
  readonly shape: string;
}

/** Returns the digests of each stream, by name. */
export function streamDigests(api: ApiPlan): ReadonlyMap<string, StreamDigests> {
  return new Map(api.streams.map((stream) => [stream.name, digestsOf(stream, api)]));
}

function digestsOf(stream: StreamPlan, { listenPath, host }: ApiPlan): StreamDigests {
  const { input, pipeline, output, errorHandling, threads, resources } = stream;
  // An instance exists for each set of variables that any part reads, and processors report their names if any script asks.
  const namesSources = asksForSource(stream);
  const common = { variables: stream.variables, namesSources, spread: stream.spread };
  const reading = stream.leased ? { leased: true } : {};
  const digestOf = (part: unknown) =>
    createHash("sha256").update(canonicalText(part, { namesSources })).digest("hex");
  return {
    input: digestOf({ input, ...common, ...reading }),
    pipeline: digestOf({ pipeline, threads, errorHandling, ...common }),
    output: digestOf({ output, ...common }),
    resources: digestOf(resources),
    shape: digestOf({ listenPath, host, variables: stream.variables, endpoints: endpointsIn(output) }),
  };
}

/** The options of an endpoint that clients see. All other options affect the next message, not the connection. */
const seenByClients: ReadonlySet<string> = new Set([
  ...["path", "stream_path", "ws_path", "allowed_verbs"],
  ...["stream_format", "ws_message_type", "message_type", "ack", "distribution"],
]);

/** Returns the endpoints of an output, in the order written. */
function endpointsIn(output: ComponentPlan) {
  return valuesWithin(output)
    .filter(isEndpoint)
    .map(({ name, options }) => ({
      name,
      options: options.fields
        .filter((field) => seenByClients.has(field.name))
        .map(({ name: option, value }) => [option, value])
        .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
    }));
}

function isEndpoint(value: ValuePlan): value is ComponentPlan {
  const component = value.kind === "Component" ? value.descriptor : undefined;
  return component !== undefined && servesClients(component);
}
