// Requests against the operations of the document that they are for: `validateRequest`.

import { GatewayError } from "../../errors.ts";
import type { Call } from "../../middleware/call.ts";
import type { StepResult } from "../../middleware/chain.ts";
import { PathTable, parameterNames } from "../../path-table.ts";
import type { Protection } from "../../protection.ts";
import { type DeclaredBody, validateBody } from "./body.ts";
import { bounded, type Fault, faultsOfTexts, type SchemaCheck } from "./check.ts";
import { type Parameter, readParameters, sourcesOf } from "./parameters.ts";

/** An operation whose requests are validated. */
export interface ValidatedOperation {
  readonly verb: string;
  /** Below the listen path; `{name}` stands for a segment. */
  readonly path: string;
  /** Of refusals; 422. */
  readonly status?: number;
  readonly parameters?: readonly Parameter[];
  /** Of all parameters, by place and name. */
  readonly check?: SchemaCheck;
  readonly body?: DeclaredBody;
}

export interface RequestValidationBlock {
  readonly operations: readonly ValidatedOperation[];
  /** Paths whose requests would else be taken for those of one of them: `/rooms/new` beside `/rooms/{id}`. */
  readonly passed?: readonly string[];
}

interface Found {
  readonly operation: ValidatedOperation;
  readonly path: ReadonlyMap<string, string>;
}

/**
 * Refuses what does not fit its operation with the places that do not: `{"error": …, "faults": [{"pointer", "reason"}]}`;
 * a body of a type the operation does not name with 415. What no operation declares passes.
 */
export function requestValidation({ operations, passed = [] }: RequestValidationBlock): Protection {
  const table = new PathTable<Map<string, ValidatedOperation>>();
  const at = (path: string) => table.at(path, () => new Map<string, ValidatedOperation>(), true);
  for (const operation of operations) at(operation.path).set(operation.verb, operation);
  passed.forEach(at);
  return {
    place: "validation",
    start: ({ maxBodyBytes }) => ({
      check(call) {
        const found = findOperation(table, call);
        return found === undefined ? "next" : validate(call, found, maxBodyBytes);
      },
    }),
  };
}

function findOperation(
  table: PathTable<Map<string, ValidatedOperation>>,
  { api, verb }: Call,
): Found | undefined {
  const match = api && table.find(api.rest.segments);
  const operation = match?.value.get(verb);
  if (api === undefined || operation === undefined) return undefined;
  const segments = operation.path.slice(1).split("/");
  const names = parameterNames(operation.path);
  // As sent: separators of a style that are escaped are none.
  const values = api.rest.raw.filter((_, index) => /^\{.*\}$/.test(segments[index] ?? ""));
  return { operation, path: new Map(names.map((name, index) => [name, values[index] ?? ""])) };
}

function validate(call: Call, found: Found, maxBodyBytes: number): StepResult | Promise<StepResult> {
  const { operation } = found;
  const faults = parameterFaults(call, found);
  const { body } = operation;
  if (body === undefined || call.transport.kind !== "http") return refuse(faults, operation);
  // What is refused anyway need not send its body.
  if (faults.length > 0 && call.request.headers.expect !== undefined) return refuse(faults, operation);
  return validateBody(call, body, maxBodyBytes).then((own) =>
    own instanceof GatewayError ? own : refuse([...faults, ...own], operation),
  );
}

function parameterFaults(call: Call, { operation, path }: Found): readonly Fault[] {
  const { parameters = [], check } = operation;
  if (check === undefined) return [];
  const { values, faults } = readParameters(parameters, sourcesOf(call, path));
  const unread = new Set(faults.map(({ pointer }) => pointer));
  // What could not be read is not missing, too.
  const own = faultsOfTexts(check, values).filter(({ pointer }) => !unread.has(pointer));
  return [...faults, ...own];
}

function refuse(faults: readonly Fault[], { status = 422 }: ValidatedOperation): StepResult {
  if (faults.length === 0) return "next";
  return new GatewayError(status, "Request does not fit its description", {
    details: { faults: bounded(faults) },
  });
}
