// Infers the messages that an input produces.

import { descriptorOf } from "../../../schemas/component.ts";
import type { MetadataSchema, Schema } from "../../../schemas/schema.ts";
import { channelsOf, computedBy, type WrittenChannel } from "../../model/channels.ts";
import { componentsOf, componentsWithin } from "../../model/components.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../trees/api.ts";
import { findField, literalText } from "../../trees/fields.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import {
  anyMessage,
  bool,
  float,
  integer,
  type MessageType,
  string,
  type Type,
  timestamp,
  unknown,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { withMetadata } from "./message.ts";

/**
 * Returns the messages of `input`, which contains no other input, with `content` as their content. `declared` are the
 * names of parameters that its operation declares.
 */
export function messageOfInput(
  input: ComponentNode,
  content: Type,
  declared: readonly string[] = [],
): MessageType {
  const { schema } = descriptorOf("input", input) ?? {};
  const parameters = parametersOf(routesOf(input));
  if (parameters.length === 0 && declared.length === 0)
    return { ...ownMessage(schema, input.config), content };
  // A request may omit the others, so their values are unknown.
  const others = declared
    .filter((name) => !parameters.includes(name))
    .map((name) => [name, unknown] as const);
  const given = parameters.map((name) => [name, string] as const);
  const known = ownMessage(schema, input.config).metadata.known;
  const types = Array.from(known, ([name, { type }]) => [name, type] as const);
  return { ...withMetadata(anyMessage, [...others, ...given, ...types]), content };
}

/** Messages with the metadata that inputs set, by the schema of the input, where no option decides it. */
const ownMessages = new WeakMap<Schema, MessageType>();

/** Returns a message with the metadata that an input adds. Most inputs of a set share one. */
function ownMessage(schema: Schema | undefined, config: FieldNode): MessageType {
  const metadata = schema?.["x-metadata"];
  if (schema === undefined || metadata === undefined) return anyMessage;
  const before = ownMessages.get(schema);
  if (before !== undefined) return before;
  const types = Object.entries(metadata).map(([name, each]) => [name, typeOfMetadata(each, config)] as const);
  const message = withMetadata(anyMessage, types);
  if (Object.values(metadata).every(({ from }) => from === undefined)) ownMessages.set(schema, message);
  return message;
}

/** Returns the paths of an input's endpoints that are known now. */
export function routesOf({ config, descriptor }: ComponentNode): readonly string[] {
  const properties = descriptor?.schema.properties ?? {};
  if (config.kind !== "Object") return [];
  return config.fields.flatMap(({ name, value }) =>
    Object.hasOwn(properties, name) && properties[name]?.["x-route"] !== undefined
      ? (literalText(value) ?? [])
      : [],
  );
}

/** Returns the parameters that all paths have; a request to another path would not set the rest. */
function parametersOf(paths: readonly string[]): readonly string[] {
  const [first = [], ...others] = paths.map((path) =>
    [...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name = ""]) => name),
  );
  return first.filter((name) => others.every((names) => names.includes(name)));
}

const typesByName: Readonly<Record<MetadataSchema["type"], Type>> = {
  string,
  integer,
  number: unionOf([integer, float]),
  boolean: bool,
  timestamp,
  unknown,
};

function typeOfMetadata(schema: MetadataSchema, config: FieldNode): Type {
  const { type, from, before = "", enum: texts } = schema;
  if (texts !== undefined) return unionOf(texts.map((value) => ({ kind: "String", value })));
  if (from === undefined) return typesByName[type];
  const values = textsOf(findField(config, from));
  // A pattern or an environment value may produce any text.
  if (values === undefined || values.some((value) => /[*+#>\\^$[\](){}|?]/.test(value)))
    return typesByName[type];
  const shown = before === "" ? values : values.map((value) => value.split(before, 1).join());
  return unionOf(shown.map((value) => ({ kind: "String", value })));
}

/** Returns the texts of a field with one or several texts; `undefined` if not all of them are known now. */
function textsOf(field: FieldNode | undefined): readonly string[] | undefined {
  if (field?.kind === "Literal")
    return typeof field.value === "string" ? field.value.split(/ *, */) : undefined;
  if (field?.kind !== "List") return undefined;
  const texts = field.items.map(textsOf);
  return texts.some((each) => each === undefined) ? undefined : texts.flatMap((each) => each ?? []);
}

/** A stream and the content of the messages that its outputs write to channels. */
export interface WritingStream {
  readonly stream: StreamNode;
  /** The output of dead letters, if there is one. */
  readonly deadLetter: ComponentNode | undefined;
  /** `undefined` if they were not followed. */
  readonly written: ReadonlyMap<ComponentNode, Type> | undefined;
}

/** What streams write to the channels that an input reads. */
export interface ReadContent {
  /** The names of the channels. */
  readonly channels: readonly string[];
  readonly types: readonly Type[];
}

/**
 * Returns a function that finds what streams write to the channels of an input; `undefined` if some of it is not known,
 * or is not an object with known fields only.
 */
export function createReadContents(
  writers: readonly WritingStream[],
): (input: ComponentNode) => ReadContent | undefined {
  let known: ReturnType<typeof contentsOf> | undefined;
  return (input) => {
    const read = channelsAt(input);
    if (read.length === 0) return undefined;
    known ??= contentsOf(writers);
    const { written, computed } = known;
    const types = read.flatMap(({ key }) => [...(written.get(key) ?? [unknown])]);
    const isKnown =
      read.every(({ broker }) => broker === undefined || !computed.has(broker)) && types.every(isClosed);
    return isKnown ? { channels: read.map(({ address }) => address), types } : undefined;
  };
}

/** Returns what streams write to each channel, and the brokers with channels whose names depend on messages. */
function contentsOf(writers: readonly WritingStream[]) {
  const written = new Map<string, Set<Type>>();
  const computed = new Set<string>();
  for (const { stream, deadLetter, written: known } of writers) {
    for (const { broker } of computedBy(stream)) computed.add(broker);
    const letters = deadLetter === undefined ? [] : componentsWithin(deadLetter);
    for (const output of new Set([...componentsOf(stream), ...letters])) {
      if (output.role !== "output") continue;
      for (const { key } of channelsAt(output)) {
        const types = written.get(key) ?? new Set();
        written.set(key, types.add(known?.get(output) ?? unknown));
      }
    }
  }
  return { written, computed };
}

/** A channel at a broker, or one between streams of the process. */
type Readable = Pick<WrittenChannel, "key" | "address"> & Partial<WrittenChannel>;

/** Returns the channels of a component at a broker, or between streams of the process. */
function channelsAt(component: ComponentNode): readonly Readable[] {
  const name = component.descriptor?.isChannel === true ? literalText(component.config) : undefined;
  return name === undefined ? channelsOf(component) : [{ key: `${component.name} ${name}`, address: name }];
}

function isClosed(type: Type): boolean {
  const alternatives = alternativesOf(type);
  return (
    alternatives.length > 0 &&
    alternatives.every((each) => each.kind === "Object" && each.rest === undefined && each.fields.size > 0)
  );
}

/** Returns the reply to a request: the message with the status of the reply, and the declared content. */
export function replyMessage(message: MessageType, content: Type = unknown): MessageType {
  return { ...withMetadata(message, [["http_status_code", integer]]), content };
}
