// Determines where the text of an interpolation comes from, as far as its expression shows: the document or a message.

import type { ValueOrigin } from "../../trees/api.ts";
import type { Argument, Expression } from "../../trees/mapping.ts";

/** Functions that read values that the operator of the gateway has set. */
const ofOperator: ReadonlySet<string> = new Set(["env", "file", "hostname"]);

const ofMetadata: ReadonlySet<string> = new Set(["meta", "metadata"]);
const requestPathName = "http_server_request_path";

/** Returns the origin of the text that an expression evaluates to. */
export function originOf(expression: Expression): ValueOrigin {
  switch (expression.kind) {
    case "NullLiteral":
    case "BooleanLiteral":
    case "IntegerLiteral":
    case "FloatLiteral":
    case "StringLiteral":
      return "fixed";
    case "Group":
      return originOf(expression.inner);
    case "Metadata":
      return expression.key?.text === requestPathName ? "requestPath" : "value";
    case "FunctionCall":
      return originOfCall(expression.name.text, expression.args);
    case "MethodCall":
      return originOfMethod(expression.receiver, expression.name.text, expression.args);
    case "Binary":
      return join(
        [expression.left, expression.right],
        expression.operator === "+" || expression.operator === "|",
      );
    case "IfExpression": {
      const { branches, otherwise } = expression;
      return join([...branches.map(({ value }) => value), ...(otherwise === undefined ? [] : [otherwise])]);
    }
    case "MatchExpression":
      return join(expression.cases.map(({ value }) => value));
    default:
      return "value";
  }
}

function originOfCall(name: string, args: readonly Argument[]): ValueOrigin {
  const [first] = args;
  if (ofMetadata.has(name) && first?.value.kind === "StringLiteral") {
    return first.value.value === requestPathName ? "requestPath" : "value";
  }
  return ofOperator.has(name) && areFixed(args) ? "fixed" : "value";
}

function originOfMethod(receiver: Expression, name: string, args: readonly Argument[]): ValueOrigin {
  const received = originOf(receiver);
  if (received === "fixed" && areFixed(args)) return "fixed";
  if (name === "escape_url_query") return "queryEscaped";
  if (name === "escape_url_path") return "pathEscaped";
  if (name === "string") return received;
  if (name === "or" || name === "catch") return join([receiver, ...args.map(({ value }) => value)]);
  return name === "join" && areFixed(args) ? originOfElements(receiver) : "value";
}

/** `this.parts.map_each(this.escape_url_path())` */
function originOfElements(list: Expression): ValueOrigin {
  if (list.kind !== "MethodCall" || list.name.text !== "map_each") return "value";
  const body = list.args[0]?.value;
  return body === undefined ? "value" : originOf(body.kind === "Lambda" ? body.body : body);
}

function areFixed(args: readonly Argument[]): boolean {
  return args.every(({ value }) => originOf(value) === "fixed");
}

/**
 * Returns the origin of texts that are concatenated, or of which one is selected. `keepsText`: false if the expression
 * transforms them into something else.
 */
function join(parts: readonly Expression[], keepsText = true): ValueOrigin {
  const origins = parts.map(originOf);
  if (origins.every((origin) => origin === "fixed")) return "fixed";
  if (!keepsText || origins.includes("value") || origins.includes("requestPath")) return "value";
  return origins.includes("pathEscaped") ? "pathEscaped" : "queryEscaped";
}
