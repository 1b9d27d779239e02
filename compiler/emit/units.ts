// A plan in, modules out that are deployed one by one: each API, and what belongs to the process. They are emitted as in a
// whole gateway; only what stands around them differs.

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
  /** Its default export is what the runtime serves. */
  readonly code: string;
  /** `validators.ts`, as in a whole gateway. */
  readonly validators?: string;
}

/** The module of one API. Same plan, same text. */
export async function emitApiUnit(api: ApiPlan): Promise<EmittedUnit> {
  return assembleUnit(apiLink, (scripts) => emitApi(api, scripts), [api.file]);
}

/** The module of what belongs to the process; it has no APIs. */
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
