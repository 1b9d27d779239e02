// Collects the functions for mappings, checks and interpolations. They are named after their place, emitted once, and
// referenced by name.

import { variablesReadBy } from "../plan/mapping/contents.ts";
import type { MappingPlan, MappingSequence, QueryPlan, TemplatePlan } from "../plan/mapping/ir.ts";
import type { SchemaCheckPlan } from "../plan/plan.ts";
import { counts, usesCaches } from "../plan/resources.ts";
import { type Code, code, fragment, hardBreak, join, linksIn, linkTo, linkToType, raw } from "./code.ts";
import { emitScript } from "./mapping/mapping.ts";
import type { StepTypes } from "./mapping/parameters.ts";
import { emitSequence } from "./mapping/sequence.ts";
import { createNames, resourcesName } from "./names.ts";
import { cite } from "./place.ts";

/** The emitted file of compiled schemas, as `gateway.ts` imports it. */
const validatorsModule = "./validators.ts";

/** The emitted file of message types, as `gateway.ts` imports it, and its type of all messages. */
const typesModule = "./types.ts";
const messagesSymbol = "Messages";

/** A schema and the name of its function. */
export interface NamedCheck {
  readonly name: string;
  readonly plan: SchemaCheckPlan;
}

export type ScriptPlan = MappingPlan | MappingSequence | QueryPlan | TemplatePlan;

/** The place of a script. */
export interface ScriptLocation {
  /** API, stream, then names of components and options down to the script. */
  readonly names: readonly string[];
  /** Path in the document. */
  readonly path: string;
  /** The message types that a mapping reads and returns, if they are known. */
  readonly step?: StepTypes | undefined;
  /**
   * Receives the functions that use resources of the stream or read variables, which are emitted in the stream's
   * factory.
   */
  readonly sharing?: Code[] | undefined;
  /** Receives the functions that count, of a component that is created several times: each begins to count anew. */
  readonly renewing?: Code[] | undefined;
}

/** Collects the functions of scripts. */
export interface Scripts {
  /** Returns the name of the function for a script. */
  reference(plan: ScriptPlan, place: ScriptLocation): Code;
  /** Returns the type of a stream's messages by step, from `types.ts`. */
  messagesOf(api: string, stream: string): Code;
  /** Returns the name of the function for a schema, in `validators.ts`. */
  check(plan: SchemaCheckPlan): Code;
  /** Returns all schemas so far. */
  checks(): readonly NamedCheck[];
  /** Returns the declarations of all types so far. */
  types(): readonly Code[];
  /** Returns all functions so far, each below a line that cites its source. */
  functions(): readonly Code[];
  /** Returns the names of all functions so far, including those inside factories. */
  names(): readonly string[];
}

/** Returns the result of `emit` and its scripts. No function has the name of an imported symbol. */
export function emitWithScripts(emit: (scripts: Scripts) => Code): {
  readonly definition: Code;
  readonly scripts: Scripts;
} {
  const scripts = createScripts();
  const definition = emit(scripts);
  const imported = new Set(linksIn([...scripts.functions(), definition]).map(({ symbol }) => symbol));
  if (!scripts.names().some((name) => imported.has(name))) return { definition, scripts };
  // The imports are known only after everything was emitted, and names of streams determine those of functions.
  const renamed = createScripts(imported);
  return { definition: emit(renamed), scripts: renamed };
}

/** Returns an empty collection. `taken`: names that no function may have. */
export function createScripts(taken: ReadonlySet<string> = new Set()): Scripts {
  const claimed: string[] = [];
  const names = createNames((name) => name === resourcesName || taken.has(name));
  const functions: Code[] = [];
  const checks: NamedCheck[] = [];
  const types: Code[] = [];
  const messages = new Map<string, Code>();
  return {
    messagesOf(api, stream) {
      const key = JSON.stringify([api, stream]);
      const known = messages.get(key);
      if (known !== undefined) return known;
      const name = names.claimType(`${stream} messages`, "Messages");
      claimed.push(name);
      const all = linkToType(typesModule, messagesSymbol);
      types.push(code`type ${raw(name)} = ${all}[${api}][${stream}];`);
      messages.set(key, raw(name));
      return raw(name);
    },
    check(plan) {
      const name = names.claim(`check ${plan.name}`, "check");
      checks.push({ name, plan });
      return linkTo(validatorsModule, name);
    },
    checks: () => checks,
    reference(plan, place) {
      const name = names.claim(nameFor(place), "script");
      claimed.push(name);
      const written =
        plan.kind === "MappingSequence"
          ? emitSequence(plan, name, place.step)
          : join([cite(plan.span, place.path), fragment([hardBreak]), emitScript(plan, name, place.step)]);
      const shared = isOfInstance(plan) ? place.sharing : undefined;
      const renewed = mappingsOf(plan).some(counts) ? place.renewing : undefined;
      (renewed ?? shared ?? functions).push(written);
      return raw(name);
    },
    types: () => types,
    functions: () => functions,
    names: () => claimed,
  };
}

/** Whether a script uses something that belongs to an instance of the stream. */
function isOfInstance(plan: ScriptPlan): boolean {
  return mappingsOf(plan).some((each) => usesCaches(each) || variablesReadBy(each).length > 0);
}

function mappingsOf(plan: ScriptPlan): readonly Exclude<ScriptPlan, MappingSequence>[] {
  return plan.kind === "MappingSequence" ? plan.steps.map(({ mapping }) => mapping) : [plan];
}

/** Returns the stream and the last two names: `valuable mapping`, `orders http url`. */
function nameFor(place: ScriptLocation): string {
  const [, stream, ...inside] = place.names;
  return [stream ?? "", ...inside.slice(-2)].join(" ");
}
