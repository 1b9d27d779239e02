import { createDeclaredTypes } from "../../compiler/check/inference/declared-types.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { readApiSet } from "../../compiler/parse/document/read-api-set.ts";
import { findNode } from "../../compiler/trees/document.ts";
import { type Field, type MessageType, type Type, unknown } from "../../compiler/value-types/type.ts";

/**
 * The type of a schema in JSON. It is read as the schema of a document, in which it begins on the second line, so that
 * fields know where they were declared; references lead to `#/components/schemas/This`.
 */
export async function readSchema(text: string): Promise<Type> {
  const sink: unknown[] = [];
  const before = `{ "openapi": "3.1.0", "info": { "title": "a", "version": "1" }, "paths": {}, "x-gw-streaming": { "streams": {} }, "components": { "schemas": { "This":`;
  const fileSystem = createMemoryFileSystem({ "schema.json": `${before}\n${text}\n} } }` });
  const set = await readApiSet(["schema.json"], { fileSystem }, (...problem) => sink.push(problem));
  const [api] = set?.apis ?? [];
  const node = api === undefined ? undefined : findNode(api.root, "components", "schemas", "This");
  if (api === undefined || node === undefined || sink.length > 0)
    throw new Error(`the schema cannot be read: ${sink}`);
  return createDeclaredTypes(api).typeOf(node);
}

/** A message of a case: what its schema says, and metadata as `{ "others": true, "known": { "key": schema } }`. */
export async function readMessage(
  schema: string | undefined,
  metadata: string | undefined,
): Promise<MessageType> {
  const content = schema === undefined ? unknown : await readSchema(schema);
  if (metadata === undefined) return { content, metadata: { known: new Map(), others: true } };
  const { others, known } = JSON.parse(metadata) as { others: boolean; known: Record<string, object> };
  const fields = await Promise.all(
    Object.entries(known).map(async ([name, value]): Promise<[string, Field]> => {
      return [name, { type: await readSchema(JSON.stringify(value)), required: !("optional" in value) }];
    }),
  );
  return { content, metadata: { known: new Map(fields), others } };
}
