// Runs `sluice types`: prints the types of messages at each step on standard output; diagnostics on standard error.

import type { CheckedSet } from "../../check/checked-set.ts";
import { checkDocuments } from "../../compile.ts";
import { hideSecretsIn } from "../../diagnostics/secrets/without-secrets.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { writeJsonSchema } from "../../value-types/json-schema/write/write-schema.ts";
import { printFieldName, printLine } from "../../value-types/print.ts";
import { namedTypesIn, printTypeLines } from "../../value-types/print-lines.ts";
import { type MetadataType, type ObjectType, unknown } from "../../value-types/type.ts";
import type { TypesOptions } from "../command-options.ts";
import { formatDiagnostics, isFailure, withLineBreak } from "../diagnostics.ts";
import { misuse } from "../exit-codes.ts";
import {
  type DescribedPlace,
  describeStreams,
  type StepDescription,
  type StepFailure,
  type StreamDescription,
} from "../stream-types/describe-streams.ts";
import { useColor } from "../terminal.ts";

const indentation = "  ";

const width = 100;

/** Returns a paragraph for each step, grouped by stream. */
function renderText(streams: readonly StreamDescription[]): string {
  return streams.map(renderStream).join("\n");
}

function renderStream({ file, name, steps }: StreamDescription): string {
  const before = [undefined, ...steps];
  const paragraphs = steps.map((step, index) => renderStep(step, before[index]));
  const named = new Map(
    steps.flatMap(({ message }) => namedTypesIn(message.content)).map((type) => [type.unfold, type]),
  );
  // One name may stand for several types of a stream; show each of them.
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

/** Returns the streams as one JSON array with a final line break. */
function renderJson(streams: readonly StreamDescription[]): string {
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

/** Renders streams of a set for `sluice types`, without the secrets that its documents write into messages. */
export function renderStreams(
  checked: CheckedSet,
  streams: readonly StreamDescription[],
  isJson: boolean,
): string {
  const hide = hideSecretsIn(checked.set.documents.map(({ file }) => file));
  return hide(isJson ? renderJson(streams) : renderText(streams));
}

/** Prints the types of the streams of documents that have no errors. Returns the exit code. */
export async function runTypes(paths: readonly string[], options: TypesOptions): Promise<number> {
  const { diagnostics, suppressed, counts, checked } = await checkDocuments(paths);
  const text = await formatDiagnostics(diagnostics, "pretty", useColor(process.stderr), suppressed);
  process.stderr.write(withLineBreak(text));
  if (checked === undefined || isFailure(counts, {})) return 1;
  const streams = describeStreams(checked);
  const { stream } = options;
  const wanted = stream === undefined ? streams : streams.filter(({ name }) => name === stream);
  if (stream !== undefined && wanted.length === 0) {
    return misuse(noStream(stream, streams));
  }
  process.stdout.write(renderStreams(checked, wanted, options.json === true));
  return 0;
}

function noStream(name: string, streams: readonly StreamDescription[]): string {
  const closest = suggest(
    name,
    streams.map(({ name }) => name),
  );
  return `unknown stream '${name}'${closest === undefined ? "" : `; did you mean '${closest}'?`}`;
}
