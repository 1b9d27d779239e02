// Infers the messages that an input produces.

import { descriptorOf } from "../../../schemas/component.ts";
import type { MetadataSchema } from "../../../schemas/schema.ts";
import type { ComponentNode, FieldNode } from "../../trees/api.ts";
import { findField, literalText } from "../../trees/fields.ts";
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
  const schemas = schema?.["x-metadata"] ?? {};
  const known = Object.entries(schemas).map(
    ([name, schema]) => [name, typeOfMetadata(schema, input.config)] as const,
  );
  const parameters = parametersOf(routesOf(input));
  // A request may omit the others, so their values are unknown.
  const others = declared
    .filter((name) => !parameters.includes(name))
    .map((name) => [name, unknown] as const);
  const given = parameters.map((name) => [name, string] as const);
  return { ...withMetadata(anyMessage, [...others, ...given, ...known]), content };
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
};

function typeOfMetadata({ type, from, before = "" }: MetadataSchema, config: FieldNode): Type {
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

/** Returns the reply to a request: the message with the status of the reply, and the declared content. */
export function replyMessage(message: MessageType, content: Type = unknown): MessageType {
  return { ...withMetadata(message, [["http_status_code", integer]]), content };
}
