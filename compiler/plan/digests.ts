// What of a stream behaves alike in two plans, as digests: a gateway that gets a new version leaves alone what has equal ones.
// The texts they are made of are equal only for what does the same, wherever in a file it was written. They say nothing of the
// runtime, which has a digest of its own.

import { createHash } from "node:crypto";
import { posix } from "node:path";
import { servesClients } from "../../schemas/component.ts";
import { InternalError } from "../diagnostics/invariant.ts";
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
 * The text of any part of a plan. Places in files are left out, but for what of them a gateway sees: the folder that a
 * script reads files from, and, where processors name themselves (`namesSources`), their paths and labels.
 */
function canonicalText(part: unknown, { namesSources }: { readonly namesSources: boolean }): string {
  return write(part, { bound: new Map(), namesSources });
}

interface Writing {
  /** Variables and values bound by the plan, distinguished by identity, in the order met. */
  readonly bound: Map<object, number>;
  readonly namesSources: boolean;
}

/** Where something was written, and whether it was. */
const places = new Set(["span", "defaulted"]);

/** What components are called. */
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
    // Of what is known of a component, the runtime is given the function that makes it.
    (name === "descriptor" && kindOf(value) === "Component") ||
    (names.has(name) && !namesSources && kindOf(value) === "Component");
  const fields = Object.entries(value)
    .filter(([name, field]) => field !== undefined && !isUnseen(name))
    .map(([name, field]) => `${JSON.stringify(name)}:${writeField(name, field, value, writing)}`);
  return `{${[...fields, ...seenOfPlace(value)].join(",")}}`;
}

function writeField(name: string, field: unknown, owner: object, writing: Writing): string {
  if (name === "origin" && isRecord(field)) return write(field.path, writing);
  // What the compiler knows of a builtin has functions; the runtime is given by its own digest.
  if (name === "builtin" && isCall(owner)) return write(textOfBuiltin(owner.builtin), writing);
  if (name === "runtime" && isComponentPlan(owner) && owner.runtime.source !== undefined)
    return write(textOfLink(owner.runtime), writing);
  // Options are known by their names: in which order they were written, and which of them, makes no difference.
  if (name === "fields" && isObjectPlan(owner)) return write(sorted(owner.fields), writing);
  // A schema is the document's own data, whose keys may be called as ours are.
  if (name === "schema" && kindOf(owner) === "SchemaCheck") return JSON.stringify(field);
  return write(field, writing);
}

/** Which function a builtin is; of another package, also which of its versions. */
function textOfBuiltin({ link, module, symbol }: PlannedCall["builtin"]): string {
  return link === undefined ? `${module} ${symbol}` : textOfLink(link);
}

function textOfLink({ module, symbol, source }: RuntimeLink): string {
  return [source?.package, source?.digest, module, symbol].join(" ");
}

/** What emission reads off places. */
function seenOfPlace(value: object): readonly string[] {
  if (isCall(value) && value.builtin.needs === "folder")
    return [`"folder":${JSON.stringify(posix.dirname(value.span.source.file.path))}`];
  // `-a` is planned as `0 - a`, at one place.
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
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

/** Hex sha256. Equal digests mean equal behaviour; lines that move change none. */
export interface StreamDigests {
  readonly input: string;
  /** Of the processors, and of what becomes of messages that fail. */
  readonly pipeline: string;
  readonly output: string;
  /** Of what its components share. */
  readonly resources: string;
  /** Of the output's endpoints as clients see them: transport, path, verbs, format. */
  readonly shape: string;
}

/** The digests of each stream, by name. */
export function streamDigests(api: ApiPlan): ReadonlyMap<string, StreamDigests> {
  return new Map(api.streams.map((stream) => [stream.name, digestsOf(stream, api)]));
}

function digestsOf(stream: StreamPlan, { listenPath, host }: ApiPlan): StreamDigests {
  const { input, pipeline, output, errorHandling, threads, resources } = stream;
  // Instances are made for the variables that any part reads, and processors name themselves when any script asks.
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

/** What clients see of an endpoint; all else of it concerns the next message, not the connection. */
const seenByClients: ReadonlySet<string> = new Set([
  ...["path", "stream_path", "ws_path", "allowed_verbs"],
  ...["stream_format", "ws_message_type", "message_type", "ack", "distribution"],
]);

/** The endpoints of an output, in the order written. */
function endpointsIn(output: ComponentPlan) {
  return [...valuesWithin(output)].filter(isEndpoint).map(({ name, options }) => ({
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
