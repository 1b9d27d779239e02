// A plan in, modules out that are deployed one by one: each API, and what belongs to the process. They are emitted as in a
// whole gateway; only what stands around them differs.

import type { ApiPlan, Plan } from "../plan/plan.ts";
import { emitApi } from "./api.ts";
import { assembleGateway } from "./assemble.ts";
import { type Code, call, code, linkTo } from "./code.ts";
import { emitDefinition } from "./gateway.ts";
import { apiLink, gatewayLink, type RuntimeLink } from "./links.ts";
import { createScripts, type Scripts } from "./scripts.ts";
import { emitValidators } from "./validators.ts";

/** The text of one module. */
export interface EmittedUnit {
  /** Its default export is what the runtime serves. */
  readonly code: string;
  /** `validators.ts`, as in a whole gateway. */
  readonly validators?: string;
}

/** The module of one API. Same plan, same text. */
export async function emitApiUnit(api: ApiPlan): Promise<EmittedUnit> {
  const scripts = createScripts();
  return assembleUnit(apiLink, emitApi(api, scripts), [api.file], scripts);
}

/** The module of what belongs to the process; it has no APIs. */
export async function emitProcessUnit(plan: Plan): Promise<EmittedUnit> {
  const scripts = createScripts();
  return assembleUnit(gatewayLink, emitDefinition(plan, [], scripts), ["gateway.yaml"], scripts);
}

async function assembleUnit(
  { module, symbol }: RuntimeLink,
  definition: Code,
  sources: readonly string[],
  scripts: Scripts,
): Promise<EmittedUnit> {
  const defined = code`${call(linkTo(module, symbol), [definition])}`;
  return {
    code: await assembleGateway({ sources, functions: scripts.functions(), definition: defined }),
    ...(scripts.checks().length === 0 ? {} : { validators: await emitValidators(scripts.checks(), sources) }),
  };
}
