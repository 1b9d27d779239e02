// Compiles Protocol Buffers files to descriptors of their messages, so that a gateway reads no file and contains no
// parser.

import { create, toBinary } from "@bufbuild/protobuf";
import type {
  DescriptorProto,
  EnumDescriptorProto,
  FeatureSet,
  FieldDescriptorProto,
  FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import {
  DescriptorProtoSchema,
  Edition,
  EnumDescriptorProtoSchema,
  FeatureSet_EnumType,
  FeatureSet_FieldPresence,
  FeatureSet_MessageEncoding,
  FeatureSet_RepeatedFieldEncoding,
  FeatureSet_Utf8Validation,
  FeatureSetSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
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

/** A `.proto` file. */
export interface ProtoFile {
  /** The path that other files import it by. */
  readonly name: string;
  readonly text: string;
}

/** The reason why files cannot be used. `file` is the name of the file in question, if known. */
export class ProtoError extends Error {
  readonly file: string | undefined;

  constructor(message: string, file?: string) {
    super(message);
    this.file = file;
  }
}

/** Files that can be imported without being present. */
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
/** The types that options are declared with. Messages do not use them. */
const ofOptions = "google/protobuf/descriptor.proto";

/** Returns the bytes of a `FileDescriptorSet` with all files and their imports. Throws a {@link ProtoError}. */
export function compileProto(files: readonly ProtoFile[]): Uint8Array {
  const names = new Set(files.map(({ name }) => name));
  const root = new protobuf.Root();
  const imports = new Map<string, readonly string[]>();
  for (const file of files) imports.set(file.name, parseFile(file, root));
  for (const [file, imported] of imports) {
    const missing = imported.find((name) => !names.has(name) && !wellKnown.has(name) && name !== ofOptions);
    if (missing !== undefined) throw new ProtoError(`it imports \`${missing}\`, which does not exist`, file);
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

/** Sets the file name that the parser records in each type. Its type declarations do not include this property. */
function nameParsed(name: string | null): void {
  Object.assign(protobuf.parse, { filename: name });
}

/** Adds the types of a file to `root`; returns its imports. */
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

/** Returns the files in an order in which each file comes after those it imports. */
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

/** Properties that the parser sets on an object and does not declare. */
interface Parsed {
  readonly edition: string | undefined;
  readonly features: Readonly<Record<string, string>>;
  readonly isGroup: boolean;
}

function parsedOf(object: protobuf.ReflectionObject): Parsed {
  const { _edition, _features, group } = object as {
    _edition?: string;
    _features?: Parsed["features"];
    group?: boolean;
  };
  return { edition: _edition, features: _features ?? {}, isGroup: group === true };
}

/** Returns the descriptor of the messages and enums of one file, whose types `root` resolves. Leaves out extensions. */
function describeFile(name: string, imports: readonly string[], root: protobuf.Root): FileDescriptorProto {
  const own = [...typesOf(root, name)];
  const edition = own.map((type) => parsedOf(type).edition).find((each) => each !== undefined) ?? "proto2";
  const isEdition = /^\d/.test(edition);
  const [first] = own;
  return create(FileDescriptorProtoSchema, {
    name,
    package: first?.parent?.fullName.replace(/^\./, "") ?? "",
    dependency: [...new Set(imports)],
    syntax: isEdition ? "editions" : edition,
    ...(isEdition && { edition: Edition[`EDITION_${edition}` as keyof typeof Edition] }),
    messageType: own
      .filter((type) => type instanceof protobuf.Type)
      .map((type) => describeType(type, isEdition)),
    enumType: own
      .filter((type) => type instanceof protobuf.Enum)
      .map((type) => describeEnum(type, isEdition)),
  });
}

/** Returns the types of a file that are not nested in another type. */
function* typesOf(namespace: protobuf.NamespaceBase, file: string): Iterable<protobuf.Type | protobuf.Enum> {
  for (const each of namespace.nestedArray) {
    if (each instanceof protobuf.Type || each instanceof protobuf.Enum) {
      if (each.filename === file) yield each;
    } else if (each instanceof protobuf.Namespace) yield* typesOf(each, file);
  }
}

function describeType(type: protobuf.Type, isEdition: boolean): DescriptorProto {
  const fields = type.fieldsArray.filter(
    (field) => field.declaringField === null || field.declaringField === undefined,
  );
  // The groups that represent `optional` come last, as in the output of protoc.
  const isMade = (group: protobuf.OneOf) => group.isProto3Optional;
  const groups = [...type.oneofsArray.filter((group) => !isMade(group)), ...type.oneofsArray.filter(isMade)];
  const maps = fields.filter((field) => field instanceof protobuf.MapField);
  return create(DescriptorProtoSchema, {
    name: type.name,
    field: fields.map((field) => describeField(field, groups, isEdition)),
    oneofDecl: groups.map(({ name }) => ({ name })),
    nestedType: [
      ...type.nestedArray
        .filter((each) => each instanceof protobuf.Type)
        .map((each) => describeType(each, isEdition)),
      ...maps.map((field) => describeEntry(field, isEdition)),
    ],
    enumType: type.nestedArray
      .filter((each) => each instanceof protobuf.Enum)
      .map((each) => describeEnum(each, isEdition)),
  });
}

function describeField(
  field: protobuf.Field,
  groups: readonly protobuf.OneOf[],
  isEdition: boolean,
): FieldDescriptorProto {
  const { options = {} } = field;
  const isMap = field instanceof protobuf.MapField;
  const index = field.partOf === null ? -1 : groups.indexOf(field.partOf);
  const isRequired = field.required && !isEdition;
  const Label = FieldDescriptorProto_Label;
  return create(FieldDescriptorProtoSchema, {
    name: field.name,
    number: field.id,
    jsonName: typeof options.json_name === "string" ? options.json_name : jsonNameOf(field.name),
    label: field.repeated || isMap ? Label.REPEATED : isRequired ? Label.REQUIRED : Label.OPTIONAL,
    ...(isMap
      ? {
          type: FieldDescriptorProto_Type.MESSAGE,
          typeName: `${field.parent?.fullName}.${entryNameOf(field)}`,
        }
      : typeOf(field.type, field.resolvedType, !isEdition)),
    ...(index >= 0 && { oneofIndex: index }),
    ...(options.proto3_optional === true && { proto3Optional: true }),
    ...(options.default !== undefined && { defaultValue: String(options.default) }),
    options: {
      ...(!isEdition && typeof options.packed === "boolean" && { packed: options.packed }),
      ...(isEdition && { features: featuresOf(field) }),
    },
  });
}

/** Returns the message type of one entry of a map. */
function describeEntry(field: protobuf.MapField, isEdition: boolean): DescriptorProto {
  const label = FieldDescriptorProto_Label.OPTIONAL;
  return create(DescriptorProtoSchema, {
    name: entryNameOf(field),
    options: { mapEntry: true },
    field: [
      { name: "key", jsonName: "key", number: 1, label, ...typeOf(field.keyType, null, true) },
      {
        name: "value",
        jsonName: "value",
        number: 2,
        label,
        ...typeOf(field.type, field.resolvedType, !isEdition),
      },
    ],
  });
}

function typeOf(name: string, resolved: protobuf.ReflectionObject | null, mayBeGroup: boolean) {
  const typeName = resolved?.fullName;
  if (typeName === undefined)
    return { type: FieldDescriptorProto_Type[name.toUpperCase() as keyof typeof FieldDescriptorProto_Type] };
  if (resolved instanceof protobuf.Enum) return { type: FieldDescriptorProto_Type.ENUM, typeName };
  const isGroup = mayBeGroup && resolved !== null && parsedOf(resolved).isGroup;
  return { type: isGroup ? FieldDescriptorProto_Type.GROUP : FieldDescriptorProto_Type.MESSAGE, typeName };
}

function describeEnum(type: protobuf.Enum, isEdition: boolean): EnumDescriptorProto {
  return create(EnumDescriptorProtoSchema, {
    name: type.name,
    value: Object.entries(type.values).map(([name, number]) => ({ name, number })),
    options: {
      ...(type.options?.allow_alias === true && { allowAlias: true }),
      ...(isEdition && { features: featuresOf(type) }),
    },
  });
}

/** Returns the features that apply to a field or an enum, wherever they are declared. */
function featuresOf(described: protobuf.ReflectionObject): FeatureSet {
  const { features } = parsedOf(described);
  const at = <T>(values: T, key: string) => values[(features[key] ?? "") as keyof T];
  return create(FeatureSetSchema, {
    fieldPresence: at(FeatureSet_FieldPresence, "field_presence") as FeatureSet_FieldPresence,
    enumType: at(FeatureSet_EnumType, "enum_type") as FeatureSet_EnumType,
    repeatedFieldEncoding: at(
      FeatureSet_RepeatedFieldEncoding,
      "repeated_field_encoding",
    ) as FeatureSet_RepeatedFieldEncoding,
    utf8Validation: at(FeatureSet_Utf8Validation, "utf8_validation") as FeatureSet_Utf8Validation,
    messageEncoding: at(FeatureSet_MessageEncoding, "message_encoding") as FeatureSet_MessageEncoding,
  });
}

/** Returns the JSON name of a field: `firstName` for `first_name`. */
function jsonNameOf(name: string): string {
  return name.replace(/_+([a-z])?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? "");
}

/** Returns the type name of the entries of a map: `FirstNamesEntry` for `first_names`. */
function entryNameOf({ name }: protobuf.ReflectionObject): string {
  const camel = name.replace(/_+(.)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? "");
  return `${camel.charAt(0).toUpperCase()}${camel.slice(1)}Entry`;
}
