// Emits a plan as modules that are deployed separately: one for each API, and one for the process. Their content is the
// same as in a whole gateway.

import type { ApiPlan, Plan, RuntimeLink } from "../plan/plan.ts";
import { emitApi } from "./api.ts";
import { assembleGateway } from "./assemble.ts";
import { type Code, call, linkTo } from "./code.ts";
import { emitDefinition } from "./gateway.ts";
import { apiLink, gatewayLink } from "./links.ts";
import { emitWithScripts, type Scripts } from "./scripts.ts";
import { emitValidators } from "./validators.ts";

/** The text of one module. */
export interface EmittedUnit {
  /** The runtime serves its default export. */
  readonly code: string;
  /** `validators.ts`, as in a whole gateway. */
  readonly validators?: string;
}

/** Emits the module of one API. The same plan always results in the same text. */
export async function emitApiUnit(api: ApiPlan): Promise<EmittedUnit> {
  return assembleUnit(apiLink, (scripts) => emitApi(api, scripts), [api.file]);
}

/** Emits the module of the process, which has no APIs. */
export async function emitProcessUnit(plan: Plan): Promise<EmittedUnit> {
  return assembleUnit(gatewayLink, (scripts) => emitDefinition(plan, [], scripts), ["gateway.yaml"]);
}

async function assembleUnit(
  { module, symbol }: RuntimeLink,
  emit: (scripts: Scripts) => Code,
  sources: readonly string[],
): Promise<EmittedUnit> {
  const { definition, scripts } = emitWithScripts((collected) =>
    call(linkTo(module, symbol), [emit(collected)]),
  );
  return {
    code: await assembleGateway({
      sources,
      types: scripts.types(),
      functions: scripts.functions(),
      definition,
    }),
    ...(scripts.checks().length === 0 ? {} : { validators: await emitValidators(scripts.checks(), sources) }),
  };
}
