// Emits plan values as code: options of components, reads of the environment, names of compiled scripts.

import { unreachable } from "../diagnostics/invariant.ts";
import type { MappingSequence } from "../plan/mapping/ir.ts";
import {
  bareOption,
  besideOption,
  type ComponentPlan,
  type EnvironmentPartPlan,
  type EnvironmentPlan,
  type FieldPlan,
  type JoinedTextPlan,
  type ObjectPlan,
  type ValuePlan,
} from "../plan/plan.ts";
import { variableReadsOf } from "../plan/values.ts";
import {
  block,
  type Code,
  call,
  code,
  linkAs,
  linkTo,
  linkToRuntime,
  list,
  literal,
  objectOf,
  raw,
  templateLiteral,
} from "./code.ts";
import {
  broughtLinks,
  encodedLinks,
  handlingLinks,
  makerLinks,
  type WrappedOption,
  wrappedOptions,
} from "./links.ts";
import { emitLongData } from "./long-data.ts";
import type { StepTypes } from "./mapping/parameters.ts";
import { resourceReference } from "./names.ts";
import { emitPlaced, emitSource } from "./place.ts";
import { methodLinks } from "./protection-links.ts";
import type { Scripts } from "./scripts.ts";

/** The context in which a value is emitted. */
export interface ValueContext {
  readonly scripts: Scripts;
  /** The names down to this value, for naming the functions of scripts: `intake`, `mapping`. */
  readonly names: readonly string[];
  /** Path in the document, for citing. */
  readonly path: string;
  readonly file: string;
  /** Receives the functions of scripts that use what belongs to an instance of the stream. */
  readonly sharing?: Code[];
  /** Receives the functions that count, of the enclosing component that is created several times. */
  readonly renewing?: Code[];
  /** Whether processors record their place on messages that they fail on. */
  readonly namesSources?: boolean;
  /** Returns the message types at each processor of the stream, by its path. */
  readonly stepTypes?: (path: string) => StepTypes;
  /** The message types of the processor that has this option. */
  readonly step?: StepTypes | undefined;
  /** Whether options are written even if they have their default value. */
  readonly spellsDefaults?: boolean;
}

/** Returns the value as an expression. Reads of the environment expect `env` in scope. */
export function emitValue(value: ValuePlan, context: ValueContext): Code {
  switch (value.kind) {
    case "Literal":
      return literal(value.value);
    case "Environment":
      return emitEnvironment(value);
    case "JoinedText":
      return emitJoined(value, context);
    case "List":
      return (
        emitLongData(value, context.spellsDefaults === true) ??
        list(
          "[",
          value.items.map((item, index) =>
            emitValue(item, { ...context, path: `${context.path}[${index}]` }),
          ),
          "]",
        )
      );
    case "Object":
      return emitOptions(value, context);
    case "Component":
      return emitComponent(value, context);
    case "Resource":
      return resourceReference(value.label);
    case "SchemaCheck":
      return context.scripts.check(value);
    case "MappingSequence":
      return context.scripts.reference(value, { ...context, step: sequenceStep(value, context) });
    case "MappingPlan":
    case "QueryPlan":
    case "TemplatePlan":
      return context.scripts.reference(value, context);
    default:
      return unreachable(value);
  }
}

/** `joinText(a, b)`; `urlOf(["https://example.com/", { value: b }])` if computed values are encoded. */
function emitJoined({ parts, encoded, given }: JoinedTextPlan, context: ValueContext): Code {
  const emitted = parts.map((part) => emitValue(part, context));
  if (given !== undefined) {
    const pieces = parts.map((part, index) => {
      const piece = emitted[index] ?? literal("");
      return part.kind === "TemplatePlan" ? objectOf([["given", piece]]) : piece;
    });
    const form = emitLimit({ kind: "Form", format: given });
    return call(linkTo("runtime/grammar/pattern-text.ts", "patternText"), [form, list("[", pieces, "]")]);
  }
  if (encoded === undefined) return call(linkTo("runtime/component/text.ts", "joinText"), emitted);
  const isUrl = encoded.as === "url";
  const pieces = emitted.map((part, index) => {
    const origin = encoded.origins[index] ?? "value";
    if (origin === "fixed") return part;
    return objectOf([[isUrl ? origin : "value", part]]);
  });
  const { module, symbol } = encodedLinks[encoded.as];
  const open = isUrl && encoded.isHostOpen ? [raw("true")] : [];
  return call(linkTo(module, symbol), [list("[", pieces, "]"), ...open]);
}

