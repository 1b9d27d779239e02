// The messages that a schema describes, by their names.

import { createFileRegistry, type DescMessage, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** A message of a schema, and what else the schema has: what `google.protobuf.Any` may hold. */
export interface ProtoSchema {
  readonly message: DescMessage;
  readonly registry: FileRegistry;
}

/** Finds a message by its full name in the bytes of a `FileDescriptorSet`. Throws an `Error` where it is not there. */
export function findProtoMessage(descriptors: Uint8Array, name: string): ProtoSchema {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors));
  const message = registry.getMessage(name);
  if (message === undefined) throw new Error(`there is no message \`${name}\` in the schema`);
  return { message, registry };
}
