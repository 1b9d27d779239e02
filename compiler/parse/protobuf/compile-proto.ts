// Files of Protocol Buffers in, descriptors of their messages out, so that a gateway reads no file and carries no parser.

import { create, toBinary } from "@bufbuild/protobuf";
import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import {
  FileDescriptorSetSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";
import protobuf from "protobufjs";
import descriptorTypes from "protobufjs/google/protobuf/descriptor.json" with { type: "json" };
import { describeFile } from "./describe-file.ts";

/** A `.proto` file. */
export interface ProtoFile {
  /** The path that other files import it by. */
  readonly name: string;
  readonly text: string;
}

/** Why files cannot be used; `file` is the name of the one it is about, where that is known. */
export class ProtoError extends Error {
  readonly file: string | undefined;

  constructor(message: string, file?: string) {
    super(message);
    this.file = file;
  }
}

/** Files that need not be there to be imported. */
const wellKnown = new Map(
  [
    file_google_protobuf_any,
    file_google_protobuf_duration,
    file_google_protobuf_empty,
    file_google_protobuf_field_mask,
    file_google_protobuf_struct,
    file_google_protobuf_timestamp,
    file_google_protobuf_wrappers,
  ].map(({ proto }) => [proto.name, proto]),
);
/** The types that options are declared with. No message is made of them. */
const ofOptions = "google/protobuf/descriptor.proto";

/** The bytes of a `FileDescriptorSet` of all files and of what they import. Throws a {@link ProtoError}. */
export function compileProto(files: readonly ProtoFile[]): Uint8Array {
  const names = new Set(files.map(({ name }) => name));
  const root = new protobuf.Root();
  const imports = new Map<string, readonly string[]>();
  for (const file of files) imports.set(file.name, parseFile(file, root));
  for (const [file, imported] of imports) {
    const missing = imported.find((name) => !names.has(name) && !wellKnown.has(name) && name !== ofOptions);
    if (missing !== undefined) throw new ProtoError(`it imports \`${missing}\`, which is not there`, file);
  }
  const used = new Set([...imports.values()].flat().filter((name) => !names.has(name)));
  for (const name of used) addWellKnown(name, root);
  resolveTypes(root);
  const described = files.map(({ name }) => describeFile(name, imports.get(name) ?? [], root));
  const standard = [...used].flatMap((name) => wellKnown.get(name) ?? []);
  return toBinary(
    FileDescriptorSetSchema,
    create(FileDescriptorSetSchema, { file: ordered([...standard, ...described]) }),
  );
}

/** The parser notes this name at each type; its types do not tell so. */
function nameParsed(name: string | null): void {
  Object.assign(protobuf.parse, { filename: name });
}

/** Adds the types of a file to `root`; gives what it imports. */
function parseFile({ name, text }: ProtoFile, root: protobuf.Root): readonly string[] {
  nameParsed(name);
  try {
    const { imports = [], weakImports = [] } = protobuf.parse(text, root, { keepCase: true });
    return [...imports, ...weakImports];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ProtoError(error.message.replace(`(${name}, line `, "(line "), name);
  } finally {
    nameParsed(null);
  }
}

function addWellKnown(name: string, root: protobuf.Root): void {
  const types: protobuf.INamespace | null = name === ofOptions ? descriptorTypes : protobuf.common.get(name);
  if (types?.nested !== undefined) root.addJSON(types.nested);
}

function resolveTypes(root: protobuf.Root): void {
  try {
    root.resolveAll();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ProtoError(error.message);
  }
}

/** Each file behind those it imports. */
function ordered(files: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const done = new Set<FileDescriptorProto>();
  const visit = (file: FileDescriptorProto, above: readonly FileDescriptorProto[]): void => {
    if (above.includes(file)) throw new ProtoError("it imports itself", file.name);
    if (done.has(file)) return;
    for (const name of file.dependency) {
      const imported = byName.get(name);
      if (imported !== undefined) visit(imported, [...above, file]);
    }
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return [...done];
}