/** Emits the call that creates a component: `kafkaOutput({ topic: "orders" })`. */
export function emitComponent(component: ComponentPlan, context: ValueContext): Code {
  // The runtime of this package knows its defaults; other packages receive them.
  const spellsDefaults = component.runtime.source !== undefined;
  const renewing: Code[] = [];
  const inside: ValueContext = {
    ...context,
    ...(component.isMadeLater === true && { renewing }),
    spellsDefaults,
    names: [...context.names, component.name],
    path: component.origin.path,
    step: component.role === "processor" ? context.stepTypes?.(component.origin.path) : undefined,
  };
  const wrapped = wrappedOptions(component);
  const around = new Set(wrapped.map(({ field }) => field));
  const fields = component.options.fields.filter((field) => !around.has(field));
  const [only, ...others] = fields;
  const bare = only?.name === bareOption && others.length === 0;
  const argument = bare ? emitValue(only.value, inside) : emitOptions({ kind: "Object", fields }, inside);
  const own = emitWrapped(call(linkToRuntime(component.runtime), [argument]), wrapped, inside);
  const { isMadeLater = false, label, origin, role } = component;
  const named = context.namesSources === true && role === "processor" ? emitSource(own, component) : own;
  const made = role !== "scanner" ? emitPlaced(named, { ...origin, label }) : named;
  if (!isMadeLater) return made;
  return renewing.length === 0
    ? code`() => ${made}`
    : code`() => ${block([...renewing, code`return ${made};`])}`;
}

/** `outputWithProcessors(outputWithBatching(kafkaOutput({ … }), { count: 10 }), [mapping(enrich)])` */
function emitWrapped(own: Code, options: readonly WrappedOption[], inside: ValueContext): Code {
  return options.reduce((made, { field: { name, value }, link }) => {
    const named = name === besideOption ? "" : `.${name}`;
    const context = { ...inside, names: [...inside.names, name], path: `${inside.path}${named}` };
    return call(linkTo(link.module, link.symbol), [made, emitValue(value, context)]);
  }, own);
}

/** Emits the options that differ from their defaults, which the runtime knows. */
function emitOptions(options: ObjectPlan, context: ValueContext): Code {
  const written = options.fields.filter((field) => context.spellsDefaults === true || !field.defaulted);
  return objectOf(
    written.map(({ name, value, maker, brings, library, writtenTexts }) => {
      if (library !== undefined) return [name, emitLibrary(library)] as const;
      if (brings !== undefined) {
        const { module, symbol } = { ...broughtLinks, ...handlingLinks }[brings];
        return [name, linkTo(module, symbol)] as const;
      }
      const inside = {
        ...context,
        names: [...context.names, name],
        path: `${context.path}.${name}`,
        step: optionStep(value, context.step),
      };
      const emitted = emitValue(value, inside);
      if (writtenTexts !== undefined) return [name, emitWithTexts(emitted, writtenTexts)] as const;
      if (maker === undefined) return [name, emitted] as const;
      const { module, symbol } = { ...makerLinks, ...methodLinks, ...handlingLinks }[maker];
      return [name, call(linkTo(module, symbol), [emitted])] as const;
    }),
  );
}

/** `{ upper: { takes: "string", call: upperInLibrary } }` */
function emitLibrary(library: NonNullable<FieldPlan["library"]>): Code {
  return objectOf(
    Object.entries(library)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { module, symbol, takes }]) => {
        // Functions of mappings may have the same name.
        const call = linkAs(module, symbol, `${symbol}InLibrary`);
        return [
          name,
          objectOf([
            ["takes", literal(takes)],
            ["call", call],
          ]),
        ] as const;
      }),
  );
}

/** `withTexts(args, ["orders:*"])` */
function emitWithTexts(mapping: Code, texts: readonly string[]): Code {
  return call(linkTo("runtime/processors/functions.ts", "withTexts"), [
    mapping,
    list("[", texts.map(literal), "]"),
  ]);
}

/** Returns the input type of the first mapping and the result type of the last one. */
function sequenceStep({ steps }: MappingSequence, { step, stepTypes }: ValueContext): StepTypes {
  const last = steps.at(-1);
  return { reads: step?.reads, gives: last && stepTypes?.(last.path).gives };
}

/**
 * Returns the types of a mapping in an option: it reads the processor's input; only a result mapping sets the output.
 */
