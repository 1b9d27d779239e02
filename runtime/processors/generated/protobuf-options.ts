// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Turns messages of Protocol Buffers into JSON, or JSON into Protocol Buffers.
 */
export interface ProtobufOptions {
  /**
   * `to_json` reads Protocol Buffers, `from_json` writes them.
   */
  readonly operator: "to_json" | "from_json";
  /**
   * Full name of the message, with its package.
   */
  readonly message: string;
  /**
   * Whether `from_json` leaves out fields that the message does not have; otherwise they are an error.
   */
  readonly discard_unknown?: boolean;
  /**
   * Whether `to_json` names fields as the schema does; otherwise `first_name` becomes `firstName`.
   */
  readonly use_proto_names?: boolean;
  /**
   * Whether `to_json` gives fields that are not set as well: zero, an empty text, an empty list, or null for a message.
   */
  readonly emit_unpopulated?: boolean;
  /**
   * Folders of `.proto` files, with what lies below them, relative to the document. They are read when the gateway is built.
   */
  readonly import_paths?: readonly string[];
  /**
   * A compiled schema in place of `import_paths`: a `FileDescriptorSet`, as `protoc --include_imports --descriptor_set_out` writes it, in Base64.
   */
  readonly descriptors?: string;
}

/** What the fields hold that a document leaves out. */
export const protobufDefaults = {
  discard_unknown: false,
  use_proto_names: false,
  emit_unpopulated: false
} as const satisfies Partial<ProtobufOptions>;
