// Collects the variables and maps of mappings, including those of imported files.

import { knownType } from "../../compiler/check/inference/infer.ts";
import type { MappingScope } from "../../compiler/check/mapping/checked.ts";
import type { Span } from "../../compiler/source/source.ts";
import type {
  Expression,
  MapDefinition,
  Mapping,
  MappingNode,
  Statement,
} from "../../compiler/trees/mapping.ts";
import { childrenOf, walk } from "../../compiler/trees/walk.ts";
import { fieldOf } from "../../compiler/value-types/fields.ts";
import type { Type } from "../../compiler/value-types/type.ts";
import { type CollectedNames, insideQuotes, placeOf, withoutQuotes } from "./collected-names.ts";

/** Collects the variables and maps of a mapping and of the mappings that it imports. */
export function collectMapping(mapping: Mapping, scope: MappingScope, names: CollectedNames): void {
  const maps = mapsOf(mapping, scope);
  const files = new Set([mapping, ...importedMappings(mapping, scope)]);
  for (const file of files) {
    collectVariables(file.statements, placeOf(file.span), names);
    for (const statement of file.statements)
      if (statement.kind === "MapDefinition")
        names.declare("map", placeOf(statement.name.span), statement.name.text, statement.name.span);
    collectParameters(file, names);
    walk(file, {
      MethodCall({ name, args }) {
        const argument = args[0]?.value;
        if (name.text !== "apply" || argument?.kind !== "StringLiteral") return;
        const definition = maps.get(argument.value);
        const span = insideQuotes(argument);
        if (definition !== undefined && span !== undefined)
          names.use("map", placeOf(definition.name.span), argument.value, span);
      },
    });
  }
}

/** The functions that read metadata by key. */
const metadataFunctions: ReadonlySet<string> = new Set(["meta", "metadata", "root_meta"]);

/** The source of the metadata of a script's messages, in addition to scripts. */
interface MetadataSource {
  readonly scope: string;
  /** Whether messages are known to have a key when they arrive. */
  readonly isBrought: (key: string) => boolean;
  /** The name of the stream's input. */
  readonly input: Span | undefined;
}

/**
 * Collects the metadata keys that a script sets and reads. They belong to the messages of a stream, `scope`, not to a
 * script.
 */
export function collectMetadata(
  tree: MappingNode,
  { scope, isBrought, input }: MetadataSource,
  names: CollectedNames,
): void {
  const use = (name: string, span: Span) => {
    names.use("metadata key", scope, name, span);
    if (input !== undefined && isBrought(name)) names.bring("metadata key", scope, name, input);
  };
  walk(tree, {
    MetaAssign({ key }) {
      if (key !== undefined) names.declare("metadata key", scope, key.text, withoutQuotes(key.span));
    },
    Metadata({ key }) {
      if (key !== undefined) use(key.text, withoutQuotes(key.span));
    },
    FunctionCall({ name, args }) {
      const key = args[0]?.value;
      const span = key?.kind === "StringLiteral" ? insideQuotes(key) : undefined;
      if (key?.kind === "StringLiteral" && span !== undefined && metadataFunctions.has(name.text))
        use(key.value, span);
    },
  });
}

/** Collects fields that are read, if a schema, an earlier step or the script itself declares them. */
export function collectFields(
  tree: MappingNode,
  types: ReadonlyMap<Expression, Type>,
  names: CollectedNames,
): void {
  walk(tree, {
    FieldAccess({ receiver, name }) {
      const { span } = fieldOf(knownType(receiver, types), name.text);
      if (span === undefined) return;
      const declared = withoutQuotes(span);
      names.declare("field", placeOf(declared), name.text, declared);
      names.use("field", placeOf(declared), name.text, withoutQuotes(name.span));
    },
  });
}

/** Collects the parameters of lambdas. The grammar does not allow a parameter to hide another one. */
export function collectParameters(tree: MappingNode, names: CollectedNames): void {
  walk(tree, {
    Lambda({ parameter: { text, span }, body }) {
      if (text === "_") return;
      const scope = placeOf(span);
      names.declare("parameter", scope, text, span);
      walk(body, {
        ContextName(node) {
          if (node.name === text) names.use("parameter", scope, text, node.span);
        },
      });
    },
  });
}

/** Returns the maps that a mapping may apply, including those of imported files; its own maps take precedence. */
export function mapsOf(mapping: Mapping, scope: MappingScope): ReadonlyMap<string, MapDefinition> {
  const maps = new Map<string, MapDefinition>();
  for (const each of [mapping, ...importedMappings(mapping, scope)])
    for (const statement of each.statements)
      if (statement.kind === "MapDefinition" && !maps.has(statement.name.text))
        maps.set(statement.name.text, statement);
  return maps;
}

/** Returns the mappings that a mapping imports, directly or indirectly. */
export function importedMappings(mapping: Mapping, scope: MappingScope): ReadonlySet<Mapping> {
  const found = new Set<Mapping>();
  const visit = (each: Mapping): void => {
    for (const other of imported(each, scope)) {
      if (found.has(other)) continue;
      found.add(other);
      visit(other);
    }
  };
  visit(mapping);
  return found;
}

function imported(mapping: Mapping, scope: MappingScope): readonly Mapping[] {
  const paths = mapping.from === undefined ? [] : [mapping.from.value];
  for (const statement of mapping.statements)
    if (statement.kind === "Import") paths.push(statement.path.value);
  return paths.flatMap((path) => {
    const loaded = scope.load?.(path, mapping.source);
    return loaded !== undefined && "mapping" in loaded ? [loaded.mapping] : [];
  });
}

/** Collects variables; the maps in a mapping have variables of their own. */
function collectVariables(statements: readonly Statement[], scope: string, names: CollectedNames): void {
  const visit = (node: MappingNode): void => {
    if (node.kind === "MapDefinition") {
      collectVariables(node.statements, placeOf(node.span), names);
      return;
    }
    if (node.kind === "Let") names.declare("variable", scope, node.name.text, withoutQuotes(node.name.span));
    if (node.kind === "Variable")
      names.use("variable", scope, node.name, { ...node.span, start: node.span.end - node.name.length });
    for (const child of childrenOf(node)) visit(child);
  };
  for (const statement of statements) visit(statement);
}