function optionStep(value: ValuePlan, step: StepTypes | undefined): StepTypes | undefined {
  if (step === undefined || value.kind !== "MappingPlan") return undefined;
  return value.mode === "result" ? step : { reads: step.reads };
}

function emitEnvironment(value: EnvironmentPlan): Code {
  const [first, ...others] = value.parts;
  if (first !== undefined && others.length === 0) {
    const only = emitPart(first, value);
    return first.kind === "File" ? emitWhole(only, value) : only;
  }
  const { isSplit } = value;
  const joined = templateLiteral(
    value.parts.map((part) =>
      part.kind === "Text" ? part.text : emitPart(part, { type: "string", ...(isSplit && { isSplit }) }),
    ),
  );
  const text = emitWhole(joined, value);
  // The reader of the list splits its items: a comma may come from the environment.
  return value.type === "list" ? code`[${text}]` : text;
}

/** Reads several parts as a whole, and checks their combined value. */
function emitWhole(text: Code, { type, parts, limit }: EnvironmentPlan): Code {
  const isText = type === "string" || type === "list";
  if (limit === undefined && isText) return text;
  const isOfRequest = parts.some(({ kind }) => kind === "Request");
  const names = parts.flatMap((part) => {
    if (part.kind === "Text" || (isOfRequest && part.kind !== "Request")) return [];
    return [literal(part.kind === "File" ? part.path : part.name)];
  });
  const items = linkTo("runtime/process/environment-limits.ts", "itemsOf");
  const given = limit === undefined ? literal(undefined) : emitLimit(limit);
  const whole = type === "list" ? call(items, [given]) : given;
  const readAs = literal(isText ? "text" : readers[type]);
  if (isOfRequest) return call(raw("request.together"), [readAs, text, whole, ...names]);
  if (isText) return call(raw("env.together"), [text, whole, ...names]);
  return call(linkTo("runtime/process/environment.ts", "readTogether"), [readAs, text, whole, ...names]);
}

function emitPart(
  part: EnvironmentPartPlan,
  { type, limit, isSplit }: Pick<EnvironmentPlan, "type" | "limit" | "isSplit">,
): Code {
  switch (part.kind) {
    case "Text":
      return literal(part.text);
    case "File":
      return code`env.file(${part.path})`;
    case "Request": {
      const own = part.limit ?? limit;
      return call(raw(`request.${isSplit === true ? "item" : readers[type]}`), [
        literal(part.name),
        ...(own === undefined ? [] : [emitLimit(own)]),
      ]);
    }
    case "Variable": {
      const reader = raw(`env.${readers[type]}`);
      const fallback = part.fallback === undefined ? raw("undefined") : literal(part.fallback);
      if (limit !== undefined) return call(reader, [literal(part.name), fallback, emitLimit(limit)]);
      return call(
        reader,
        part.fallback === undefined ? [literal(part.name)] : [literal(part.name), fallback],
      );
    }
  }
}

/** `oneOf("GET", "POST")`, `between(0, 2)`, `kafkaTopic`. */
function emitLimit(limit: NonNullable<EnvironmentPlan["limit"]>): Code {
  const module = "runtime/process/environment-limits.ts";
  switch (limit.kind) {
    case "OneOf":
      return call(linkTo(module, "oneOf"), limit.values.map(literal));
    case "Between": {
      const { minimum, maximum } = limit;
      const first = minimum === undefined ? raw("undefined") : literal(minimum);
      return call(linkTo(module, "between"), maximum === undefined ? [first] : [first, literal(maximum)]);
    }
    case "Form":
      return linkTo("runtime/generated/formats.ts", camelCase(limit.format));
  }
}

/** `kafkaTopic` for `kafka-topic`. */
function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const readers = {
  string: "text",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  duration: "duration",
  list: "list",
} as const satisfies Record<EnvironmentPlan["type"], string>;

/** Whether a value reads the environment when the gateway starts. */
export function readsEnvironment(value: ValuePlan): boolean {
  switch (value.kind) {
    case "Environment":
      return value.parts.some(({ kind }) => kind === "Variable" || kind === "File");
    case "JoinedText":
      return value.parts.some(readsEnvironment);
    case "List":
      return value.items.some(readsEnvironment);
    case "Object":
      return value.fields.some((field) => readsEnvironment(field.value));
    case "Component":
      return readsEnvironment(value.options);
    default:
      return variableReadsOf(value).some(({ from }) => from === "environment");
  }
}
