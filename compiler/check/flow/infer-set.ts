// Checked scripts and the streams they stand in, what is known of the messages at each step out.

import type { Report } from "../../diagnostics/sink.ts";
import type { ApiSet, MappingField, StreamNode } from "../../parse/document/api.ts";
import type { Expression, Mapping, Template } from "../../parse/mapping/ast.ts";
import type { Route } from "../document/routes.ts";
import { createDeclaredTypes } from "../inference/declared-types.ts";
import { inferMapping, inferQuery, inferTemplate } from "../inference/infer-mapping.ts";
import type { CheckedMapping, CheckedQuery, CheckedTemplate } from "../mapping/checked.ts";
import { type DeclaredSchemas, findDeclaredSchemas } from "./declared-schemas.ts";
import { inferStream, type ScriptTypes, type Step } from "./streams.ts";

/** The scripts of a set, checked. */
export interface CheckedScripts {
  readonly mappings: ReadonlyMap<Mapping, CheckedMapping>;
  readonly queries: ReadonlyMap<Expression, CheckedQuery>;
  readonly templates: ReadonlyMap<Template, CheckedTemplate>;
}

/** What is known of the messages of a stream. */
export interface StreamFlow {
  readonly schemas: DeclaredSchemas;
  readonly steps: readonly Step[];
}

/** What is known of every stream of a set; mistakes that only types show go to `report`. */
export function inferStreams(
  set: ApiSet,
  routes: readonly Route[],
  scripts: CheckedScripts,
  report: Report,
): ReadonlyMap<StreamNode, StreamFlow> {
  const flows = new Map<StreamNode, StreamFlow>();
  const inferring = createInferring(scripts, report);
  const ofStreams = Map.groupBy(routes, ({ stream }) => stream);
  for (const api of set.apis) {
    const declared = createDeclaredTypes(api);
    for (const stream of api.streams) {
      const schemas = findDeclaredSchemas(stream, api, ofStreams.get(stream) ?? []);
      flows.set(stream, {
        schemas,
        steps: inferStream({ stream, api, schemas, declared }, inferring, report),
      });
    }
  }
  return flows;
}

const modes = {
  nothing: "mapping",
  message: "mutation",
  origin: "result",
} as const satisfies Record<MappingField["startsFrom"], string>;

function createInferring({ mappings, queries, templates }: CheckedScripts, report: Report): ScriptTypes {
  return {
    mapping({ mapping, startsFrom }, message, origin) {
      const checked = mappings.get(mapping);
      if (checked === undefined) return message;
      return inferMapping(checked, message, modes[startsFrom], report, origin ?? message).message;
    },
    query({ query }, message) {
      const checked = queries.get(query);
      if (checked !== undefined) inferQuery(checked, message, report);
    },
    template({ template }, message) {
      const checked = templates.get(template);
      if (checked !== undefined) inferTemplate(checked, message, report);
    },
  };
}
