// A definition held against the set it is to be part of, in the compiling thread.

import { hash } from "node:crypto";
import type { DefinitionDiagnostic, DefinitionFacts } from "../../compiler/compile-definition.ts";
import type { ApiArtifact } from "../../runtime/artifact/manifest.ts";
import { GatewayError } from "../../runtime/errors.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import type { Compiler } from "../compiling/compiler.ts";
import type { Compiled, Job, PresentText } from "../compiling/messages.ts";
import type { ManagementStore } from "../store/tables.ts";
import { readTexts, type SetMember } from "./apis.ts";
import { digestOf, type SentDefinition } from "./sent.ts";

/** What is compiled by, and for whom. */
export interface Building {
  readonly store: ManagementStore;
  readonly compiler: Compiler;
  /** Whatever else modules depend on: the settings, the compiler, the runtime. */
  readonly basis: string;
}

/** The module of an API as it is stored. */
export interface BuiltApi {
  /** What it was compiled from. */
  readonly source: string;
  readonly artifact: Omit<ApiArtifact, "stopped" | "restarts">;
  readonly code: string;
}

/** A definition that nothing is wrong with but warnings. */
export interface CheckedDefinition {
  readonly facts: DefinitionFacts;
  readonly diagnostics: readonly DefinitionDiagnostic[];
  /** Absent for an API that is switched off. */
  readonly built?: BuiltApi;
}

/** Two APIs at one place, and two of one id. */
const samePlace = "GW4038";
const sameId = "GW1052";

/** Compiles a definition as the API `id`, beside the others. Throws a `refusal` with everything that is wrong. */
export async function checkDefinition(
  building: Building,
  id: string,
  { text, format }: SentDefinition,
  others: readonly SetMember[],
): Promise<CheckedDefinition> {
  const compiled = await compileBeside(building, others, (present) => ({
    kind: "definition",
    id,
    format,
    text,
    present,
  }));
  const { facts, diagnostics, unit } = compiled;
  if (facts !== undefined && !facts.isExtended) {
    throw refusal(400, "The payload should contain x-gw-api-gateway and/or x-gw-streaming.", diagnostics);
  }
  if (compiled.isRefused || facts === undefined) throw refuse(diagnostics);
  if (unit === undefined) return { facts, diagnostics };
  const { code, imports, name, listenPath, streams } = unit;
  const module = hash("sha256", code, "hex");
  const artifact = { id, ...(name !== undefined && { name }), listenPath, streams, module, imports };
  return { facts, diagnostics, built: { source: sourceOf(building, id, { text, format }), artifact, code } };
}

/** Compiles in the thread, which is given the texts of others that it has not. */
export async function compileBeside(
  { store, compiler }: Pick<Building, "store" | "compiler">,
  others: readonly SetMember[],
  job: (present: readonly PresentText[]) => Job,
): Promise<Compiled> {
  const present = others.map(({ id, format, digest }): PresentText => {
    return { id, path: `${id}.${format}`, digest };
  });
  const texts = new Map<string, string>();
  for (const wanted of ["missing", "all", "all"] as const) {
    const compiled = await compiler.compile(job(present.map((each) => withText(each, texts.get(each.id)))));
    if (compiled.missing.length === 0) return compiled;
    const ids = wanted === "all" ? present.map(({ id }) => id) : compiled.missing;
    for (const [id, text] of await readTexts(store, ids)) texts.set(id, text);
  }
  // Others change, or the thread is ended, again and again.
  throw new GatewayError(503, "The set of APIs is changing", { retryAfter: 1 });
}

/** A text that has changed since the set was read is what it is now; whoever writes notices that. */
function withText(present: PresentText, text: string | undefined): PresentText {
  return text === undefined ? present : { ...present, text, digest: digestOf(text) };
}

/** What an API is compiled from: the same, the same module. */
export function sourceOf({ basis }: Pick<Building, "basis">, id: string, { text, format }: SentDefinition) {
  return sourceOfDigest(basis, { id, format, digest: digestOf(text) });
}

/** The same of what the set says of it. */
export function sourceOfDigest(
  basis: string,
  { id, format, digest }: Pick<SetMember, "id" | "format" | "digest">,
): string {
  return hash("sha256", JSON.stringify([basis, id, format, digest]), "hex");
}

function refuse(diagnostics: readonly DefinitionDiagnostic[]) {
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  const isClash = wrong.length > 0 && wrong.every(({ code }) => code === samePlace);
  if (wrong.some(({ code }) => code === sameId))
    return refusal(409, "Found API with the same ID.", diagnostics);
  if (isClash) return refusal(403, "Found API with same url.", diagnostics);
  return refusal(400, wrong.map(({ message }) => message).join("\n"), diagnostics);
}
