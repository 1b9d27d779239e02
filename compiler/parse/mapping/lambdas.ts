// `name -> query`: the label it binds and the scope of it.

import type { Expression, Lambda, Name } from "../../trees/mapping.ts";
import { fatal, type Parsed, ParseFailure, required } from "./failure.ts";
import type { Reader } from "./reader.ts";

/** `name -> query`; undefined when the text is not a name, blanks, an arrow and blanks. */
export function readLambda(reader: Reader): Parsed<Lambda> | undefined {
  const start = reader.at;
  const parameter = takeParameter(reader);
  if (parameter === undefined) {
    reader.at = start;
    return undefined;
  }
  const refused = checkLabel(reader, parameter);
  if (refused !== undefined) return refused;
  const body = readBody(reader, parameter);
  if (body instanceof ParseFailure) return required(body);
  return checkChain(parameter, body) ?? { kind: "Lambda", parameter, body, span: reader.spanFrom(start) };
}

function takeParameter(reader: Reader): Name | undefined {
  const name = reader.takeName();
  return name !== undefined && reader.skipBlanks() && reader.take("->") && reader.skipBlanks()
    ? name
    : undefined;
}

function readBody(reader: Reader, parameter: Name): Parsed<Expression> {
  if (parameter.text === "_") return reader.query();
  reader.labels.push(parameter.text);
  const body = reader.query();
  reader.labels.pop();
  return body;
}

function checkLabel(reader: Reader, { text: label, span }: Name): ParseFailure | undefined {
  const { start, end } = span;
  if (label === "this" || label === "root") {
    const mistake = { code: "GW2014", start, end, details: { label } } as const;
    return fatal(start, `context label \`${label}\` is not allowed`, mistake);
  }
  if (!reader.labels.includes(label)) return undefined;
  const mistake = { code: "GW2015", start, end, details: { label } } as const;
  return fatal(start, `context label \`${label}\` would shadow a parent context`, mistake);
}

/** A lambda whose whole body is a lambda, in brackets or not, would bind one value twice. */
function checkChain(parameter: Name, body: Expression): ParseFailure | undefined {
  if (body.kind === "Group") return checkChain(parameter, body.inner);
  if (body.kind !== "Lambda") return undefined;
  const [outer, inner] = [parameter.text, body.parameter.text];
  const text = `it would be in poor taste to capture the same context under both '${outer}' and '${inner}'`;
  const { start, end } = body.parameter.span;
  return fatal(parameter.span.start, text, { code: "GW2016", start, end, details: { outer, inner } });
}
