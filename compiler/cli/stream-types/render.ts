// Streams with their types in, text for people out.

import { writeJsonSchema } from "../../value-types/json-schema/write/write-schema.ts";
import { printFieldName, printLine } from "../../value-types/print.ts";
import { namedTypesIn, printTypeLines } from "../../value-types/print-lines.ts";
import { type MetadataType, type ObjectType, unknown } from "../../value-types/type.ts";
import type { DescribedPlace, StepDescription, StepFailure, StreamDescription } from "./describe-streams.ts";

const indentation = "  ";
const width = 100;

/** A paragraph for each step, below the stream they belong to. */
export function renderText(streams: readonly StreamDescription[]): string {
  return streams.map(renderStream).join("\n");
}

function renderStream({ file, name, steps }: StreamDescription): string {
  const before = [undefined, ...steps];
  const paragraphs = steps.map((step, index) => renderStep(step, before[index]));
  const named = new Map(
    steps.flatMap(({ message }) => namedTypesIn(message.content)).map((type) => [type.unfold, type]),
  );
  // One name may stand for several types of a stream; each is shown.
  const meanings = [...named.values()].map((type) => {
    const [first = "", ...others] = printTypeLines(type, { width, maximumLines: 20 });
    return [`${type.name} is ${first}`, ...others];
  });
  return [[`${file}: stream ${name}`], ...paragraphs, ...meanings]
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function renderStep(step: StepDescription, before: StepDescription | undefined): readonly string[] {
  const { name, component, label, place, message, failures } = step;
  const words = name.endsWith(component) ? [name] : [name, component];
  const head = [...words, ...(label === undefined ? [] : [JSON.stringify(label)]), printPlace(place)];
  const metadata = printMetadata(message.metadata);
  const isNew = before === undefined || metadata !== printMetadata(before.message.metadata);
  return [
    head.join("  "),
    ...printTypeLines(message.content, { width }).map((line) => indentation + line),
    ...(isNew ? [`${indentation}metadata: ${metadata}`] : []),
    ...failures.map((failure) => `${indentation}can fail: ${printFailure(failure)}`),
  ];
}

function printMetadata({ known, others }: MetadataType): string {
  const keys = [...known]
    .filter(([, field]) => field.type.kind !== "Never")
    .map(([name, field]) => `${printFieldName(name, field)}: ${printLine(field.type, 1)}`);
  const all = others ? [...keys, "…"] : keys;
  return all.length === 0 ? "none" : all.join(", ");
}

function printFailure({ reason, place, goesTo }: StepFailure): string {
  const to = goesTo.length === 0 ? "" : `; the message goes to ${goesTo.join(", or to ")}`;
  return `${printPlace(place)}: ${reason}${to}`;
}

function printPlace({ file, line }: DescribedPlace): string {
  return `${file}:${line}`;
}

/** The streams as one JSON array, with a line break at its end. */
export function renderJson(streams: readonly StreamDescription[]): string {
  const described = streams.map(({ steps, ...stream }) => ({
    ...stream,
    steps: steps.map(({ message, failures, ...step }) => ({
      ...step,
      schema: writeJsonSchema(message.content),
      metadata: writeJsonSchema(objectOfMetadata(message.metadata)),
      failures,
    })),
  }));
  return `${JSON.stringify(described, undefined, 2)}\n`;
}

function objectOfMetadata({ known, others }: MetadataType): ObjectType {
  return { kind: "Object", fields: known, rest: others ? unknown : undefined };
}
