// Infers the messages at each step of all streams from checked scripts.

import { invariant } from "../../diagnostics/invariant.ts";
import { noMemory, type ResultsMemory } from "../../diagnostics/results-memory.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { findErrorHandling } from "../../model/error-handling.ts";
import type { SetModel } from "../../model/set.ts";
import type { MappingField, StreamNode } from "../../trees/api.ts";
import type { Expression, Mapping, Template } from "../../trees/mapping.ts";
import type { Inspections } from "../document/inspections.ts";
import { createDeclaredTypes } from "../inference/declared-types.ts";
import { inferMapping, inferQuery, inferTemplate } from "../inference/infer-mapping.ts";
import type { CheckedMapping, CheckedQuery, CheckedTemplate } from "../mapping/checked.ts";
import type { ObservedScript } from "../observer.ts";
import { streamInputs } from "../stream-inputs.ts";
import type { ScriptTypes } from "./context.ts";
import { type DeclaredSchemas, findDeclaredSchemas } from "./declared-schemas.ts";
import { inferStream, type StreamTypes } from "./streams.ts";

/** The scripts of a set, checked. */
export interface CheckedScripts {
  readonly mappings: ReadonlyMap<Mapping, CheckedMapping>;
  readonly queries: ReadonlyMap<Expression, CheckedQuery>;
  readonly templates: ReadonlyMap<Template, CheckedTemplate>;
}

/** The known facts about the messages of a stream. */
export interface StreamFlow extends StreamTypes {
  readonly schemas: DeclaredSchemas;
}

/** Checked scripts, and the data for inferring the messages that reach them. */
interface InferredScripts extends CheckedScripts {
  readonly inspections: Inspections;
  readonly memory?: ResultsMemory | undefined;
}

/** Receives each script as it is inferred. */
export interface ScriptObserver {
  script(script: Omit<ObservedScript, "scope">): void;
}

/** Returns the known facts about every stream of a set. Reports mistakes that only types reveal. */
export function inferStreams(
  set: SetModel,
  whole: SetModel,
  scripts: InferredScripts,
  report: Report,
  observer?: ScriptObserver,
): ReadonlyMap<StreamNode, StreamFlow> {
  const flows = new Map<StreamNode, StreamFlow>();
  const { memory = noMemory, inspections } = scripts;
  const ofStreams = Map.groupBy(whole.routes, ({ stream }) => stream);
  for (const api of set.apis) {
    const declared = createDeclaredTypes(api);
    const inputs = streamInputs(api, whole, observer === undefined);
    for (const stream of api.streams) {
      const { observed, ...flow } = memory.recall("flow", stream, inputs, report, (report) => {
        const observed: Omit<ObservedScript, "scope">[] = [];
        const inferring = createInferring(
          scripts,
          report,
          observer && { script: (each) => observed.push(each) },
        );
        const schemas = findDeclaredSchemas(stream, api, ofStreams.get(stream) ?? []);
        const handling = findErrorHandling(stream, set);
        const source = { stream, api, schemas, declared, handling, inspections };
        return { schemas, ...inferStream(source, inferring, report), observed };
      });
      for (const script of observed) observer?.script(script);
      flows.set(stream, flow);
    }
  }
  return flows;
}

const modes = {
  nothing: "mapping",
  empty: "request",
  message: "mutation",
  origin: "result",
} as const satisfies Record<MappingField["startsFrom"], string>;

function createInferring(
  { mappings, queries, templates }: CheckedScripts,
  report: Report,
  observer: ScriptObserver | undefined,
): ScriptTypes {
  return {
    get quiet() {
      return createInferring({ mappings, queries, templates }, () => {}, undefined);
    },
    mapping(field, message, origin = message) {
      const checked = known(mappings.get(field.mapping));
      const inferred = inferMapping(checked, message, modes[field.startsFrom], report, origin);
      const { types, failures, message: result } = inferred;
      observer?.script({ field, message, origin, types, failures, result });
      return inferred;
    },
    query(field, message) {
      const inferred = inferQuery(known(queries.get(field.query)), message, report);
      const { types, failures } = inferred;
      observer?.script({ field, message, origin: message, types, failures });
      return inferred;
    },
    template(field, message) {
      const { types, failures } = inferTemplate(known(templates.get(field.template)), message, report);
      observer?.script({ field, message, origin: message, types, failures });
      return failures;
    },
  };
}

function known<T>(checked: T | undefined): T {
  invariant(checked !== undefined, "every script of a set is checked");
  return checked;
}
