// The messages of an API, each once, and the schemas they share.

import type { Json } from "../trees/document.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";
import { type AsyncApiReference, type Components, type MessageDescription, referTo } from "./document.ts";
import { createKeys } from "./keys.ts";
import { toSchemaObject } from "./schema-object.ts";

/** Collects what operations send and receive. */
export interface Messages {
  /** A message of the document with that content; `true` is content that nothing is known of. */
  add(
    title: string,
    schema: JsonSchema,
    bindings?: Json,
  ): { readonly key: string; readonly reference: AsyncApiReference };
  /** Everything added so far. */
  components(): Pick<Components, "messages" | "schemas">;
}

/** An empty collection. */
export function createMessages(): Messages {
  const claimMessage = createKeys();
  const claimSchema = createKeys();
  const messages = new Map<string, MessageDescription>();
  const schemas = new Map<string, JsonSchema>();
  /** Keys of definitions by their name and content: streams share most of them. */
  const known = new Map<string, string>();

  /** Moves the definitions of a schema to the document's, and gives what references to them become. */
  function adopt(definitions: Readonly<Record<string, JsonSchema>>): (reference: string) => string {
    const reach = createReach(definitions);
    const keys = new Map<string, string>();
    const fresh: string[] = [];
    for (const name of Object.keys(definitions)) {
      // What a definition means depends on those it refers to, so that only equal families are one.
      const identity = JSON.stringify([
        name,
        [...reach(name)].sort().map((each) => [each, definitions[each]]),
      ]);
      const key = known.get(identity) ?? claimSchema(name, "Schema");
      if (!known.has(identity)) fresh.push(name);
      known.set(identity, key);
      keys.set(name, key);
    }
    const rename = (reference: string) => {
      const name = reference.replace(/^#\/\$defs\//, "");
      return referTo("components", "schemas", keys.get(name) ?? name).$ref;
    };
    for (const name of fresh) {
      schemas.set(keys.get(name) ?? name, asObject(toSchemaObject(definitions[name] ?? true, rename)));
    }
    return rename;
  }

  return {
    add(title, schema, bindings) {
      const key = claimMessage(title, "message");
      const definitions = typeof schema === "boolean" ? {} : asDefinitions(schema.$defs);
      const payload = toSchemaObject(schema, adopt(definitions));
      const described = { name: key, title, ...describeContent(payload) };
      messages.set(key, bindings === undefined ? described : { ...described, bindings });
      return { key, reference: referTo("components", "messages", key) };
    },
    components: () => ({
      ...(messages.size > 0 && { messages: Object.fromEntries(messages) }),
      ...(schemas.size > 0 && { schemas: Object.fromEntries(schemas) }),
    }),
  };
}

/** The definitions that one refers to, directly and through others, itself among them. */
function createReach(
  definitions: Readonly<Record<string, JsonSchema>>,
): (name: string) => ReadonlySet<string> {
  const referredTo = new Map(
    Object.entries(definitions).map(([name, schema]) => [name, [...referencesIn(schema)]]),
  );
  return (name) => {
    const reached = new Set<string>();
    for (const pending = [name]; pending.length > 0; ) {
      const at = pending.pop() ?? name;
      if (!reached.has(at)) pending.push(...(referredTo.get(at) ?? []));
      reached.add(at);
    }
    return reached;
  };
}

function* referencesIn(value: unknown): Iterable<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (key === "$ref" && typeof each === "string") yield each.replace(/^#\/\$defs\//, "");
    else yield* referencesIn(each);
  }
}

/** Texts and bytes are sent as they are; all else is JSON. */
function describeContent(payload: JsonSchema): Pick<MessageDescription, "contentType" | "payload"> {
  if (payload === true) return {};
  if (typeof payload === "boolean" || payload.type !== "string") {
    return { contentType: "application/json", payload };
  }
  const { contentEncoding, ...text } = payload;
  // Only inside of JSON do bytes need an encoding.
  return contentEncoding === undefined
    ? { contentType: "text/plain", payload }
    : { contentType: "application/octet-stream", payload: text };
}

/** Tools take no boolean where AsyncAPI has a schema by name. */
function asObject(schema: JsonSchema): JsonSchema {
  if (typeof schema !== "boolean") return schema;
  return schema ? {} : { not: {} };
}

/** `$defs` of a schema that stands on its own are schemas. */
function asDefinitions(value: unknown): Readonly<Record<string, JsonSchema>> {
  return typeof value === "object" && value !== null ? (value as Record<string, JsonSchema>) : {};
}
