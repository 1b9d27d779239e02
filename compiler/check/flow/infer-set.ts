// Infers the messages at each step of all streams from checked scripts.

import type { Missing } from "../../diagnostics/catalogue/3-inference.ts";
import { invariant } from "../../diagnostics/invariant.ts";
import { noMemory, type ResultsMemory } from "../../diagnostics/results-memory.ts";
import { ignoreReports, type Report, watchReports } from "../../diagnostics/sink.ts";
import { isSlip } from "../../diagnostics/suggest.ts";
import { endsOf } from "../../model/components.ts";
import { findErrorHandling } from "../../model/error-handling.ts";
import type { SetModel } from "../../model/set.ts";
import type { Span } from "../../source/source.ts";
import type { MappingField, StreamNode } from "../../trees/api.ts";
import type { Expression, Mapping, Template } from "../../trees/mapping.ts";
import type { MessageType, Type } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import type { Inspections } from "../document/inspections.ts";
import { createDeclaredTypes } from "../inference/declared-types.ts";
import { inferMapping, inferQuery, inferTemplate } from "../inference/infer-mapping.ts";
import {
  type CheckedMapping,
  type CheckedQuery,
  type CheckedTemplate,
  hasSameCalls,
} from "../mapping/checked.ts";
import type { ObservedScript } from "../observer.ts";
import { streamInputs } from "../stream-inputs.ts";
import type { MappingTypes, ScriptTypes } from "./context.ts";
import { type DeclaredSchemas, findDeclaredSchemas } from "./declared-schemas.ts";
import { createReadContents, type WritingStream } from "./input-message.ts";
import { isSameMessage, movedMessage, typesWrittenIn } from "./message.ts";
import { type FlowSource, inferStream, type StreamTypes } from "./streams.ts";

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
  const reported = new Set<Span>();
  const recording: Report = (...problem) => {
    reported.add(problem[1]);
    report(...problem);
  };
  const sources = set.apis.flatMap((api) => {
    const declared = createDeclaredTypes(api);
    const inputs = streamInputs(api, whole, observer === undefined);
    // An observer needs the types of all expressions.
    const effects: KnownEffects | undefined = observer === undefined ? new Map() : undefined;
    return api.streams.map((stream) => {
      const { observed, source, ...flow } = memory.recall("flow", stream, inputs, recording, (report) => {
        const observed: Omit<ObservedScript, "scope">[] = [];
        const inferring = createInferring(scripts, report, {
          observer: observer && { script: (each) => observed.push(each) },
          effects,
        });
        const schemas = findDeclaredSchemas(stream, api, ofStreams.get(stream) ?? []);
        const handling = findErrorHandling(stream, set);
        const source: FlowSource = { stream, api, schemas, declared, handling, inspections };
        return { schemas, ...inferStream(source, inferring, report), observed, source };
      });
      for (const script of observed) observer?.script(script);
      flows.set(stream, flow);
      return { source, inputs };
    });
  });
  const writers = whole.apis.flatMap(({ streams }) =>
    streams.map((stream) => ({
      stream,
      deadLetter: findErrorHandling(stream, whole).deadLetter,
      written: flows.get(stream)?.written,
    })),
  );
  inferReaders(sources, writers, scripts, (channels) => reportSlips(channels, reported, report));
  return flows;
}

/** Infers the streams that read what other streams write once more, with the types that these write. */
function inferReaders(
  sources: readonly { readonly source: FlowSource; readonly inputs: () => readonly unknown[] }[],
  writers: readonly WritingStream[],
  scripts: InferredScripts,
  reportOf: (channels: readonly string[]) => Report,
): void {
  const { memory = noMemory } = scripts;
  const contentOf = createReadContents(writers);
  const effects: KnownEffects = new Map();
  for (const { source, inputs } of sources) {
    const { stream, schemas } = source;
    if ([...schemas.keys()].some(({ role }) => role === "input")) continue;
    const found = endsOf(stream, "input").flatMap((input) => {
      const content = contentOf(input);
      return content === undefined ? [] : [{ input, ...content }];
    });
    if (found.length === 0) continue;
    const types = found.flatMap((each) => each.types);
    const slips = reportOf([...new Set(found.flatMap(({ channels }) => channels))]);
    memory.recall(
      "read",
      stream,
      () => [...inputs(), ...types],
      slips,
      (slips) => {
        const read = new Map(found.map((each) => [each.input, unionOf(each.types)]));
        inferStream({ ...source, read }, createInferring(scripts, slips, { effects }), slips);
      },
    );
  }
}

