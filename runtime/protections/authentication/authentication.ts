// Authenticates callers: `server.authentication` with the `security` of a document.

import type { Eventually } from "../../component/resource.ts";
import { GatewayError } from "../../errors.ts";
import type { Call, StepResult } from "../../http/call.ts";
import type { Caller } from "../../keys/session.ts";
import type { Guard, Protection } from "../../protection.ts";
import { type OpenRights, scopedRights } from "../rights/open-rights.ts";
import { type AuthenticationOptions, describeCallers, type WrittenRequirements } from "./callers.ts";
import { type AuthenticationOutcome, decide, decideAlone, type Requirement, withAll } from "./decide.ts";
import type { Authenticator, Identity } from "./method.ts";
import { createOperationTable } from "./operations.ts";
import { takeCredentials } from "./sources.ts";

interface StartedMethod {
  readonly identity: Identity;
  readonly authenticator: Authenticator;
}

/** Admits the callers that the document admits, and sets `call.caller`. */
export function authentication(options: AuthenticationOptions): Protection {
  return {
    place: "authentication",
    callers: describeCallers(options),
    async start(context) {
      const methods = new Map<string, StartedMethod>();
      const rights = context.gateway.get(scopedRights);
      const keysChanged = () => rights.noteChange();
      const close = async () => {
        await Promise.all([...methods.values()].map(({ authenticator }) => authenticator.close?.()));
      };
      try {
        for (const [name, { identity, start }] of Object.entries(options.methods)) {
          methods.set(name, { identity, authenticator: await start({ ...context, keysChanged }) });
        }
      } catch (error) {
        await close();
        throw error;
      }
      rights.connect(context);
      return { check: createCheck(options, methods, rights), close };
    },
  };
}

function createCheck(
  options: AuthenticationOptions,
  methods: ReadonlyMap<string, StartedMethod>,
  rights: OpenRights,
): Guard["check"] {
  const { operations = [], baseIdentityProvider: base = "", stripAuthorizationData: strip = false } = options;
  const general = readRequirements(options.requirements);
  const ofOperations = operations.map((each) => ({
    ...each,
    requirements: each.requirements === undefined ? general : readRequirements(each.requirements),
  }));
  const findRequirements = createOperationTable(ofOperations, general);
  const lone = findLone([general, ...ofOperations.map(({ requirements }) => requirements)], methods);
  const sources = [...methods.values()].map(({ authenticator }) => authenticator.sources);
  const challenges = [
    ...new Set([...methods.values()].flatMap(({ authenticator }) => authenticator.challenge ?? [])),
  ];

  const credentialFields = sources.flatMap(({ header }) => header?.toLowerCase() ?? []);

  /** `changes`: the count of changes from before the caller was looked up. */
  function admit(call: Call, caller: Caller | undefined | GatewayError, changes: number): StepResult {
    if (caller instanceof GatewayError) return challenge(caller, challenges);
    if (caller !== undefined) call.caller = caller;
    if (caller?.renew !== undefined) {
      const right = rights.create(call, caller, changes);
      call.right = right;
      call.messages = right;
    }
    call.credentialFields = credentialFields;
    if (strip || call.api?.routes !== undefined) for (const each of sources) takeCredentials(call, each);
    return "next";
  }

  /** Asks schemes until `requirements` are decided; each scheme at most once per request. */
  function judge(
    call: Call,
    requirements: readonly Requirement[],
    outcomes: Map<string, AuthenticationOutcome>,
  ): Eventually<Caller | undefined | GatewayError> {
    for (;;) {
      const decision = decide(requirements, outcomes, base === "" ? undefined : base);
      if ("result" in decision) return decision.result;
      const { ask } = decision;
      const { identity, authenticator } = methods.get(ask) ?? unknown(ask);
      const authentication = authenticator.authenticate(call);
      if (authentication instanceof Promise) {
        return authentication.then((settled) => {
          outcomes.set(ask, { identity, authentication: settled });
          return judge(call, requirements, outcomes);
        });
      }
      outcomes.set(ask, { identity, authentication });
    }
  }

  return (call) => {
    if (call.api === undefined || passesPreflight(call)) return "next";
    const { changes } = rights;
    const lists = findRequirements(call.verb, call.api);
    const first = lists[0];
    const isOnly = lists.length === 1;
    if (first === undefined || (first.length === 0 && isOnly)) return admit(call, undefined, changes);
    const alone = isOnly ? lone.get(first) : undefined;
    if (alone !== undefined) {
      const { authenticator, scopes } = alone;
      const outcome = authenticator.authenticate(call);
      if (!(outcome instanceof Promise)) return admit(call, decideAlone(scopes, outcome), changes);
      return outcome.then((settled) => admit(call, decideAlone(scopes, settled), changes));
    }
    const outcomes = new Map<string, AuthenticationOutcome>();
    const known = judge(call, first, outcomes);
    if (isOnly && !(known instanceof Promise)) return admit(call, known, changes);
    return judgeAll(lists.slice(1), known, (list) => judge(call, list, outcomes)).then((caller) =>
      admit(call, caller, changes),
    );
  };
}

