// Finds the named maps of a mapping: its own and those of the files it imports.

import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";
import type { Import, MapDefinition, Mapping, Statement } from "../../trees/mapping.ts";
import type { LoadedMapping, MappingScope } from "./checked.ts";
import { referenceAt } from "./reference.ts";

/** The available maps, and the statements that run. */
export interface MapDefinitions {
  readonly maps: ReadonlyMap<string, MapDefinition>;
  readonly statements: readonly Statement[];
  /** Whether a part could not be read, here or in an imported file. It was reported. */
  readonly isPartial: boolean;
}

/** Collects maps in source order. Reports a name that is defined twice, and a file without maps. */
export function collectMaps(mapping: Mapping, scope: MappingScope, report: Report): MapDefinitions {
  const maps = new Map(scope.maps);
  const partial: Mapping[] = [];
  const statements = collectFrom(mapping, maps, { scope, report, partial, visiting: [] });
  return { maps, statements, isPartial: partial.length > 0 };
}

interface Collection {
  readonly scope: MappingScope;
  readonly report: Report;
  /** Mappings that could not be read completely, or import a file that cannot be read. */
  readonly partial: Mapping[];
  /** Files that are being imported, outermost first: a file that imports itself is refused. */
  readonly visiting: readonly string[];
}

function collectFrom(
  mapping: Mapping,
  maps: Map<string, MapDefinition>,
  to: Collection,
): readonly Statement[] {
  if (mapping.isPartial) to.partial.push(mapping);
  if (mapping.form === "from" && mapping.from !== undefined) {
    const loaded = loadFile(mapping.from.value, mapping.from.span, mapping.span, mapping, to);
    return loaded === undefined ? [] : collectFrom(loaded, maps, entered(to, mapping.from.value));
  }
  return mapping.statements.filter((statement) => {
    if (statement.kind === "MapDefinition") defineMap(statement, maps, to.report);
    else if (statement.kind === "Import") importMaps(statement, mapping, maps, to);
    else return true;
    return false;
  });
}

function defineMap(definition: MapDefinition, maps: Map<string, MapDefinition>, report: Report): void {
  const { text: name, span } = definition.name;
  const earlier = maps.get(name);
  if (earlier === undefined) maps.set(name, definition);
  else {
    const reference = referenceAt(definition.span, `map name collision: ${name}`);
    report(
      "GW3009",
      span,
      { name, reference },
      { span: earlier.name.span, message: "It is first defined here." },
    );
  }
}

function importMaps(
  statement: Import,
  importer: Mapping,
  maps: Map<string, MapDefinition>,
  to: Collection,
): void {
  const path = statement.path.value;
  const loaded = loadFile(path, statement.path.span, statement.span, importer, to);
  if (loaded === undefined) return;
  const imported = new Map<string, MapDefinition>();
  collectFrom(loaded, imported, entered(to, path));
  if (imported.size === 0) {
    const reference = referenceAt(statement.span, `no maps to import from '${path}'`);
    to.report("GW3011", statement.path.span, { path, reference });
  }
  const clashes = [...imported.keys()].filter((name) => maps.has(name)).sort();
  if (clashes.length > 0) {
    const text = `map name collisions from import '${path}': [${clashes.join(" ")}]`;
    to.report("GW3012", statement.path.span, {
      path,
      names: clashes,
      reference: referenceAt(statement.span, text),
    });
  }
  for (const [name, definition] of imported) if (!maps.has(name)) maps.set(name, definition);
}

function loadFile(
  path: string,
  span: Span,
  whole: Span,
  importer: Mapping,
  { scope, report, partial, visiting }: Collection,
): Mapping | undefined {
  const loaded: LoadedMapping = visiting.includes(path)
    ? { reason: "the file imports itself" }
    : (scope.load?.(path, importer.source) ?? { reason: "this mapping may not read files" });
  if ("mapping" in loaded) return loaded.mapping;
  partial.push(importer);
  if (loaded.isReported === true) return undefined;
  const text = loaded.reference ?? `failed to parse import '${path}': ${loaded.reason}`;
  const reference = referenceAt(whole, text);
  report("GW3010", span, { path, reason: loaded.reason, reference });
  return undefined;
}

function entered(to: Collection, path: string): Collection {
  return { ...to, visiting: [...to.visiting, path] };
}