/**
 * Returns a report that passes on only fields that no writer of the channels sets, if their names resemble fields that
 * one sets: others may write to the channels too.
 */
function reportSlips(channels: readonly string[], reported: ReadonlySet<Span>, report: Report): Report {
  return (code, span, details) => {
    if ((code !== "GW3100" && code !== "GW3101") || reported.has(span)) return;
    const { name, closest } = details as Missing;
    if (closest !== undefined && isSlip(name, closest))
      report("GW3136", span, { name, closest, channels, respelling: "unsure" });
  };
}

const modes = {
  nothing: "mapping",
  empty: "request",
  message: "mutation",
  origin: "result",
  value: "mapping",
} as const satisfies Record<MappingField["startsFrom"], string>;

interface InferringScope {
  readonly observer?: ScriptObserver | undefined;
  readonly effects: KnownEffects | undefined;
}

function createInferring(
  { mappings, queries, templates }: CheckedScripts,
  report: Report,
  { observer, effects }: InferringScope,
): ScriptTypes {
  return {
    get quiet() {
      return createInferring({ mappings, queries, templates }, ignoreReports, { effects });
    },
    mapping(field, message, origin = message) {
      const checked = known(mappings.get(field.mapping));
      const mode = modes[field.startsFrom];
      if (effects !== undefined) return inferOnce({ checked, message, mode, origin }, effects, report);
      const inferred = inferMapping(checked, message, mode, report, origin);
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

/** A mapping and what is known about the messages that reach it. */
interface Inferable {
  readonly checked: CheckedMapping;
  readonly message: MessageType;
  readonly mode: (typeof modes)[MappingField["startsFrom"]];
  readonly origin: MessageType;
}

/** The effects of mappings without problems by text. Streams of an API often have the same mapping for like messages. */
type KnownEffects = Map<string, KnownEffect>;

interface KnownEffect extends Inferable {
  readonly effect: MappingTypes;
  /** The types that the mapping has written, once something asks. */
  written?: ReadonlySet<Type>;
}

/** Infers a mapping, unless one with the same text was inferred for the same messages, which has the same effect. */
function inferOnce(given: Inferable, effects: KnownEffects, report: Report): MappingTypes {
  const { checked, message, mode, origin } = given;
  const { source } = checked.mapping;
  const before = effects.get(source.text);
  if (before !== undefined && isAlike(before, given)) {
    const from = before.checked.mapping.source;
    before.written ??= typesWrittenIn(from, before.effect.message);
    return {
      message: movedMessage(before.effect.message, { from, to: source, written: before.written }),
      failures: before.effect.failures.map((failure) => ({ ...failure, span: { ...failure.span, source } })),
    };
  }
  const isSelfContained = checked.maps.size === 0 && !checked.isPartial && checked.mapping.from === undefined;
  const watched = watchReports(report);
  const effect = inferMapping(checked, message, mode, watched.report, origin);
  const isSound = isSelfContained && !watched.hasReported();
  if (isSound && effect.failures.every(({ span }) => span.source === source)) {
    const { message, failures } = effect;
    effects.set(source.text, { ...given, effect: { message, failures } });
  }
  return effect;
}

/** Whether two mappings with the same text have the same effect. */
function isAlike(one: Inferable, other: Inferable): boolean {
  return (
    one.mode === other.mode &&
    isSameMessage(one.message, other.message) &&
    isSameMessage(one.origin, other.origin) &&
    hasSameCalls(one.checked, other.checked)
  );
}

function known<T>(checked: T | undefined): T {
  invariant(checked !== undefined, "every script of a set is checked");
  return checked;
}
