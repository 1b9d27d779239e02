// Checks a definition as part of its set, in the compiling thread.

import { hash } from "node:crypto";
import type {
  CalledRoute,
  DefinitionDiagnostic,
  DefinitionFacts,
} from "../../compiler/compile-definition.ts";
import { GatewayError } from "../../runtime/errors.ts";
import type { ApiArtifact } from "../../runtime/gateway/artifact/manifest.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import type { Compiler } from "../compiling/compiler.ts";
import type { Compiled, Job, PresentText, Surroundings } from "../compiling/messages.ts";
import type { Tenants } from "../organisations/tenants.ts";
import type { ManagementStore } from "../store/tables.ts";
import { readTexts, type SetMember } from "./apis.ts";
import { digestOf, type SentDefinition } from "./sent.ts";

/** The dependencies of compilation. */
export interface Building {
  readonly store: ManagementStore;
  readonly compiler: Compiler;
  /** Identifies everything else that modules depend on: the settings, the compiler, the runtime. */
  readonly basis: string;
  readonly tenants: Tenants;
}

/** The compiled module of an API. */
export interface BuiltApi {
  /** The hash of everything that it was compiled from. */
  readonly source: string;
  readonly artifact: Omit<ApiArtifact, "organisation" | "stopped" | "restarts">;
  readonly code: string;
}

/** A definition without errors. It may have warnings. */
export interface CheckedDefinition {
  readonly facts: DefinitionFacts;
  readonly diagnostics: readonly DefinitionDiagnostic[];
  /** Absent if the API is switched off. */
  readonly built?: BuiltApi;
  /** The routes and their callers; empty if the API is switched off. */
  readonly routes: readonly CalledRoute[];
}

/** The organisation of a definition, and which of its APIs the definition may refer to. */
export interface Ownership {
  readonly organisation: string;
  /**
   * Whether an API is visible; others count as those of another organisation. By default all of the organisation's are.
   */
  readonly sees?: (other: SetMember) => boolean;
}

/** A definition and its owner. */
export interface OwnedDefinition extends SentDefinition, Ownership {}

/** The codes for two APIs with the same route, and two with the same id. */
const samePlace = "GW4038";
const sameId = "GW1052";

/**
 * Compiles a definition as the API `id`, together with the other APIs of its organisation. Throws a `refusal` with all
 * problems. About other organisations, it reveals at most that a route is taken.
 */
export async function checkDefinition(
  building: Building,
  id: string,
  { text, format, organisation, sees }: OwnedDefinition,
  others: readonly SetMember[],
): Promise<CheckedDefinition> {
  const owner = { organisation, ...(sees && { sees }) };
  const compiled = await compileBeside(building, owner, others, (surroundings) => ({
    ...surroundings,
    kind: "definition",
    id,
    format,
    text,
  }));
  const { facts, diagnostics, unit, routes = [] } = compiled;
  if (facts !== undefined && !facts.isExtended) {
    throw refusal(400, "The payload should contain x-gw-api-gateway and/or x-gw-streaming.", diagnostics);
  }
  if (compiled.isRefused || facts === undefined) throw refuse(diagnostics);
  if (compiled.isPlaceTaken) throw placeTaken();
  if (unit === undefined) return { facts, diagnostics, routes };
  const { code, ...described } = unit;
  const artifact = { ...described, id, module: hash("sha256", code, "hex") };
  const source = sourceOf(building, { id, org_id: organisation, format, digest: digestOf(text) });
  return { facts, diagnostics, routes, built: { source, artifact, code } };
}

/** Returns the error for a route that another API has. It reveals nothing about other organisations. */
export function placeTaken(diagnostics: readonly DefinitionDiagnostic[] = []): GatewayError {
  return refusal(403, "Found API with same url.", diagnostics);
}

/** Whether an API would have a route of another organisation's API. */
export async function isPlaceTaken(
  building: Building,
  id: string,
  { text, format, organisation }: OwnedDefinition,
  members: readonly SetMember[],
): Promise<boolean> {
  const foreign = members.filter(({ org_id }) => org_id !== organisation);
  const compiled = await compileBeside(building, { organisation }, foreign, (surroundings) => {
    return { ...surroundings, kind: "definition", id, format, text };
  });
  return compiled.isPlaceTaken === true;
}

/** Compiles for the owner of a definition. Sends the thread the texts of other APIs that it lacks. */
export async function compileBeside(
  { store, compiler, tenants }: Omit<Building, "basis">,
  { organisation, sees = () => true }: Ownership,
  others: readonly SetMember[],
  job: (surroundings: Surroundings) => Job,
): Promise<Compiled> {
  const tenant = tenants.tenantOf(organisation);
  const assigned = tenants.assignedFor(organisation);
  const texts = new Map<string, string>();
  const asText = ({ id, format, digest }: SetMember) =>
    withText({ id, path: `${id}.${format}`, digest }, texts.get(id));
  const isOwn = (each: SetMember) => each.org_id === organisation && sees(each);
  const own = others.filter(isOwn);
  const foreign = others.filter((each) => !isOwn(each));
  for (const wanted of ["missing", "all", "all"] as const) {
    const present = own.map(asText);
    const elsewhere = foreign.map(asText);
    const compiled = await compiler.compile(job({ tenant, assigned, present, elsewhere }), organisation);
    if (compiled.missing.length === 0) return compiled;
    const ids = wanted === "all" ? others.map(({ id }) => id) : compiled.missing;
    for (const [id, text] of await readTexts(store, ids)) texts.set(id, text);
  }
  // Other APIs keep changing, or the thread keeps being replaced.
  throw new GatewayError(503, "The set of APIs is changing", { retryAfter: 1 });
}

/** Adds the text and its current digest. If the text has changed since the set was read, the writer notices. */
function withText(present: PresentText, text: string | undefined): PresentText {
  return text === undefined ? present : { ...present, text, digest: digestOf(text) };
}

/** Returns the hash of everything that an API is compiled from. APIs with the same hash have the same module. */
export function sourceOf(
  { basis }: Pick<Building, "basis">,
  { id, org_id, format, digest }: Pick<SetMember, "id" | "org_id" | "format" | "digest">,
): string {
  return hash("sha256", JSON.stringify([basis, org_id, id, format, digest]), "hex");
}

function refuse(diagnostics: readonly DefinitionDiagnostic[]) {
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  const isClash = wrong.length > 0 && wrong.every(({ code }) => code === samePlace);
  if (wrong.some(({ code }) => code === sameId))
    return refusal(409, "Found API with the same ID.", diagnostics);
  if (isClash) return placeTaken(diagnostics);
  return refusal(400, wrong.map(({ message }) => message).join("\n"), diagnostics);
}
