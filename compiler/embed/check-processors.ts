// Checks processors, given as trees, like those of a gateway with caches in memory.

import { documentSchemas } from "../../schemas/catalogue.ts";
import type { Schema } from "../../schemas/schema.ts";
import { checkComponent } from "../check/document/check-component.ts";
import { createInspections, type Inspections } from "../check/document/inspections.ts";
import type { CheckedScripts } from "../check/flow/infer-set.ts";
import { checkMapping, checkQuery, checkTemplate } from "../check/mapping/check.ts";
import type {
  CheckedMapping,
  CheckedQuery,
  CheckedTemplate,
  MappingScope,
} from "../check/mapping/checked.ts";
import { cachesOf, checkResources } from "../check/resources.ts";
import type { Sink } from "../diagnostics/sink.ts";
import { evaluator, inspectOptions } from "../evaluate/evaluate-method.ts";
import { componentsOf, declaredApart } from "../model/components.ts";
import type { FileSystem } from "../parse/document/file-system.ts";
import { findMatches } from "../parse/document/glob.ts";
import { maximumBytes } from "../parse/document/limits.ts";
import { readSourceFile } from "../parse/document/read-file.ts";
import { readImports } from "../parse/mapping-files.ts";
import { withTemplates } from "../parse/streams/component-templates.ts";
import { readComponent } from "../parse/streams/components.ts";
import { createResources } from "../parse/streams/resources.ts";
import { withSchemaFiles } from "../parse/streams/schema-files.ts";
import type { Span } from "../source/source.ts";
import type { ComponentNode, FieldNode, ResourceNode, StreamNode } from "../trees/api.ts";
import type { Dialect } from "../trees/dialect.ts";
import type { DocumentNode, MapNode } from "../trees/document.ts";
import { fieldsOfStream } from "../trees/fields.ts";
import type { Expression, Mapping, Template } from "../trees/mapping.ts";
import { hostReaching } from "./host-functions.ts";

/** What processors may use, and the file system for the files they name. */
export interface ProcessorReading {
  /** The components and functions that the processors may use. */
  readonly dialect: Dialect;
  readonly fileSystem: FileSystem;
  /** The path of each node in its document, such as `pipeline.processors[0]`, for `error_source_path()`. */
  readonly places?: readonly string[];
}

/** Processors without errors. */
export interface CheckedProcessors {
  readonly placed: readonly { readonly component: ComponentNode; readonly path: string }[];
  readonly resources: readonly ResourceNode[];
  readonly scripts: CheckedScripts;
  readonly inspections: Inspections;
  readonly stream: StreamNode;
}

/**
 * Checks the processors that `nodes` describe. Returns `undefined` if there are none or `sink` got errors. `around`:
 * the stream that contains them and declares the resources they name.
 */
export async function checkProcessors(
  nodes: readonly DocumentNode[],
  options: ProcessorReading,
  sink: Sink,
  around?: MapNode,
): Promise<CheckedProcessors | undefined> {
  const { fileSystem, dialect } = options;
  const { components, builtins } = dialect;
  const readOptions = { fileSystem, report: sink.report, limit: maximumBytes };
  const readFile = (path: string, named: Span) => readSourceFile(path, readOptions, named);
  const findFiles = (pattern: string) => findMatches(pattern, fileSystem);
  const files = { readFile, findFiles, report: sink.report, allowFiles: true, components };
  const written = nodes.filter((node): node is MapNode => node.kind === "map");
  const reading = { dialect, report: sink.report };
  const expanded = written.map((node) => withTemplates(node, processorSchema, reading));
  const maps = await Promise.all(expanded.map((node) => withSchemaFiles(node, files)));
  const [first] = maps;
  if (first === undefined) return undefined;
  const stream = withTemplates(around ?? { ...first, entries: [] }, documentSchemas.stream, reading);
  const declaring = await withSchemaFiles(stream, files);
  const { find, shared: readShared } = createResources(declaring, { components, report: sink.report });
  const placed = maps.flatMap((node, at) => {
    const component = readComponent("processor", node, {
      components,
      report: sink.report,
      findResource: find,
    });
    const place = options.places?.[at] ?? `processors[${at}]`;
    return component === undefined ? [] : [{ component, path: `${place}.${component.name}` }];
  });
  const processors = placed.map(({ component }) => component);
  const resources = readShared();
  const tested: StreamNode = { name: "tested", nameSpan: first.span, node: first, processors, resources };
  const inspections = createInspections(inspectOptions);
  for (const component of [...componentsOf(tested), ...declaredApart(tested)])
    checkComponent(component, components, inspections, sink.report);
  const fields = fieldsOfStream(tested);
  const { find: load } = await readImports(fields, { fileSystem, limit: maximumBytes }, sink.report);
  const scope = {
    load,
    builtins,
    allowed: hostReaching,
    evaluate: evaluator,
    caches: cachesOf(tested),
    // The check of the stream reports unknown request variables; here they come from the environment.
    judgeRequest: () => {},
  };
  const scripts = checkScripts(fields, scope, sink);
  checkResources({ apis: [{ streams: [tested] }] }, scripts, sink.report);
  return sink.hasErrors() ? undefined : { placed, resources, scripts, inspections, stream: tested };
}

const processorSchema: Schema = { type: "object", "x-component": "processor" };

function checkScripts(fields: readonly FieldNode[], scope: MappingScope, { report }: Sink): CheckedScripts {
  const mappings = new Map<Mapping, CheckedMapping>();
  const queries = new Map<Expression, CheckedQuery>();
  const templates = new Map<Template, CheckedTemplate>();
  for (const field of fields) {
    if (field.kind === "Mapping") mappings.set(field.mapping, checkMapping(field.mapping, scope, report));
    if (field.kind === "Query") queries.set(field.query, checkQuery(field.query, scope, report));
    if (field.kind === "Template")
      templates.set(field.template, checkTemplate(field.template, scope, report));
  }
  return { mappings, queries, templates };
}