/** A scheme that admits requests on its own, with the scopes that are required. */
interface Lone {
  readonly authenticator: Authenticator;
  readonly scopes: readonly string[];
}

/** Returns the requirement lists that consist of one scheme only. */
function findLone(
  lists: readonly (readonly Requirement[])[],
  methods: ReadonlyMap<string, StartedMethod>,
): ReadonlyMap<readonly Requirement[], Lone> {
  const found = new Map<readonly Requirement[], Lone>();
  for (const list of lists) {
    const [only, ...others] = list.flatMap((requirement) => [...requirement]);
    if (only === undefined || others.length > 0 || list.length > 1) continue;
    const [scheme, scopes] = only;
    const { authenticator } = methods.get(scheme) ?? unknown(scheme);
    found.set(list, { authenticator, scopes });
  }
  return found;
}

/** Returns the caller of the first list if all other lists admit the request, too; otherwise the first refusal. */
async function judgeAll(
  others: readonly (readonly Requirement[])[],
  first: Eventually<Caller | undefined | GatewayError>,
  judge: (requirements: readonly Requirement[]) => Eventually<Caller | undefined | GatewayError>,
): Promise<Caller | undefined | GatewayError> {
  let caller = await first;
  for (const list of others) {
    if (caller instanceof GatewayError) return caller;
    const other = await judge(list);
    if (other instanceof GatewayError) return other;
    caller = caller && other ? withAll(caller, [caller, other]) : (caller ?? other);
  }
  return caller;
}

/** Whether a request is a CORS preflight, which has no credentials, that the upstream answers and no stream does. */
function passesPreflight({ verb, api, request }: Call): boolean {
  if (verb !== "OPTIONS" || api?.api.cors?.passesPreflights !== true) return false;
  const { origin, "access-control-request-method": method } = request.headers;
  return origin !== undefined && method !== undefined && api.routes === undefined;
}

function readRequirements(written: WrittenRequirements): readonly Requirement[] {
  return written.map((requirement) => new Map(Object.entries(requirement)));
}

/** Adds the registered schemes to a 401 response, so that clients know how to authenticate (RFC 9110, 15.5.2). */
function challenge(refusal: GatewayError, challenges: readonly string[]): GatewayError {
  if (refusal.status !== 401 || challenges.length === 0 || refusal.headers["www-authenticate"] !== undefined)
    return refusal;
  const headers = { ...refusal.headers, "www-authenticate": challenges.join(", ") };
  return new GatewayError(401, refusal.message, { headers, reason: refusal.reason ?? "unauthenticated" });
}

function unknown(scheme: string): never {
  throw new Error(`no method for the scheme ${scheme}`);
}
