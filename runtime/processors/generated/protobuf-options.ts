// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Converts Protocol Buffers messages to JSON, or JSON to Protocol Buffers.
 */
export interface ProtobufOptions {
  /**
   * `to_json` reads Protocol Buffers, `from_json` writes them.
   */
  readonly operator: "to_json" | "from_json";
  /**
   * Full name of the message type, including its package.
   */
  readonly message: string;
  /**
   * Whether `from_json` ignores fields that the message type does not have. Otherwise they are an error.
   */
  readonly discard_unknown?: boolean;
  /**
   * Whether `to_json` uses the field names of the schema. Otherwise `first_name` becomes `firstName`.
   */
  readonly use_proto_names?: boolean;
  /**
   * Whether `to_json` includes fields that are not set: zero, an empty string, an empty list, or null for a message.
   */
  readonly emit_unpopulated?: boolean;
  /**
   * Folders of `.proto` files, including their subfolders, relative to the document. They are read when the gateway is built.
   */
  readonly import_paths?: readonly string[];
  /**
   * Compiled schema instead of `import_paths`: a `FileDescriptorSet` in Base64, as created by `protoc --include_imports --descriptor_set_out`.
   */
  readonly descriptors?: string;
}

/** What the fields hold that a document leaves out. */
export const protobufDefaults = {
  discard_unknown: false,
  use_proto_names: false,
  emit_unpopulated: false
} as const satisfies Partial<ProtobufOptions>;
