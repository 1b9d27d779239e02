// Requests against the operations of the document that they are for: `validateRequest`.

import type { ReadBody } from "../../component/endpoint.ts";
import { GatewayError } from "../../errors.ts";
import type { Call, StepResult } from "../../http/call.ts";
import {
  createOperationTable,
  type DescribedOperation,
  type FoundOperation,
} from "../../http/incoming/operation-table.ts";
import type { Protection } from "../../protection.ts";
import { bodyFaults, type DeclaredBody, declaredMedia, readHeldBody } from "./body.ts";
import { bounded, faultsOfTexts, type RequestFault, type SchemaCheck } from "./check.ts";
import { type ParameterRule, readParameters, sourcesOf } from "./parameters.ts";

/** An operation, with what its requests are validated against. */
export interface ValidationOperation extends DescribedOperation {
  /** Of refusals; 422. */
  readonly status?: number;
  readonly parameters?: readonly ParameterRule[];
  /** Of all parameters, by place and name. */
  readonly check?: SchemaCheck;
  readonly body?: DeclaredBody;
}

export interface RequestValidationBlock {
  readonly operations: readonly ValidationOperation[];
  /** Operations whose requests would else be taken for those of one of them: `/rooms/new` beside `/rooms/{id}`. */
  readonly passed?: readonly DescribedOperation[];
}

type Found = FoundOperation<ValidationOperation>;

/**
 * Refuses what does not fit its operation with the places that do not: `{"error": …, "faults": [{"pointer", "reason"}]}`;
 * a body of a type the operation does not name with 415. What might be read as several operations has to fit all of them;
 * what no operation declares passes.
 */
export function requestValidation({ operations, passed = [] }: RequestValidationBlock): Protection {
  const find = createOperationTable<ValidationOperation>([...operations, ...passed]);
  return {
    place: "validation",
    start: ({ maxBodyBytes }) => ({
      check(call) {
        if (call.api === undefined) return "next";
        const { own, alike } = find(call.verb, call.api);
        if (own !== undefined && alike.length === 0) return validate(call, own, maxBodyBytes);
        if (alike.length === 0) return "next";
        return validateAll(call, own === undefined ? alike : [own, ...alike], maxBodyBytes);
      },
    }),
  };
}

async function validateAll(call: Call, all: readonly Found[], maxBodyBytes: number): Promise<StepResult> {
  for (const found of all) {
    const result = await validate(call, found, maxBodyBytes);
    if (result !== "next") return result;
  }
  return "next";
}

function validate(call: Call, found: Found, maxBodyBytes: number): StepResult | Promise<StepResult> {
  const { operation } = found;
  const faults = parameterFaults(call, found);
  const { body } = operation;
  if (body === undefined || call.transport.kind !== "http") return refuse(faults, operation);
  // What is refused anyway need not send its body.
  if (faults.length > 0 && call.request.headers.expect !== undefined) return refuse(faults, operation);
  const media = declaredMedia(call, body);
  if (media instanceof GatewayError) return media;
  if (!("type" in media)) return refuse([...faults, ...media], operation);
  const judge = (read: ReadBody | GatewayError) =>
    read instanceof GatewayError
      ? read
      : refuse([...faults, ...bodyFaults(call, read, media, body)], operation);
  return call.body === undefined ? readHeldBody(call, maxBodyBytes).then(judge) : judge(call.body);
}

function parameterFaults(call: Call, { operation, parameters: path }: Found): readonly RequestFault[] {
  const { parameters = [], check } = operation;
  if (check === undefined) return [];
  const { values, faults } = readParameters(parameters, sourcesOf(call, path));
  const unread = new Set(faults.map(({ pointer }) => pointer));
  // What could not be read is not missing, too.
  const own = faultsOfTexts(check, values).filter(({ pointer }) => !unread.has(pointer));
  return [...faults, ...own];
}

function refuse(faults: readonly RequestFault[], { status = 422 }: ValidationOperation): StepResult {
  if (faults.length === 0) return "next";
  return new GatewayError(status, "Request does not fit its description", {
    details: { faults: bounded(faults) },
  });
}
