// Parsed files of Protocol Buffers as descriptors (google/protobuf/descriptor.proto).

import { create } from "@bufbuild/protobuf";
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
} from "@bufbuild/protobuf/wkt";
import protobuf from "protobufjs";

/** What the parser notes of an object besides what its types say. */
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

/** The descriptor of the messages and enums of one file, whose types are resolved in `root`. Extensions are left out. */
export function describeFile(
  name: string,
  imports: readonly string[],
  root: protobuf.Root,
): FileDescriptorProto {
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

/** The types of a file that lie in no other type. */
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
  // The groups that stand for `optional` come last, as in what protoc writes.
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

/** The message that one entry of a map is. */
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

/** The features that hold for a field or an enum, wherever they are written. */
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

/** `first_name` is `firstName` in JSON. */
function jsonNameOf(name: string): string {
  return name.replace(/_+([a-z])?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? "");
}

/** `first_names` has entries of the type `FirstNamesEntry`. */
function entryNameOf({ name }: protobuf.ReflectionObject): string {
  const camel = name.replace(/_+(.)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? "");
  return `${camel.charAt(0).toUpperCase()}${camel.slice(1)}Entry`;
}
